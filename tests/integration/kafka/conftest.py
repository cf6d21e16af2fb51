"""One broker for the whole session, or for each process that runs tests; which one it was stands in the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.kit.kafka import Broker, broker, fresh_prefix
from tests.kit.kafkalog import Chat, make_chat
from tests.kit.used import ran_on


@pytest.fixture(scope="session")
def kafka(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """A running broker."""
    with broker() as running:
        ran_on(request.config, running.described)
        yield running


@pytest.fixture
def full_kafka(kafka: Broker) -> Broker:
    """A broker that can do everything."""
    if not kafka.full:
        pytest.skip("the mock cluster cannot do this")
    return kafka


@pytest.fixture
def mortal_kafka(kafka: Broker) -> Broker:
    """A broker that may be killed."""
    if not kafka.durable:
        pytest.skip("only a broker of our own is killed")
    return kafka


@pytest.fixture
def prefix(kafka: Broker) -> Iterator[str]:
    """Topics of this test alone."""
    prefix = fresh_prefix()
    yield prefix
    kafka.drop_topics(prefix)


@pytest.fixture(scope="session")
def chat() -> Callable[[int], Chat]:
    """A chat of eight spaces for topics of so many partitions; made once."""
    return cache(lambda partitions: make_chat(7, spaces=8, messages=30, partitions=partitions))
