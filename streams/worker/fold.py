"""A stage folds a batch: what becomes a step, and what is parked. Nothing here waits or talks to a broker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from schemas.asking import AskWithdrawn, ReplyRead
from schemas.codec import BadRecordError, encode
from schemas.dead_letters import DeadLetter
from schemas.entry import Entry
from schemas.fetched import Fetched
from schemas.parking import dead_letter
from schemas.topics import TopicName
from schemas.transport import RECORD_MAX_BYTES, carried, record_key

from ..guard import Guarded, apply_guarded
from ..log.partition import partition_of
from ..log.protocol import TableReader
from ..ports import Stage
from ..state import OverlayState
from .made import Made
from .newest import replaced
from .step import Out, Step, out_of

STATE = "state"
"""Table of the stages' rows."""

OUTPUT_MAX_BYTES = RECORD_MAX_BYTES - 8 * 1024
"""Of an output: the rest is for its key and for what the batch around it takes."""


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """A step that is not written yet, from how many records, how many of them parked, and of these after a fault.

    ``left_out``: statements (``streams.parts.left_out``). ``told``: see ``streams.llm.desk.about_model``.
    ``fault``: the stage failed for the first time at the record that follows; raise it once the step is committed.
    """

    step: Step
    records: int
    parked: int
    faulted: int = 0
    left_out: int = 0
    fault: Exception | None = None
    told: tuple[ReplyRead | AskWithdrawn, ...] = ()


class GivenUpError(Exception):
    """It was told to stop. Nothing of the step was decided; whoever comes next folds the same records."""


class Pace(msgspec.Struct, frozen=True):
    """When to leave a batch. Both are asked after each record; one record is never interrupted.

    ``stop``: give the step up. ``enough``: end the step here and leave the rest to the next one, so that what is done
    goes out and time passes between.
    """

    stop: Callable[[], bool]
    enough: Callable[[], bool]


UNHURRIED = Pace(lambda: False, lambda: False)


