"""What a runner needs of a broker, over aiokafka: ends of partitions, ranges of records, writing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Protocol

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from schemas.transport import Headers

READERS = 3
"""Consumers for reading: more of them share the same connections' bandwidth and one loop, and are no faster."""

READ_S = 20.0
"""How long a range that must be there may not come, before the broker counts as away."""

_FETCH_MS = 500
_BATCH_BYTES = 512 * 1024
_REQUEST_BYTES = 16 * 1024 * 1024


class Stored(msgspec.Struct, frozen=True):
    """A record of a partition."""

    offset: int
    key: bytes | None
    value: bytes
    headers: Headers


class Outgoing(Protocol):
    """One record to write."""

    @property
    def key(self) -> bytes: ...
    @property
    def value(self) -> bytes: ...
    @property
    def headers(self) -> Headers: ...


class BrokerAwayError(RuntimeError):
    """The broker could not be had just now; what was to be written may have been. Read again where things stand."""


class Broker(Protocol):
    """Topics are named as on the broker. Every method raises ``BrokerAwayError``; errors that stay come as they are."""

    async def ranges(self, topics: Sequence[str], partition: int) -> Sequence[tuple[int, int]]:
        """Of each topic's partition, the offset of the oldest record, and of the next one."""
        ...

    async def read(self, topic: str, partition: int, first: int, end: int, limit: int) -> Sequence[Stored]:
        """At most ``limit`` records of ``[first, end)``, at least one when there is one."""
        ...

    async def append(self, topic: str, partition: int, value: bytes) -> int:
        """Write one record without a key; returns its offset."""
        ...

    async def write(self, topic: str, partition: int, records: Sequence[Outgoing]) -> None:
        """Write records in order; returns when the broker has them all."""
        ...


class KafkaBroker:
    """``Broker`` on Kafka: one producer, and a few consumers that are lent to whoever reads, one range after another.

    Reading happens at a takeover and when a runner lags behind what the group delivers.

    Args:
        bootstrap: for the consumers.
        producer: started.
        offsets: a started consumer of no group that is assigned nothing; asked for ends only, by everybody at once.
    """

    def __init__(self, bootstrap: str, producer: AIOKafkaProducer, offsets: AIOKafkaConsumer) -> None:
        self._bootstrap = bootstrap
        self._producer = producer
        self._offsets = offsets
        self._readers: list[AIOKafkaConsumer] = []
        self._lent = asyncio.Semaphore(READERS)

    async def ranges(self, topics: Sequence[str], partition: int) -> Sequence[tuple[int, int]]:
        """See ``Broker``."""
        places = [TopicPartition(topic, partition) for topic in topics]
        with _away():
            starts, ends = await asyncio.gather(
                self._offsets.beginning_offsets(places), self._offsets.end_offsets(places)
            )
        return [(starts[place], ends[place]) for place in places]

    async def read(self, topic: str, partition: int, first: int, end: int, limit: int) -> Sequence[Stored]:
        """See ``Broker``."""
        place = TopicPartition(topic, partition)
        found: list[Stored] = []
        async with self._reader() as reader:
            reader.assign([place])
            reader.seek(place, first)
            until = time.monotonic() + READ_S
            while len(found) < limit and await reader.position(place) < end:
                read = await reader.getmany(place, timeout_ms=_FETCH_MS, max_records=limit - len(found))
                found += [_stored(record) for record in read.get(place, ()) if record.offset < end]
                if not found and time.monotonic() > until:
                    raise BrokerAwayError(f"{topic}/{partition}: nothing at {first} within {READ_S:.0f} s")
        return found

    async def append(self, topic: str, partition: int, value: bytes) -> int:
        """See ``Broker``."""
        with _away():
            return (await self._producer.send_and_wait(topic, value, partition=partition)).offset

    async def write(self, topic: str, partition: int, records: Sequence[Outgoing]) -> None:
        """See ``Broker``."""
        with _away():
            builder = self._producer.create_batch()
            for out in records:
                while builder.append(timestamp=None, key=out.key, value=out.value, headers=out.headers) is None:
                    await (await self._producer.send_batch(builder, topic, partition=partition))
                    builder = self._producer.create_batch()
            builder.close()
            await (await self._producer.send_batch(builder, topic, partition=partition))

    async def close(self) -> None:
        """Close the consumers."""
        while self._readers:
            await self._readers.pop().stop()

    @asynccontextmanager
    async def _reader(self) -> AsyncGenerator[AIOKafkaConsumer]:
        async with self._lent:
            with _away():
                reader = self._readers.pop() if self._readers else await self._open()
                try:
                    yield reader
                finally:
                    self._readers.append(reader)

    async def _open(self) -> AIOKafkaConsumer:
        reader = _consumer(self._bootstrap)
        try:
            await reader.start()
        except KafkaError:
            await reader.stop()
            raise
        return reader


@contextmanager
def _away() -> Generator[None]:
    try:
        yield
    except KafkaError as error:
        if not error.retriable:
            raise
        raise BrokerAwayError(repr(error)) from error


@asynccontextmanager
async def kafka_broker(bootstrap: str) -> AsyncGenerator[KafkaBroker]:
    """Connections for writing and reading, closed at the end."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, acks="all", max_batch_size=_BATCH_BYTES, max_request_size=_REQUEST_BYTES
    )
    offsets = _consumer(bootstrap)
    broker = KafkaBroker(bootstrap, producer, offsets)
    try:
        await asyncio.gather(producer.start(), offsets.start())
        yield broker
    finally:
        await broker.close()
        await offsets.stop()
        await producer.stop()


def _consumer(bootstrap: str) -> AIOKafkaConsumer:
    return AIOKafkaConsumer(
        bootstrap_servers=bootstrap, group_id=None, enable_auto_commit=False, auto_offset_reset="none"
    )


def _stored(record: ConsumerRecord[bytes | None, bytes | None]) -> Stored:
    return Stored(record.offset, record.key, record.value or b"", list(record.headers))
