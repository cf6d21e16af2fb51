"""One broker for the whole session, or for each process that runs tests; which one it was stands in the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from tests.kit.kafka import Broker, broker, fresh_prefix
from tests.kit.kafkalog import Chat, make_chat

_used = pytest.StashKey[str]()


@pytest.fixture(scope="session")
def kafka(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """A running broker."""
    with broker() as running:
        request.config.stash[_used] = running.described
        if hasattr(request.config, "workeroutput"):  # several processes run the tests: the first one tells
            request.config.workeroutput["kafka"] = running.described
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


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a process that ran tests which broker it used."""
    used = getattr(node, "workeroutput", {}).get("kafka")
    if used is not None:
        node.config.stash[_used] = used


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which broker the tests ran on."""
    used = config.stash.get(_used, None)
    if used is not None:
        terminalreporter.write_line(f"Kafka tests ran on {used}")
