"""A broker for tests: an existing one, Apache Kafka from Maven's jars, or librdkafka's emulation. Never none.

``STILLTRUE_KAFKA`` chooses: ``host:port`` uses that broker; ``apache`` insists on Apache Kafka (continuous integration
does); ``mock`` takes the emulation. Unset: Apache Kafka where ``java`` and ``mvn`` are, else the emulation. Which one
it was stands in pytest's summary. See ops/adr/0015.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from schemas.topics import TOPICS
from tests.kit.apache import Apache, fetch_jars
from tests.kit.brokers import PARTITIONS, NoBrokerError, create, drop, silent, wait_ready


class Broker(Protocol):
    """A running broker.

    ``full``: it is Apache Kafka or as good: it creates, configures and deletes topics and has transactions.
    ``durable``: it is ours to kill, and comes back with what it had acknowledged.
    """

    bootstrap: str
    described: str
    full: bool
    durable: bool

    def make_topics(self, prefix: str) -> int:
        """Make all topics under a prefix no one has used; returns their number of partitions."""
        ...

    def drop_topics(self, prefix: str) -> None:
        """Delete those that were made: a broker with a thousand partitions is slow to come back."""
        ...

    def kill(self) -> None: ...
    def start(self) -> None: ...


class Existing:
    """Somebody's broker: used, never stopped. Tests keep to topics under prefixes of their own."""

    full = True
    durable = False

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.described = f"the broker at {bootstrap} (STILLTRUE_KAFKA)"
        self.start()

    def start(self) -> None:
        """Wait until it answers."""
        wait_ready(self.bootstrap, lambda: None)

    def make_topics(self, prefix: str) -> int:
        """As our own command does."""
        return create(self.bootstrap, prefix)

    def drop_topics(self, prefix: str) -> None:
        """All under the prefix."""
        drop(self.bootstrap, prefix)

    def kill(self) -> None:
        """Not ours to kill."""
        raise NoBrokerError("an existing broker is not killed")


class Mock:
    """librdkafka's emulation, in this process. It makes topics by itself and keeps nothing."""

    full = False
    durable = False
    described = "librdkafka's mock cluster, NOT Apache Kafka (that needs java and mvn): some tests cannot run on it"

    def __init__(self) -> None:
        self._owner = Producer({"test.mock.num.brokers": 1, "logger": silent()})
        brokers = self._owner.list_topics(timeout=10).brokers
        broker = brokers[min(brokers)]
        self.bootstrap = f"{broker.host}:{broker.port}"

    def make_topics(self, prefix: str) -> int:
        """It makes a topic when somebody asks about it, always of four partitions."""
        client = AdminClient({"bootstrap.servers": self.bootstrap, "logger": silent()})
        for topic in TOPICS:
            client.list_topics(prefix + topic, timeout=10)
        return PARTITIONS

    def drop_topics(self, prefix: str) -> None:
        """It cannot."""

    def start(self) -> None:
        """It runs as long as this object."""

    def kill(self) -> None:
        """Killing it would lose everything."""
        raise NoBrokerError("the mock cluster keeps nothing")


@contextmanager
def broker() -> Generator[Broker]:
    """The broker of this test session.

    Raises:
        NoBrokerError: the one that was asked for cannot be had.
    """
    choice = os.environ.get("STILLTRUE_KAFKA", "")
    if ":" in choice:
        yield Existing(choice)
        return
    able = shutil.which("java") is not None and shutil.which("mvn") is not None
    if choice == "mock" or (not choice and not able):
        yield Mock()
        return
    if not able:
        raise NoBrokerError("STILLTRUE_KAFKA=apache needs java (17 or later) and mvn")
    jars = fetch_jars()
    with tempfile.TemporaryDirectory(prefix="stilltrue-kafka-") as directory:
        apache = Apache(jars, Path(directory))
        try:
            apache.start()
            yield apache
        finally:
            apache.kill()  # nothing in its directory is wanted any more, and SIGTERM takes it 20 s


def fresh_prefix() -> str:
    """A prefix that no other test has used on any broker."""
    return f"t{uuid.uuid4().hex[:12]}."
