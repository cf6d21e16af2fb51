"""The view worker: maintains the view from Kafka. With ``emitting`` what of the views talks to a broker.

One process reads all partitions of all inputs (assigned, no consumer group: nothing to rebalance, no delay to join, and
edges may cross partitions) and is the one writer of its store. A batch is

1. folded in memory (``views.batch``),
2. its deltas and dead letters are written and acknowledged by the broker,
3. committed: state and positions in one write.

kill -9 before 3 repeats the batch as it was (``told``): the same deltas under the same keys, and dead letters of the
same places. kill -9 after 3 repeats nothing. Positions come from the store alone; the broker is never asked where the
view was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from functools import partial

import msgspec
from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import OffsetOutOfRangeError

from schemas.codec import encode
from schemas.deltas import DeltaRecord
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from schemas.transport import broker_topic, record_key, space_of

from . import told
from .batch import Folded, fold_batch
from .consuming import Found, LogReader, Read, read_ranges, view_consumer
from .emitting import Emitter, emitter
from .maintain import VIEW_TOPICS, Maintainer
from .merging import in_log_order
from .outgoing import Outgoing, Place, outgoing
from .pending import clock_records
from .placing import check_place
from .reached import Reached
from .refusals import check_range
from .source import Source, check_log, partitioner
from .tables import Tables

MOST_DUE = 1_000
"""Pending instants of one look; after a downtime it takes several, between which records are applied."""


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """One committed batch, for metrics.

    Attributes:
        lags: records still waiting, of the partitions that were in it.
        reached: when the newest message of each partition that is applied now, and was not before, had been taken in,
            microseconds UTC.
    """

    records: int
    deltas: Sequence[DeltaRecord]
    parked: int
    lags: Mapping[Place, int]
    reached: Sequence[int]
    fold_s: float
    acknowledge_s: float
    commit_s: float
    faulted: int = 0


class Worker:
    """Maintains one view.

    Args:
        tables: the store; the worker must be its only writer.
        source: the broker.
        clock: microseconds UTC, for the time a record is parked at.
        observe: called after every commit.
        lock: held while ``maintainer`` changes, so that other threads may read it under the same lock.
        folding: called between fold and commit, under the lock, with the batch and what came of it.
        between: awaited after every look for records, with nothing uncommitted: whoever must write to the store too.

    Attributes:
        maintainer: the view.
        heard: of every place, where the log ended when the broker last said so, and when that was (microseconds UTC).
    """

    def __init__(
        self,
        tables: Tables,
        source: Source,
        *,
        clock: Callable[[], int],
        observe: Callable[[Applied], None],
        lock: AbstractContextManager[object] | None = None,
        folding: Callable[[Sequence[Fetched], Folded], None] = lambda _batch, _folded: None,
        between: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._tables = tables
        self._source = source
        self._clock = clock
        self._observe = observe
        self._lock = lock or nullcontext()
        self._folding = folding
        self._between = between
        self.maintainer = Maintainer(tables)
        self.heard: dict[Place, tuple[int, int]] = {}
        self._reached = Reached()
        self._timed: dict[SpaceKey, int] = {}
        self._partition_of = partitioner(1)
        self._topics: dict[str, TopicName] = {broker_topic(source.prefix, topic): topic for topic in VIEW_TOPICS}

    async def run(
        self,
        stop: asyncio.Event,
        *,
        until_end: bool = False,
        until: Mapping[Place, int] | None = None,
        ready: Callable[[int], None],
    ) -> None:
        """Apply records until ``stop`` is set; a batch that has begun is finished.

        Args:
            stop: set it from a signal handler.
            until_end: return once everything is applied that the log held at the start.
            until: return once exactly the records below these offsets are applied (of a place that is not named, none).
            ready: called once with the number of waiting records, when the log was found to fit.

        Raises:
            ViewRefusedError: the log and the view do not fit together; the subclass says how.
            StoppedError: stopped while the broker was away.
            KafkaError: no broker at all at the start, or one that refuses us for good.
        """
        ends_somewhere = until_end or until is not None
        partitions = await check_log(self._source, self._tables)
        self._partition_of = partitioner(partitions)
        async with view_consumer(self._source.bootstrap) as consumer:
            places = [TopicPartition(topic, p) for topic in self._topics for p in range(partitions)]
            consumer.assign(places)
            ends = await self._check_ranges(consumer, places)
            if until is not None:
                ends = {place: until.get(self._place(place), 0) for place in places}
            for place in places:
                consumer.seek(place, self._following(place))
                if until is not None and self._following(place) >= ends[place]:
                    consumer.pause(place)
            async with self._emitter(stop) as out:
                if out is not None and until is None:
                    await self._repeat(consumer, out, places, stop)
                ready(sum(ends[place] - self._following(place) for place in places))
                reader = LogReader(
                    consumer, places, self._following, ends=ends, below=None if until is None else ends,
                    most=self._source.batch_records,
                )  # fmt: skip
                while not stop.is_set():
                    if ends_somewhere and all(self._following(place) >= ends[place] for place in places):
                        return
                    await self._step(consumer, out, places, reader)
                    if out is not None and not ends_somewhere:
                        await self._tell_time(out)
                    if self._between is not None:
                        await self._between()

    def partition_of(self, space: SpaceKey) -> int:
        """Where a space's records are; known once the log was found to fit."""
        return self._partition_of(space)

    def _emitter(self, stop: asyncio.Event) -> AbstractAsyncContextManager[Emitter | None]:
        return emitter(self._source.bootstrap, self._source.prefix, stop) if self._source.emits else nullcontext()

    def _place(self, place: TopicPartition) -> Place:
        return self._topics[place.topic], place.partition

    def _following(self, place: TopicPartition) -> int:
        return self.maintainer.position(*self._place(place))

    async def _check_ranges(
        self, consumer: AIOKafkaConsumer, places: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, int]:
        """Whether every partition can be read on; returns their ends."""
        starts, ends = await consumer.beginning_offsets(places), await consumer.end_offsets(places)
        for place in places:
            topic, following = self._topics[place.topic], self._following(place)
            check_range(topic, place.partition, following=following, start=starts[place], end=ends[place])
        return ends

    async def _step(
        self,
        consumer: AIOKafkaConsumer,
        out: Emitter | None,
        places: Sequence[TopicPartition],
        reader: LogReader,
    ) -> None:
        """One batch, if there is one."""
        try:
            found = await reader.next()
        except OffsetOutOfRangeError:
            await self._check_ranges(consumer, places)  # the log changed under us: say how
            raise
        self._hear(consumer, places)
        await self._apply(found, out)

    async def _repeat(
        self, consumer: AIOKafkaConsumer, out: Emitter, places: Sequence[TopicPartition], stop: asyncio.Event
    ) -> None:
        """The batch whose deltas were written, all or some, and that was never committed: as it was."""
        ranges = told.uncommitted(self._tables, self.maintainer.position)
        named = {topic: name for name, topic in self._topics.items()}
        ends = {TopicPartition(named[one.topic], one.partition): one.end for one in ranges}
        if ends:
            found = await read_ranges(consumer, places, ends, stop)
            self._hear(consumer, places)
            await self._apply(found, out)

    async def _apply(self, found: Found, out: Emitter | None) -> None:
        """Fold, write, commit."""
        batch = [self._fetched(record) for record in self._in_order(found)]
        for place, records in found.items():
            if self._topics[place.topic] == "messages":
                for record in records:
                    self._reached.read(place.partition, record.offset, record.timestamp * 1_000)
        if not batch:
            return
        begun = time.perf_counter()
        with self._lock:
            folded = fold_batch(self.maintainer, batch, self._clock(), partial(check_place, self._partition_of))
            folded_at = acknowledged_at = time.perf_counter()
            if out is None:
                self._commit(batch, folded)
        if out is not None:
            if folded.deltas:
                told.note(self._tables, [_range(self._place(place), found[place]) for place in found if found[place]])
            await out.write(outgoing(folded, batch, self._partition_of))
            acknowledged_at = time.perf_counter()
            with self._lock:
                self._commit(batch, folded)
        self._observe(
            Applied(
                records=len(batch), deltas=folded.deltas, parked=len(folded.parked), faulted=folded.faulted,
                lags=self._lags(found),
                reached=[at for p in {place.partition: None for place in found} if (at := self._newest(p)) is not None],
                fold_s=folded_at - begun, acknowledge_s=acknowledged_at - folded_at,
                commit_s=time.perf_counter() - acknowledged_at,
            )
        )  # fmt: skip

    def _in_order(self, found: Found) -> Iterator[Read]:
        """A batch's records, one partition number after the other: the same of the same records, however they came."""
        for partition in sorted({place.partition for place in found}):
            topics = (TopicPartition(topic, partition) for topic in self._topics)
            yield from in_log_order([found[place] for place in topics if place in found])

    async def _tell_time(self, out: Emitter) -> None:
        """Write to ``clock`` what time alone has changed since; it comes back as a record like any other.

        Not again while it is still to be read. A second worker that emits, or this one after a restart, may write an
        instant twice: the view passes over one that it has reached.
        """
        with self._lock:
            due = self.maintainer.due(self._clock(), MOST_DUE)
        fresh = [(at, space) for at, space in due if at > self._timed.get(space, -1)]
        written: dict[Place, list[Outgoing]] = {}
        for record in clock_records(fresh):
            place: Place = ("clock", self._partition_of(record.key))
            item = Outgoing(key=record_key(record), value=encode(record), headers=[])
            written.setdefault(place, []).append(item)
        await out.write(written)
        self._timed = {space: at for at, space in due}

    def _commit(self, batch: Sequence[Fetched], folded: Folded) -> None:
        self._folding(batch, folded)
        self.maintainer.commit()

    def _hear(self, consumer: AIOKafkaConsumer, places: Sequence[TopicPartition]) -> None:
        """Where the log ends, as far as the broker has said."""
        for place in places:
            end, at = consumer.highwater(place), consumer.last_poll_timestamp(place)
            if end is not None and at is not None:
                self.heard[self._place(place)] = (end, at * 1_000)

    def _lags(self, found: Iterable[TopicPartition]) -> Mapping[Place, int]:
        return {self._place(p): self.heard[self._place(p)][0] - self._following(p) for p in found}

    def _newest(self, partition: int) -> int | None:
        below = min(self.maintainer.covers(partition), self.maintainer.position("messages", partition))
        return self._reached.applied(partition, below)

    def _fetched(self, record: ConsumerRecord[bytes | None, bytes | None]) -> Fetched:
        space = space_of(record.key)
        return Fetched(
            topic=self._topics[record.topic], partition=record.partition, offset=record.offset, tenant=space.tenant,
            space=space.space, key=record.key, value=record.value or b"", headers=list(record.headers),
        )  # fmt: skip


def _range(place: Place, records: Sequence[ConsumerRecord[bytes | None, bytes | None]]) -> told.Range:
    return told.Range(*place, records[0].offset, records[-1].offset + 1)
