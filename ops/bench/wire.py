"""The benchmarks' own client of the broker: writes records, tells how many there are, and hears of new ones."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from schemas.codec import BadRecordError, decode, encode
from schemas.record import Record
from schemas.topics import TopicName
from schemas.transport import broker_topic, record_key
from streams.log.partition import partition_of

BATCH_BYTES = 512 * 1024
PUBLISHED_AT_ONCE = 2_000


class Wire:
    """Topics under a prefix. Made by ``wire``."""

    def __init__(self, prefix: str, producer: AIOKafkaProducer, consumer: AIOKafkaConsumer, partitions: int) -> None:
        self._prefix = prefix
        self._producer = producer
        self._consumer = consumer
        self.partitions = partitions

    async def publish(self, records: Iterable[tuple[TopicName, Record]]) -> int:
        """Write records, each space's in order; returns how many, when the broker has them all."""
        count, waiting = 0, list[asyncio.Future[object]]()
        for topic, record in records:
            waiting.append(await self._send(topic, record))
            count += 1
            if len(waiting) == PUBLISHED_AT_ONCE:
                await asyncio.gather(*waiting)
                waiting.clear()
        await asyncio.gather(*waiting)
        return count

    async def put(self, topic: TopicName, record: Record) -> None:
        """Write one; returns when the broker has it."""
        await (await self._send(topic, record))

    async def _send(self, topic: TopicName, record: Record) -> asyncio.Future[object]:
        partition = partition_of(record.key, self.partitions)
        name = broker_topic(self._prefix, topic)
        return await self._producer.send(name, encode(record), key=record_key(record), partition=partition)

    async def ends(self, name: str) -> list[int]:
        """Records of each partition of a topic, named without the prefix."""
        places = [TopicPartition(self._prefix + name, partition) for partition in range(self.partitions)]
        ends = await self._consumer.end_offsets(places)
        return [ends[place] for place in places]

    async def count(self, name: str) -> int:
        """Records of a topic."""
        return sum(await self.ends(name))

    async def grown(self, name: str, beyond: Sequence[int], *, partitions: int, within_s: float) -> bool:
        """Wait until so many partitions of a topic have more records than that; False when they never have."""
        deadline = time.monotonic() + within_s
        while sum(now > then for now, then in zip(await self.ends(name), beyond, strict=True)) < partitions:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(0.01)
        return True

    async def listen(self, topics: Iterable[TopicName], hear: Callable[[TopicName, Record, int, float], None]) -> None:
        """Pass on whatever is written from now on, until cancelled: topic, record, offset, and the broker's time of it
        in seconds since 1970."""
        names: dict[str, TopicName] = {broker_topic(self._prefix, topic): topic for topic in topics}
        places = [TopicPartition(name, partition) for name in names for partition in range(self.partitions)]
        self._consumer.assign(places)
        await self._consumer.seek_to_end(*places)
        while True:
            for place, found in (await self._consumer.getmany(timeout_ms=50)).items():
                for stored in found:
                    try:
                        record = decode(names[place.topic], stored.value or b"")
                    except BadRecordError:
                        continue  # a tombstone of the compacted deltas
                    hear(names[place.topic], record, stored.offset, stored.timestamp / 1_000)


@asynccontextmanager
async def wire(bootstrap: str, prefix: str) -> AsyncGenerator[Wire]:
    """Connections, closed at the end."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, acks="all", max_batch_size=BATCH_BYTES, max_request_size=16 * 1024 * 1024,
        linger_ms=2,
    )  # fmt: skip
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, group_id=None, enable_auto_commit=False, auto_offset_reset="none",
        fetch_max_wait_ms=50,
    )  # fmt: skip
    try:
        await asyncio.gather(producer.start(), consumer.start())
        partitions = await producer.partitions_for(broker_topic(prefix, "messages"))
        yield Wire(prefix, producer, consumer, len(partitions))
    finally:
        await asyncio.gather(producer.stop(), consumer.stop())
