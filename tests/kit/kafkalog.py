"""A chat run through the embedded pipeline in memory, to be published to a broker by a client that is not ours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import msgspec
from confluent_kafka import Producer

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.log import LogEntry, MemoryLog
from streams.log.database import Database
from tests.kit.brokers import silent
from tests.kit.encoders import HashingEncoder
from tests.kit.simchat import saying
from views.checksum import checksum
from views.maintain import VIEW_TOPICS, Maintainer
from views.snapshot import read_space
from views.store import RocksTables
from views.tables import TABLES, MemoryTables
from views.vectors.memory import MemoryIndex

NOW = 2_000_000_000_000_000
TENANT = "orchard"


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    """What the view reads, in an order in which it was written, and what must come of it by space."""

    entries: tuple[LogEntry, ...]
    checksums: Mapping[SpaceKey, str]
    partitions: int


def embedded(log: MemoryLog) -> Embedded:
    """The embedded system in memory, on this log."""
    encoder = HashingEncoder()
    return Embedded(
        Parts(
            log=log,
            tables=MemoryTables(),
            encoder=lambda: encoder,
            index=lambda _: MemoryIndex(encoder.dimension),
            clock=lambda: NOW,
        ),
        Settings(session_max_messages=12, open_revision_messages=4),
    )


def make_chat(seed: int, *, spaces: int, messages: int, partitions: int) -> Chat:
    """A chat of as many spaces, as many messages each, in three days; a few are edited or retracted."""
    rng = Random(seed)
    log = MemoryLog(partitions=partitions)
    system = embedded(log)
    keys = [SpaceKey(TENANT, f"row-{n}") for n in range(spaces)]
    for key in keys:
        for start in range(0, messages, 20):
            system.post(key, [_message(rng, n) for n in range(start, min(start + 20, messages))])
            system.run()
        for n in rng.sample(range(messages), k=3):
            system.edit(key, "c", f"m{n}", saying(rng))
        system.retract(key, "c", f"m{messages // 2}")
    system.flush()
    checksums = {}
    for key in keys:
        verified = system.verify(key)
        assert verified.equal
        assert verified.events > 0
        checksums[key] = verified.checksum
    return Chat(entries=tuple(_mixed(rng, log)), checksums=checksums, partitions=partitions)


def _message(rng: Random, n: int) -> bytes:
    at = datetime(2031, 3, 3, 9, tzinfo=UTC) + timedelta(minutes=37 * n)
    return json.dumps(
        {
            "message_id": f"m{n}", "conversation_id": "c", "speaker": rng.choice(("Ewout", "Fenna")),
            "content": saying(rng), "sent_at": at.isoformat(), "seq": n,
        }
    ).encode()  # fmt: skip


def _mixed(rng: Random, log: MemoryLog) -> Iterator[LogEntry]:
    """All records the view reads; each partition's in order, the partitions mixed at random."""
    ends = {(t, p): log.end(t, p) for t in VIEW_TOPICS for p in range(log.partitions)}
    queues = [list(reversed(log.read(t, p, 0, end))) for (t, p), end in ends.items() if end]
    while queues:
        queue = rng.choice(queues)
        for _ in range(min(len(queue), rng.randint(1, 8))):
            yield queue.pop()
        queues = [left for left in queues if left]


class Client:
    """An independent producer: librdkafka, with Kafka's own partitioner."""

    def __init__(self, bootstrap: str, prefix: str, **options: object) -> None:
        self._prefix = prefix
        self._transactional = False
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "partitioner": "murmur2_random",
                "enable.idempotence": True,
                "logger": silent(),
                **options,
            }
        )

    def publish(self, entries: Sequence[LogEntry]) -> None:
        """Write the records under their keys; returns when the broker has them."""
        for entry in entries:
            self.put(entry.topic, f"{entry.tenant}/{entry.space}".encode(), entry.value)
        self.flush()

    def put(self, topic: TopicName, key: bytes | None, value: bytes | None, **more: object) -> None:
        """Write one record, soon."""
        while True:
            try:
                self._producer.produce(self._prefix + topic, key=key, value=value, **more)
                return
            except BufferError:
                self._producer.poll(0.1)

    def in_transaction(self, topic: TopicName, key: bytes, value: bytes) -> None:
        """Write one record in a transaction; the client needs a ``transactional.id``."""
        if not self._transactional:
            self._producer.init_transactions(30)
            self._transactional = True
        self._producer.begin_transaction()
        self.put(topic, key, value)
        self._producer.commit_transaction(30)

    def flush(self) -> None:
        """Wait until everything is acknowledged."""
        assert self._producer.flush(280) == 0, "the broker did not take everything"


def stored_view(store: Path) -> Maintainer:
    """The view a worker left in its store, opened for reading."""
    return Maintainer(RocksTables(Database(store / "view", families=TABLES, read_only=True)))


def checksums(maintainer: Maintainer, spaces: Sequence[SpaceKey]) -> Mapping[SpaceKey, str]:
    """By space."""
    return {space: checksum(read_space(maintainer, space).view) for space in spaces}