class Folder:
    """One stage over one partition. One thread at a time.

    The state's changes stay in memory until ``clear``: call it when the step's changes are in the table, or are given
    up.

    Args:
        stage: an instance nobody else uses.
        tables: with the table ``STATE``.
        prefix: of this stage's and partition's rows.
        partition: which part of every topic.
        partitions: how many every topic has.
        newest_only: whether the stage need not see a session's set when a later one of the batch replaces it.
    """

    def __init__(
        self,
        stage: Stage,
        tables: TableReader,
        prefix: bytes,
        partition: int,
        partitions: int,
        *,
        newest_only: bool = False,
    ) -> None:
        self._stage = stage
        self._prefix = prefix
        self._state = OverlayState(tables, STATE, prefix)
        self._partition = partition
        self._partitions = partitions
        self._newest_only = newest_only

    def fold(
        self,
        batch: Sequence[Fetched],
        positions: Mapping[TopicName, int],
        now: int,
        pace: Pace = UNHURRIED,
        *,
        ticks: bool = False,
    ) -> Decided:
        """Fold records of one or several inputs, each input's without a gap from its position on.

        Args:
            batch: not empty. Its tail is left out of the step when the outputs grow too large, or it takes too long.
            positions: of all inputs, before the batch.
            now: microseconds UTC.
            pace: when it takes too long.
            ticks: time passes afterwards, in the same step.

        Raises:
            GivenUpError: see there.
        """
        older = replaced(batch) if self._newest_only else {}
        decided = self._fold(batch, positions, now, older, pace)
        if decided is None:
            self._state.clear()
            decided = self._fold(batch, positions, now, {}, pace)
        assert decided is not None, "nothing was passed over"
        return self._ticked(decided, now) if ticks and decided.fault is None else decided

    def _ticked(self, decided: Decided, now: int) -> Decided:
        outputs = [out_of(output) for output in self._stage.tick(self._state, now)]
        step = self._step(decided.step.positions, [*decided.step.outputs, *outputs])
        return msgspec.structs.replace(decided, step=step)

    def _fold(
        self,
        batch: Sequence[Fetched],
        positions: Mapping[TopicName, int],
        now: int,
        older: Mapping[int, int],
        pace: Pace,
    ) -> Decided | None:
        """Without the ``older`` ones; None when one of them counts after all: what replaces it is parked, or a fault.

        It cannot be folded afterwards: what a stage publishes of a later record must have a higher revision.
        """
        following = dict(positions)
        made = Made()
        waiting: list[int] = []
        folded: set[int] = set()
        fault: Exception | None = None
        for number, raw in enumerate(batch):
            assert raw.offset == following[raw.topic], "a gap in what is folded"
            if number in older:
                waiting.append(number)
            else:
                guarded = self._apply(raw, now, made)
                if guarded.fault is not None:
                    fault = guarded.fault
                    break
                if guarded.letter is None:
                    folded.add(number)
            following[raw.topic] = raw.offset + 1
            made.records += 1
            if pace.stop():
                raise GivenUpError
            if (made.is_full() or pace.enough()) and all(older[n] <= number for n in waiting):
                break
        if any(older[number] not in folded for number in waiting):
            return None
        step = self._step(following, made.outputs(claims_last=bool(waiting)))
        return Decided(
            step=step, records=made.records, parked=made.parked, faulted=made.faulted, left_out=made.left_out,
            fault=fault, told=made.told,
        )  # fmt: skip

    def tick(self, positions: Mapping[TopicName, int], now: int) -> Decided | None:
        """Let time pass; None when nothing came of it."""
        step = self._step(dict(positions), [out_of(output) for output in self._stage.tick(self._state, now)])
        return Decided(step=step, records=0, parked=0) if step.outputs or step.changes else None

    def clear(self) -> None:
        """Forget the changes."""
        self._state.clear()

    def _apply(self, raw: Fetched, now: int, made: Made) -> Guarded:
        """One record, and what is written of it. What no topic takes would be tried for ever: its record is parked."""
        guarded = apply_guarded(self._stage, raw, self._state, now, self._check_place)
        found = [(output, out_of(output)) for output in guarded.outputs]
        large = next((out for _, out in found if len(out.value) > OUTPUT_MAX_BYTES), None)
        if large is not None:
            self._state.rollback()
            error = f"what comes of it on {large.topic} has {len(large.value)} bytes, the limit is {OUTPUT_MAX_BYTES}"
            guarded = Guarded(letter=dead_letter(self._stage.name, raw, error, now))
        made.add([] if guarded.letter is not None else found)
        if guarded.letter is not None:
            made.park(_parked(guarded.letter, raw), faulted=guarded.faulted)
        return guarded

    def _check_place(self, entry: Entry) -> None:
        """A record elsewhere than where its space lives would be folded beside the space's other records."""
        space = entry.record.key
        belongs = partition_of(space, self._partitions)
        if belongs != self._partition:
            raise BadRecordError(
                f"space {space} lives in partition {belongs}, not {self._partition}: key records by tenant/space and "
                "partition them by murmur2"
            )

    def _step(self, positions: dict[TopicName, int], outputs: list[Out]) -> Step:
        changes = _Changes(len(self._prefix))
        self._state.write_to(changes)
        return Step(positions=positions, changes=changes.rows, outputs=outputs)


class _Changes:
    """What ``OverlayState.write_to`` needs of a batch; keys without the prefix, which is this process's own affair."""

    def __init__(self, head: int) -> None:
        self.rows: list[tuple[bytes, bytes | None]] = []
        self._head = head

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self.rows.append((key[self._head :], value))

    def delete(self, table: str, key: bytes) -> None:
        self.rows.append((key[self._head :], None))


def _parked(letter: DeadLetter, raw: Fetched) -> Out:
    carrying, headers = carried(letter, raw.key, raw.headers)
    return Out("dead-letters", record_key(carrying), encode(carrying), headers)
