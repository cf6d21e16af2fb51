"""How the view worker reads from the broker: its consumer, and ranges of records that must be read once more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from .merging import Merging

FETCH_WAIT_MS, FETCH_MIN_BYTES = 100, 64 * 1024
"""The broker answers a look for records when so much is there, or after so long: every answer costs it and us as much
for one record as for a hundred, and names all our partitions."""

POLL_MS = 200
"""How long one look for records waits, so how soon an idle worker notices that it shall stop."""

PATIENCE_S = 2.0
"""How long what may come before what is there is waited for; an end that only markers of a transaction lie before is
never reached. Then the view goes on, and its history is inexact at worst."""

Read = ConsumerRecord[bytes | None, bytes | None]
Found = dict[TopicPartition, list[Read]]


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


class LogReader:
    """Reads on from where the consumer stands, in the order the log took the records (``merging``).

    Args:
        consumer: assigned all places, at their positions.
        places: all of them, topic after topic.
        following: of a place, the offset after the last record that was folded.
        ends: where the places ended when that was asked.
        below: read no further than these offsets; None for as far as there is anything.
        most: records of one batch.
    """

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        places: Sequence[TopicPartition],
        following: Callable[[TopicPartition], int],
        *,
        ends: Mapping[TopicPartition, int],
        below: Mapping[TopicPartition, int] | None,
        most: int,
    ) -> None:
        self._consumer = consumer
        self._places = places
        self._following = following
        self._ends = ends
        self._below = below
        self._most = most
        partitions = sorted({place.partition for place in places})
        self._merging: Merging[TopicPartition, Read] = Merging(
            [[p for p in places if p.partition == n] for n in partitions]
        )
        self._waited_from: float | None = None

    async def next(self) -> Found:
        """The next batch, each place's records in order; empty when there is nothing, or what comes first is missing.

        To be folded, or never to be asked again. Errors as of ``getmany``.
        """
        taken = self._merging.take(self._most, self._is_at_end)
        if not taken:
            wanted = [place for place in self._places if self._merging.held(place) < self._most]
            found = await self._consumer.getmany(*wanted, timeout_ms=POLL_MS, max_records=self._most)
            self._merging.give(found if self._below is None else cut_off(self._consumer, found, self._below))
            taken = self._merging.take(self._most, self._is_at_end)
        if taken or not any(self._merging.held(place) for place in self._places):
            self._waited_from = None
        elif self._waited_from is None:
            self._waited_from = time.monotonic()
        elif time.monotonic() > self._waited_from + PATIENCE_S:
            taken = self._merging.take(self._most, lambda *_: True)
        return taken

    def _is_at_end(self, place: TopicPartition, last: Read | None) -> bool:
        following = self._following(place) if last is None else last.offset + 1
        if self._below is not None:
            return following >= self._below[place]
        return following >= max(self._ends[place], self._consumer.highwater(place) or 0)


def cut_off(consumer: AIOKafkaConsumer, found: Found, below: Mapping[TopicPartition, int]) -> Found:
    """Without what lies at or beyond the offsets; a place whose end was reached is read no more."""
    kept: Found = {}
    for place, records in found.items():
        kept[place] = [record for record in records if record.offset < below[place]]
        if records and records[-1].offset + 1 >= below[place]:
            consumer.pause(place)
    return kept
