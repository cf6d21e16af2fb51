"""What a runner needs of a broker, over aiokafka: ends of partitions, ranges of records, writing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Protocol

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from schemas.transport import Headers

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

    async def range(self, topic: str, partition: int) -> tuple[int, int]:
        """Offset of the oldest record, and of the next one."""
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
    """``Broker`` on Kafka. Reading opens a consumer for each range: it happens at a takeover and when one lags."""

    def __init__(self, bootstrap: str, producer: AIOKafkaProducer) -> None:
        self._bootstrap = bootstrap
        self._producer = producer

    async def range(self, topic: str, partition: int) -> tuple[int, int]:
        """See ``Broker``."""
        place = TopicPartition(topic, partition)
        async with self._consumer(place) as consumer:
            start = (await consumer.beginning_offsets([place]))[place]
            return start, (await consumer.end_offsets([place]))[place]

    async def read(self, topic: str, partition: int, first: int, end: int, limit: int) -> Sequence[Stored]:
        """See ``Broker``."""
        place = TopicPartition(topic, partition)
        found: list[Stored] = []
        async with self._consumer(place) as consumer:
            consumer.seek(place, first)
            while len(found) < limit and await consumer.position(place) < end:
                read = await consumer.getmany(place, timeout_ms=_FETCH_MS, max_records=limit - len(found))
                found += [_stored(record) for record in read.get(place, ()) if record.offset < end]
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

    @asynccontextmanager
    async def _consumer(self, place: TopicPartition) -> AsyncGenerator[AIOKafkaConsumer]:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self._bootstrap, group_id=None, enable_auto_commit=False, auto_offset_reset="none"
        )
        try:
            with _away():
                await consumer.start()
                consumer.assign([place])
                yield consumer
        finally:
            await consumer.stop()


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
    """A connection for writing, closed at the end."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, acks="all", max_batch_size=_BATCH_BYTES, max_request_size=_REQUEST_BYTES
    )
    await producer.start()
    try:
        yield KafkaBroker(bootstrap, producer)
    finally:
        await producer.stop()


def _stored(record: ConsumerRecord[bytes | None, bytes | None]) -> Stored:
    return Stored(record.offset, record.key, record.value or b"", list(record.headers))
