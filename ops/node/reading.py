"""What a node asks the broker beside the stream that its replica follows: ends of partitions, a space's records."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from schemas.ids import SpaceKey
from schemas.topics import TopicName
from schemas.transport import broker_topic, space_key
from views.outgoing import Fetched, Place
from views.worker import Source

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
        await consumer.stop()


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
    key = space_key(space)
    names: dict[str, TopicName] = {broker_topic(source.prefix, topic): topic for topic in ends}
    places = {TopicPartition(name, partition): ends[topic] for name, topic in names.items() if ends[topic] > 0}
    found: dict[TopicName, list[Fetched]] = {topic: [] for topic in ends}
    async with open_consumer(source) as consumer:
        consumer.assign(list(places))
        for place in places:
            consumer.seek(place, 0)
        open_places, heard = set(places), time.monotonic()
        while open_places:
            read = await consumer.getmany(*open_places, timeout_ms=_POLL_MS)
            if read:
                heard = time.monotonic()
            elif time.monotonic() > heard + ASK_S:
                raise AwayError(f"the broker at {source.bootstrap} sent nothing for {ASK_S:g} s")
            for place, records in read.items():
                topic = names[place.topic]
                found[topic] += [
                    Fetched(
                        topic=topic, partition=partition, offset=record.offset, tenant=space.tenant, space=space.space,
                        key=record.key, value=record.value or b"", headers=list(record.headers),
                    )
                    for record in records
                    if record.key == key and record.offset < places[place]
                ]  # fmt: skip
                if records[-1].offset + 1 >= places[place]:
                    open_places.discard(place)
    return [raw for records in found.values() for raw in records]
