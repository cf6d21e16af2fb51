"""Runs one stage over one partition: takes over where its steps end, then step after step, until it is told to stop.

A step is (1) folded in a thread, so that no model call holds the loop up, (2) written to the steps topic, which decides
it, (3) its outputs are written, (4) state and cursor are committed to the local store. kill -9 before 2 leaves no
trace; after 2 the next owner finds the step and writes its outputs again, the same bytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from schemas.fetched import Fetched
from schemas.topics import TopicName
from schemas.transport import broker_topic, space_of

from ..ports import Output, Stage
from .broker import BrokerAwayError, Stored
from .errands import Errand, Errands, Running
from .fold import STATE, Decided, Folder, GivenUpError, Pace
from .inbox import Inbox
from .local import state_prefix
from .ranges import LogLostError as LogLostError
from .ranges import check_range
from .step import PART_BYTES, Out, Step, StepReader, out_of, split_step, steps_topic
from .surroundings import REST_MAX_S
from .surroundings import Ran as Ran
from .surroundings import Surroundings as Surroundings

BATCH_RECORDS = 256
"""Most records of a step, of each input."""

STEP_S = 1.0
"""A step ends at the first record after so long: what it has is then written, and others read it."""

IDLE_S = 5.0
"""How long a runner that is told nothing waits before it looks again."""

READ_RECORDS = 500
"""Read at once at a takeover or when lagging."""

RETRY_S = 1.0
RETRIES = 60
"""In a row without a step in between. Then the process ends; a restart resumes where it was."""


class FencedError(Exception):
    """Somebody else wrote a step: what was folded does not count. The state is read again."""


class Runner:
    """One stage in one partition. ``run`` it once; it is ``take_over``, then ``step`` after ``step``.

    Args:
        stage: an instance nobody else uses.
        partition: which part of every topic.
        around: what it shares with the worker's other runners.
        errands: of the stage, when it has any.
    """

    def __init__(self, stage: Stage, partition: int, around: Surroundings, errands: Errands | None = None) -> None:
        self._stage = stage
        self._partition = partition
        self._around = around
        self._prefix = state_prefix(stage.name, partition)
        self._topic = steps_topic(around.prefix, stage.name)
        self._folder = Folder(
            stage, around.states, self._prefix, partition, around.partitions,
            newest_only=stage.name in around.newest_only,
        )  # fmt: skip
        self._positions: Mapping[TopicName, int] = {}
        self._end = 0
        self._inbox = Inbox(stage.inputs)
        self._stop = asyncio.Event()
        self._tells_time = stage.name not in around.timeless
        self._acts = stage.name in around.acting
        self._ticked = float("-inf")
        self._deciding = False
        self._owed: Mapping[TopicName, int] = {}
        self._running = None if errands is None else self._beside(errands)
        self.ready = asyncio.Event()

    def offer(self, topic: TopicName, record: Stored) -> None:
        """The consumer group delivered a record. Returns at once."""
        self._inbox.offer(self._fetched(topic, record))

    @property
    def lag(self) -> int:
        """Records that wait, of all inputs."""
        return self._inbox.lag(self._positions)

    @property
    def in_flight(self) -> int:
        """Errands that are under way, and the step that is being folded or written."""
        return self._deciding + (0 if self._running is None else self._running.in_flight)

    def stop(self) -> None:
        """Ask it to end: a step that is being folded is given up after the record it is at, one that is being written
        is finished, errands are given up."""
        self._stop.set()
        self._inbox.arrived.set()

    async def run(self) -> None:
        """Until ``stop``.

        Raises:
            LogLostError: the broker no longer holds what the stage needs.
            BrokerAwayError: for too long.
            FencedError: again and again: another group runs the same stage.
            KafkaError: the broker refuses us for good.
            Exception: the stage failed at a record for the first time (``schemas.faults``).
        """
        try:
            await self._run()
        finally:
            if self._running is not None:
                await self._running.stop()

    async def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            try:
                await self.take_over()
                while not self._stop.is_set():
                    if await self.step():
                        failures = 0
            except (FencedError, BrokerAwayError):
                failures += 1
                if failures > RETRIES:
                    raise
                await _sleep_unless(self._stop, RETRY_S)
            finally:
                self._folder.clear()

    async def take_over(self) -> None:
        """Fold the steps that are not in the local state; write the outputs of the last one again."""
        around, cursor = self._around, self._around.states.cursor(self._prefix, self._stage.inputs)
        ((start, end),) = await around.broker.ranges([self._topic], self._partition)
        check_range(self._topic, self._partition, start, cursor.steps, end)
        reader, last, following = StepReader(), None, cursor.steps
        while following < end:
            for record in await around.broker.read(self._topic, self._partition, following, end, READ_RECORDS):
                following = record.offset + 1
                step = reader.feed(record.offset, record.value)
                if step is not None:
                    if last is not None:
                        cursor = around.states.commit(self._prefix, *last)
                    last = (step, following)
        if last is not None:
            await self._write(last[0])
            cursor = around.states.commit(self._prefix, *last)
        # An input that the stage did not have when its last step was taken is read from the beginning.
        self._positions = {topic: cursor.positions.get(topic, 0) for topic in self._stage.inputs}
        self._end = end
        names = [broker_topic(around.prefix, topic) for topic in self._positions]
        ranges = await around.broker.ranges(names, self._partition)
        for (topic, position), name, (start, end) in zip(self._positions.items(), names, ranges, strict=True):
            check_range(name, self._partition, start, position, end)
            self._inbox.announce(topic, end)
        self._owed = {topic: end for topic, (_, end) in zip(self._positions, ranges, strict=True)}
        self.ready.set()

    async def step(self) -> bool:
        """Whatever is to be done now; waits a little when that is nothing. Time passes also under load."""
        self._inbox.arrived.clear()
        self._run_errands()
        around = self._around
        if self._acts and self._is_time() and await self._tick():
            return True
        batch = self._inbox.take(self._positions, BATCH_RECORDS) or await self._read_missing()
        if batch:  # what is due by now goes out with it: another step would cost as much again
            return await self._fold(batch, ticks=self._tells_time and not self._acts)
        if not self._acts and self._is_time() and await self._tick():
            return True
        await _sleep_unless(self._inbox.arrived, around.tick_s if self._tells_time else IDLE_S)
        return False

    def _is_time(self) -> bool:
        """Whether the stage is to be told that time passes, which it is at most once a ``tick_s``."""
        now = asyncio.get_running_loop().time()
        if not self._tells_time or now - self._ticked < self._around.tick_s:
            return False
        self._ticked = now
        return True

    async def _tick(self) -> bool:
        return await self._decide(lambda now: self._folder.tick(self._positions, now))

    async def _fold(self, batch: Sequence[Fetched], *, ticks: bool) -> bool:
        time = asyncio.get_running_loop().time
        begun, before = time(), self._positions
        pace = Pace(self._stop.is_set, lambda: time() > begun + STEP_S)
        decided = await self._decide(lambda now: self._folder.fold(batch, before, now, pace, ticks=ticks))
        self._inbox.put_back([raw for raw in batch if raw.offset >= self._positions[raw.topic]])
        rest = min(self._around.rest * (time() - begun), REST_MAX_S)
        if rest and len(batch) < BATCH_RECORDS:
            await _sleep_unless(self._stop, rest)
        return decided

    def _run_errands(self) -> None:
        """Start what is open, once the results that were there at the takeover are known."""
        if self._running is not None and all(self._positions[topic] >= end for topic, end in self._owed.items()):
            self._running.start()

    def _beside(self, errands: Errands) -> Running:
        def look() -> Iterator[Errand]:
            return errands.open(self._around.states, STATE, self._prefix)

        return Running(errands, look, self._write_result, self._inbox.arrived.set)

    async def _write_result(self, output: Output) -> None:
        """Write what an errand led to, again and again while the broker is away: it may have been paid for."""
        topic = broker_topic(self._around.prefix, output.topic)
        while True:
            try:
                await self._around.broker.write(topic, self._partition, [out_of(output)])
            except BrokerAwayError:
                await asyncio.sleep(RETRY_S)
            else:
                return

    async def _read_missing(self) -> list[Fetched]:
        gap = self._inbox.missing(self._positions)
        if gap is None:
            return []
        topic, first, end = gap
        name = broker_topic(self._around.prefix, topic)
        read = await self._around.broker.read(name, self._partition, first, end, READ_RECORDS)
        return [self._fetched(topic, record) for record in read]

    async def _decide(self, fold: Callable[[int], Decided | None]) -> bool:
        """One step; False when nothing came of it."""
        self._deciding = True
        try:
            return await self._decided(fold)
        finally:
            self._deciding = False

    async def _decided(self, fold: Callable[[int], Decided | None]) -> bool:
        """Fold in a thread, then write and commit what came of it."""
        around, loop = self._around, asyncio.get_running_loop()
        begun = loop.time()
        try:
            decided = await loop.run_in_executor(around.threads, fold, around.clock())
        except GivenUpError:
            decided = None
        if decided is None:
            self._folder.clear()
            return False
        folded = loop.time()
        step = decided.step
        for value in split_step(step, self._end, PART_BYTES):
            offset = await around.broker.append(self._topic, self._partition, value)
            if offset != self._end:
                raise FencedError(f"{self._topic}/{self._partition}: wrote at {offset}, expected {self._end}")
            self._end += 1
        await self._write(step)
        self._positions = around.states.commit(self._prefix, step, self._end).positions
        self._folder.clear()
        around.observe(
            Ran(
                stage=self._stage.name, partition=self._partition, records=decided.records,
                outputs=len(step.outputs) - decided.parked, parked=decided.parked, lag=self.lag,
                fold_s=folded - begun, write_s=loop.time() - folded, faulted=decided.faulted,
                left_out=decided.left_out, told=decided.told,
            )
        )  # fmt: skip
        if decided.fault is not None:
            raise decided.fault
        return True

    async def _write(self, step: Step) -> None:
        """The outputs, topic after topic, each in order."""
        by_topic: dict[TopicName, list[Out]] = {}
        for out in step.outputs:
            by_topic.setdefault(out.topic, []).append(out)
        for topic, outs in by_topic.items():
            await self._around.broker.write(broker_topic(self._around.prefix, topic), self._partition, outs)

    def _fetched(self, topic: TopicName, record: Stored) -> Fetched:
        space = space_of(record.key)
        return Fetched(
            topic=topic, partition=self._partition, offset=record.offset, tenant=space.tenant, space=space.space,
            key=record.key, value=record.value, headers=record.headers,
        )  # fmt: skip


async def _sleep_unless(event: asyncio.Event, seconds: float) -> None:
    """Wait, but no longer than until the event is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
