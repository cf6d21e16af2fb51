"""The embedded processors: the same stages a Kafka worker runs, driven from the local log.

A step reads a few records of one input, folds them, and commits outputs, stage state and input position in one write.
kill -9 between two steps loses nothing; inside a step it undoes the step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from ops.observing import SILENT, Folded, Lag, Observer
from schemas.codec import encode
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.guard import Guarded, apply_guarded
from streams.llm.desk import about_model
from streams.log import Log, LogEntry
from streams.log.protocol import Batch
from streams.parts import left_out
from streams.ports import Output, Stage
from streams.sessions.publish import newest_only
from streams.sessions.stage import Sessionize
from streams.state import OverlayState

_STATE = "stages"

STAGES_FORMAT = 1
"""Number of the layout of the stages' rows. A change of any stage's keys or rows raises it and says so in the
changelog; the stage must then read the former rows, or a store of the former number is refused."""

_POSITIONS = "positions"


def read_position(log: Log, consumer: str, topic: TopicName, partition: int) -> int:
    """Next offset of a consumer of the log; 0 when it never read."""
    raw = log.get(_POSITIONS, _position_key(consumer, topic, partition))
    return 0 if raw is None else int.from_bytes(raw, "big")


def write_position(batch: Batch, consumer: str, topic: TopicName, partition: int, offset: int) -> None:
    """Move a consumer's position as part of a batch."""
    batch.put(_POSITIONS, _position_key(consumer, topic, partition), offset.to_bytes(8, "big"))


def lag(log: Log, consumer: str, topic: TopicName, partition: int) -> Lag:
    """How far a consumer of the log is behind the end."""
    position = read_position(log, consumer, topic, partition)
    return Lag(stage=consumer, topic=topic, partition=partition, records=max(0, log.end(topic, partition) - position))


def stage_state(log: Log, stage: str) -> OverlayState:
    """The rows of a stage. While it is in use, the stage must not run."""
    return OverlayState(log, _STATE, stage.encode() + b"/")


def _position_key(consumer: str, topic: TopicName, partition: int) -> bytes:
    return msgspec.msgpack.encode((consumer, topic, partition))


class StageRunner:
    """Drives one stage from the log.

    Args:
        log: with its inputs, outputs and state.
        stage: an instance nobody else uses.
        batch_records: most records of a step, of each input's partition.
        observer: told of every step.
        step_s: a step ends at the first record after so many seconds, and the rest is left to the next one: whoever
            waits for the lock, or for an end, waits for no backlog. None: as long as it takes.
    """

    def __init__(
        self, log: Log, stage: Stage, batch_records: int, observer: Observer = SILENT, step_s: float | None = None
    ) -> None:
        self._step_s = step_s
        self._log = log
        self._stage = stage
        self._batch_records = batch_records
        self._observer = observer
        self._state = stage_state(log, stage.name)

    def step(self, now: int) -> int:
        """Fold what is waiting on every input, a batch of each; returns how many records were read."""
        done = 0
        for topic in self._stage.inputs:
            for partition in range(self._log.partitions):
                start = read_position(self._log, self._stage.name, topic, partition)
                read = self._log.read(topic, partition, start, self._batch_records)
                if read:
                    done += self._fold(topic, partition, read, now)
        return done

    def lags(self) -> Iterator[Lag]:
        """What is waiting on every input."""
        for topic in self._stage.inputs:
            for partition in range(self._log.partitions):
                yield lag(self._log, self._stage.name, topic, partition)

    def tick(self, now: int) -> int:
        """Let time pass; returns how many records came of it."""
        return self._emit(lambda: self._stage.tick(self._state, now), now)

    def flush(self, now: int, space: SpaceKey | None) -> int:
        """Publish and close open sessions; only for sessionize."""
        stage = self._stage
        assert isinstance(stage, Sessionize), "only sessions are open"
        return self._emit(lambda: stage.flush(self._state, now, space), now)

    def _emit(self, produce: Callable[[], Sequence[Output]], now: int) -> int:
        try:
            outputs = produce()
            with self._log.batch() as batch:
                self._append(batch, outputs, now)
                self._state.write_to(batch)
        finally:
            self._state.clear()
        return len(outputs)

    def _fold(self, topic: TopicName, partition: int, read: Sequence[LogEntry], now: int) -> int:
        """One batch; returns how many records were folded.

        It ends before a record at which the stage fails for the first time; that fault is raised.
        """
        begun = time.perf_counter()
        done: list[Guarded] = []
        fault: Exception | None = None
        try:
            for entry in read:
                guarded = apply_guarded(self._stage, entry, self._state, now)
                if guarded.fault is not None:
                    fault = guarded.fault
                    break
                done.append(guarded)
                if self._step_s is not None and time.perf_counter() - begun > self._step_s:
                    break
            outputs = newest_only([output for guarded in done for output in _outputs(guarded)])
            with self._log.batch() as batch:
                self._append(batch, outputs, now)
                self._state.write_to(batch)
                if done:
                    write_position(batch, self._stage.name, topic, partition, read[len(done) - 1].offset + 1)
        finally:
            self._state.clear()
        self._tell(done, outputs, time.perf_counter() - begun)
        if fault is not None:
            raise fault
        return len(done)

    def _tell(self, done: Sequence[Guarded], outputs: Sequence[Output], seconds: float) -> None:
        parked = sum(guarded.letter is not None for guarded in done)
        self._observer.folded(
            Folded(
                stage=self._stage.name, read=len(done), written=len(outputs) - parked, parked=parked,
                faulted=sum(guarded.faulted for guarded in done), seconds=seconds, left_out=left_out(outputs),
            )
        )  # fmt: skip
        for told in about_model(outputs):
            self._observer.model_told(told)

    @staticmethod
    def _append(batch: Batch, outputs: Sequence[Output], now: int) -> None:
        for output in outputs:
            batch.append(output.topic, output.record.key, encode(output.record), now)


def _outputs(guarded: Guarded) -> Sequence[Output]:
    """What is written of a record: its outputs, or its letter."""
    if guarded.letter is None:
        return guarded.outputs
    return (Output(topic="dead-letters", record=guarded.letter),)
