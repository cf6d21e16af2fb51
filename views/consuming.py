"""How the view worker reads from the broker: its consumer, and ranges of records that must be read once more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

FETCH_WAIT_MS, FETCH_MIN_BYTES = 100, 64 * 1024
"""The broker answers a look for records when so much is there, or after so long: every answer costs it and us as much
for one record as for a hundred, and names all our partitions."""

POLL_MS = 200
"""How long one look for records waits, so how soon an idle worker notices that it shall stop."""

Found = dict[TopicPartition, list[ConsumerRecord[bytes | None, bytes | None]]]


@asynccontextmanager
async def view_consumer(bootstrap: str) -> AsyncGenerator[AIOKafkaConsumer]:
    """A consumer of no group, to be assigned by hand."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, group_id=None, enable_auto_commit=False, auto_offset_reset="none",
        fetch_max_wait_ms=FETCH_WAIT_MS, fetch_min_bytes=FETCH_MIN_BYTES,
    )  # fmt: skip
    await consumer.start()
    try:
        yield consumer
    finally:
        await stop_consumer(consumer)


async def stop_consumer(consumer: AIOKafkaConsumer) -> None:
    """Stop it, whatever it is doing.

    aiokafka 0.14 lets out the cancellation of its own fetch tasks, when the broker is away and when nothing is
    assigned. Nobody cancelled us then, so we go on.
    """
    try:
        await consumer.stop()
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise


async def read_ranges(
    consumer: AIOKafkaConsumer,
    places: Sequence[TopicPartition],
    ends: Mapping[TopicPartition, int],
    stop: asyncio.Event,
) -> Found:
    """Exactly the records from where some places stand to these ends, in the order of the ends; all stand there then.

    Args:
        consumer: assigned all places, none of them paused.
        places: all of them.
        ends: of those that are read; the others stay where they are.
        stop: empty as soon as it is set.
    """
    found: Found = {place: [] for place in ends}
    consumer.pause(*(place for place in places if place not in ends))
    try:
        while left := [place for place, end in ends.items() if await consumer.position(place) < end]:
            if stop.is_set():
                return {}
            for place, records in (await consumer.getmany(*left, timeout_ms=POLL_MS)).items():
                found[place] += [record for record in records if record.offset < ends[place]]
    finally:
        consumer.resume(*places)
    for place, end in ends.items():
        consumer.seek(place, end)
    return found


def cut_off(consumer: AIOKafkaConsumer, found: Found, below: Mapping[TopicPartition, int]) -> Found:
    """Without what lies at or beyond the offsets; a place whose end was reached is read no more."""
    kept: Found = {}
    for place, records in found.items():
        kept[place] = [record for record in records if record.offset < below[place]]
        if records and records[-1].offset + 1 >= below[place]:
            consumer.pause(place)
    return kept
