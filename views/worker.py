"""The view worker: maintains the view from Kafka. The only module of the views that talks to a broker.

One process reads all partitions of all inputs (assigned, no consumer group: nothing to rebalance, no delay to join, and
edges may cross partitions) and is the one writer of its store. A batch is

1. folded in memory (``views.batch``),
2. its deltas and dead letters are written and acknowledged by the broker,
3. committed: state and positions in one write.

kill -9 before 3 repeats the batch: the same deltas under the same keys, and dead letters of the same places. kill -9
after 3 repeats nothing. Positions come from the store alone; the broker is never asked where the view was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError, OffsetOutOfRangeError
from aiokafka.partitioner import murmur2

from schemas.deltas import DeltaRecord
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from schemas.transport import broker_topic, space_key, space_of

from .batch import fold_batch
from .maintain import VIEW_TOPICS, Maintainer
from .origin import claim, origin_on_broker
from .outgoing import Fetched, Outgoing, Place, outgoing
from .reached import Reached
from .refusals import check_range, common_partitions
from .tables import Tables

BATCH_RECORDS = 1_000
"""Most records of a batch. At 0.05 ms (messages) to 0.4 ms (a dense chat's sets) each it is at most half a second of
work, so that stopping and being fresh need no more; larger ones were no faster."""

POLL_MS = 200
"""How long one look for records waits, so how soon an idle worker notices that it shall stop."""

PRODUCE_BATCH_BYTES = 512 * 1024
"""Far below ``max.message.bytes`` of the topics, which counts a whole batch."""

RETRY_S = 1.0
"""Pause before what a broker could not take is offered again."""

STOP_S = 5.0
"""How long a stop waits for acknowledgements. Then the batch is left uncommitted, to be repeated at the next start."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where the view is read from, and whether it writes back.

    ``emits`` is False for a second instance (a replica, a rebuild beside the live view): it reads and maintains its own
    store, and leaves deltas and dead letters to the one that emits. Two that emit would write old deltas over new ones.
    """

    bootstrap: str
    prefix: str = ""
    emits: bool = True


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


class StoppedError(Exception):
    """A stop was asked for while the broker took nothing; the batch was not committed. Start again to repeat it."""


class Worker:
    """Maintains one view.

    Args:
        tables: the store; the worker must be its only writer.
        source: the broker.
        clock: microseconds UTC, for the time a record is parked at.
        observe: called after every commit.
    """

    def __init__(
        self, tables: Tables, source: Source, *, clock: Callable[[], int], observe: Callable[[Applied], None]
    ) -> None:
        self._tables = tables
        self._source = source
        self._clock = clock
        self._observe = observe
        self._maintainer = Maintainer(tables)
        self._reached = Reached()
        self._topics: dict[str, TopicName] = {broker_topic(source.prefix, topic): topic for topic in VIEW_TOPICS}

    async def run(self, stop: asyncio.Event, *, until_end: bool = False, ready: Callable[[int], None]) -> None:
        """Apply records until ``stop`` is set; a batch that has begun is finished.

        Args:
            stop: set it from a signal handler.
            until_end: return once everything is applied that the log held at the start.
            ready: called once with the number of waiting records, when the log was found to fit.

        Raises:
            ViewRefusedError: the log and the view do not fit together; the subclass says how.
            StoppedError: stopped while the broker was away.
            KafkaError: no broker at all at the start, or one that refuses us for good.
        """
        partitions = await self._check_log()
        async with _consumer(self._source) as consumer:
            places = [TopicPartition(topic, p) for topic in self._topics for p in range(partitions)]
            consumer.assign(places)
            ends = await self._check_ranges(consumer, places)
            for place in places:
                consumer.seek(place, self._following(place))
            async with _producer(self._source) as producer:
                ready(sum(ends[place] - self._following(place) for place in places))
                out = _Out(producer, self._source, partitions, stop)
                while not stop.is_set():
                    if until_end and all(self._following(place) >= ends[place] for place in places):
                        return
                    await self._step(consumer, out, places)

    def _following(self, place: TopicPartition) -> int:
        return self._maintainer.position(self._topics[place.topic], place.partition)

    async def _check_log(self) -> int:
        """Whether this is the log the view was made from; returns the number of partitions."""
        admin = AIOKafkaAdminClient(bootstrap_servers=self._source.bootstrap)
        await admin.start()
        try:
            cluster = await admin.describe_cluster()
            names: dict[str, TopicName] = {
                broker_topic(self._source.prefix, topic): topic for topic in (*VIEW_TOPICS, "deltas")
            }
            described = await admin.describe_topics(list(names))
        finally:
            await admin.close()
        partitions = common_partitions({names[topic["topic"]]: len(topic["partitions"]) for topic in described})
        claim(self._tables, origin_on_broker(cluster["cluster_id"], self._source.prefix, partitions))
        return partitions

    async def _check_ranges(
        self, consumer: AIOKafkaConsumer, places: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, int]:
        """Whether every partition can be read on; returns their ends."""
        starts, ends = await consumer.beginning_offsets(places), await consumer.end_offsets(places)
        for place in places:
            topic, following = self._topics[place.topic], self._following(place)
            check_range(topic, place.partition, following=following, start=starts[place], end=ends[place])
        return ends

    async def _step(self, consumer: AIOKafkaConsumer, out: _Out, places: Sequence[TopicPartition]) -> None:
        """One batch, if there is one."""
        try:
            found = await consumer.getmany(timeout_ms=POLL_MS, max_records=BATCH_RECORDS)
        except OffsetOutOfRangeError:
            await self._check_ranges(consumer, places)  # the log changed under us: say how
            raise
        batch = [self._fetched(record) for records in found.values() for record in records]
        for place, records in found.items():
            if self._topics[place.topic] == "messages":
                for record in records:
                    self._reached.read(place.partition, record.offset, record.timestamp * 1_000)
        if not batch:
            return
        begun = time.perf_counter()
        folded = fold_batch(self._maintainer, batch, self._clock())
        folded_at = time.perf_counter()
        if self._source.emits:
            await out.write(outgoing(folded, batch, out.partition_of))
        acknowledged_at = time.perf_counter()
        self._maintainer.commit()
        lags: dict[Place, int] = {
            (self._topics[p.topic], p.partition): (consumer.highwater(p) or 0) - self._following(p) for p in found
        }
        self._observe(
            Applied(
                records=len(batch), deltas=folded.deltas, parked=len(folded.parked), lags=lags,
                reached=[at for p in {place.partition: None for place in found} if (at := self._newest(p)) is not None],
                fold_s=folded_at - begun, acknowledge_s=acknowledged_at - folded_at,
                commit_s=time.perf_counter() - acknowledged_at,
            )
        )  # fmt: skip

    def _newest(self, partition: int) -> int | None:
        below = min(self._maintainer.covers(partition), self._maintainer.position("messages", partition))
        return self._reached.applied(partition, below)

    def _fetched(self, record: ConsumerRecord[bytes | None, bytes | None]) -> Fetched:
        space = space_of(record.key)
        return Fetched(
            topic=self._topics[record.topic], partition=record.partition, offset=record.offset, tenant=space.tenant,
            space=space.space, key=record.key, value=record.value or b"", headers=list(record.headers),
        )  # fmt: skip


class _Out:
    """Writes what a batch led to, and returns when the broker has it."""

    def __init__(self, producer: AIOKafkaProducer, source: Source, partitions: int, stop: asyncio.Event) -> None:
        self._producer = producer
        self._prefix = source.prefix
        self._stop = stop
        self.partition_of: Callable[[SpaceKey], int] = lru_cache(maxsize=100_000)(
            lambda space: (murmur2(space_key(space)) & 0x7FFFFFFF) % partitions
        )

    async def write(self, written: Mapping[Place, Sequence[Outgoing]]) -> None:
        """Write all, again and again while the broker is away; what it has taken by then is written twice, in order."""
        if not written:
            return
        stopped = asyncio.create_task(self._stop.wait())
        sent = asyncio.create_task(self._until_taken(written))
        try:
            await asyncio.wait({stopped, sent}, return_when=asyncio.FIRST_COMPLETED)
            if not sent.done():
                await asyncio.wait({sent}, timeout=STOP_S)
            if not sent.done():
                raise StoppedError("stopped while the broker took nothing: the last batch was not committed")
            await sent
        finally:
            stopped.cancel()
            sent.cancel()

    async def _until_taken(self, written: Mapping[Place, Sequence[Outgoing]]) -> None:
        while True:
            results = await asyncio.gather(*(self._send(place, items) for place, items in written.items()))
            failed = [error for error in results if error is not None]
            if not failed:
                return
            for error in failed:
                if not error.retriable:
                    raise error
            await asyncio.sleep(RETRY_S)

    async def _send(self, place: Place, items: Sequence[Outgoing]) -> KafkaError | None:
        """One partition's records, batch after batch; the error that keeps the broker from taking them."""
        topic, partition = broker_topic(self._prefix, place[0]), place[1]
        builder = self._producer.create_batch()
        try:
            for item in items:
                while builder.append(timestamp=None, key=item.key, value=item.value, headers=item.headers) is None:
                    await (await self._producer.send_batch(builder, topic, partition=partition))
                    builder = self._producer.create_batch()
            builder.close()
            await (await self._producer.send_batch(builder, topic, partition=partition))
        except KafkaError as error:
            return error
        return None


@asynccontextmanager
async def _consumer(source: Source) -> AsyncGenerator[AIOKafkaConsumer]:
    consumer = AIOKafkaConsumer(
        bootstrap_servers=source.bootstrap, group_id=None, enable_auto_commit=False, auto_offset_reset="none"
    )
    await consumer.start()
    try:
        yield consumer
    finally:
        try:
            await consumer.stop()
        except asyncio.CancelledError:
            # aiokafka 0.14 lets out the cancellation of its own fetch tasks when the broker is away. Ours goes on.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise


@asynccontextmanager
async def _producer(source: Source) -> AsyncGenerator[AIOKafkaProducer]:
    producer = AIOKafkaProducer(
        bootstrap_servers=source.bootstrap, acks="all", max_batch_size=PRODUCE_BATCH_BYTES,
        max_request_size=16 * 1024 * 1024,
    )  # fmt: skip
    await producer.start()
    try:
        yield producer
    finally:
        await asyncio.wait({asyncio.create_task(producer.stop())}, timeout=STOP_S)
