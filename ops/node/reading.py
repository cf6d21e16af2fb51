"""What a node asks the broker beside the stream that its replica follows: ends of partitions, a space's records."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from schemas.transport import broker_topic, space_key
from streams.log import LogEntry
from views.consuming import stop_consumer
from views.outgoing import Place
from views.source import Source

_POLL_MS = 500
ASK_S = 5.0
"""How long the broker may take to say something."""


class AwayError(RuntimeError):
    """The broker cannot be had just now, or took too long. Try again; what was to be written may have been."""


@asynccontextmanager
async def open_consumer(source: Source) -> AsyncGenerator[AIOKafkaConsumer]:
    """One of no group, to seek with. Raises ``AwayError`` for what the broker does not do, inside the block too."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=source.bootstrap, group_id=None, enable_auto_commit=False, auto_offset_reset="none"
    )
    try:
        await consumer.start()
        yield consumer
    except KafkaError as error:
        raise AwayError(f"the broker at {source.bootstrap} does not answer: {error!r}") from error
    finally:
        await stop_consumer(consumer)


async def read_ends(source: Source, places: Sequence[Place]) -> Mapping[Place, int]:
    """Where partitions end now.

    Raises:
        AwayError: the broker does not say.
    """
    wanted: dict[TopicPartition, Place] = {
        TopicPartition(broker_topic(source.prefix, topic), partition): (topic, partition) for topic, partition in places
    }
    try:
        async with asyncio.timeout(ASK_S), open_consumer(source) as consumer:
            return {wanted[place]: end for place, end in (await consumer.end_offsets(list(wanted))).items()}
    except TimeoutError as error:
        raise AwayError(f"the broker at {source.bootstrap} does not answer within {ASK_S:g} s") from error


async def read_space(source: Source, space: SpaceKey, partition: int, ends: Mapping[TopicName, int]) -> list[Fetched]:
    """Every record of a space below the offsets, by topic. Costs by the size of the partition: all of it is read.

    Raises:
        AwayError: the broker went away meanwhile.
    """
    return [
        Fetched(
            topic=topic, partition=partition, offset=record.offset, tenant=space.tenant, space=space.space,
            key=record.key, value=record.value or b"", headers=list(record.headers),
        )
        for topic, record in await _read(source, space, partition, ends)
    ]  # fmt: skip


async def read_entries(
    source: Source, space: SpaceKey, partition: int, ends: Mapping[TopicName, int]
) -> list[LogEntry]:
    """The same, with the broker's times."""
    return [
        LogEntry(
            topic=topic, partition=partition, offset=record.offset, time_us=record.timestamp * 1_000,
            tenant=space.tenant, space=space.space, value=record.value or b"",
        )
        for topic, record in await _read(source, space, partition, ends)
    ]  # fmt: skip


async def _read(
    source: Source, space: SpaceKey, partition: int, ends: Mapping[TopicName, int]
) -> list[tuple[TopicName, ConsumerRecord[bytes | None, bytes | None]]]:
    key = space_key(space)
    names: dict[str, TopicName] = {broker_topic(source.prefix, topic): topic for topic in ends}
    places = {TopicPartition(name, partition): ends[topic] for name, topic in names.items() if ends[topic] > 0}
    found: dict[TopicName, list[ConsumerRecord[bytes | None, bytes | None]]] = {topic: [] for topic in ends}
    if not places:
        return []
    async with open_consumer(source) as consumer:
        consumer.assign(list(places))
        starts = await consumer.beginning_offsets(list(places))
        for place, start in starts.items():
            consumer.seek(place, start)
        open_places, heard = {place for place in places if starts[place] < places[place]}, time.monotonic()
        while open_places:
            read = await consumer.getmany(*open_places, timeout_ms=_POLL_MS)
            if read:
                heard = time.monotonic()
            elif time.monotonic() > heard + ASK_S:
                raise AwayError(f"the broker at {source.bootstrap} sent nothing for {ASK_S:g} s")
            for place, records in read.items():
                found[names[place.topic]] += [r for r in records if r.key == key and r.offset < places[place]]
                if records[-1].offset + 1 >= places[place]:
                    open_places.discard(place)
    return [(topic, record) for topic, records in found.items() for record in records]
