"""A stage folds a batch: what becomes a step, and what is parked. Nothing here waits or talks to a broker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from schemas.codec import BadRecordError, encode
from schemas.ids import SpaceKey
from schemas.parking import dead_letter, decoded
from schemas.topics import TopicName
from schemas.transport import Headers, dead_letter_headers, record_key

from ..log.partition import partition_of
from ..log.protocol import TableReader
from ..ports import Output, Stage
from ..state import OverlayState
from .step import Out, Step

STATE = "state"
"""Table of the stages' rows."""

STEP_OUTPUT_BYTES = 4 * 1024 * 1024
"""Records are left for the next step once this one's outputs are so large; the last record may go beyond it."""


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A record as it came from the broker (``schemas.parking.Raw``), with its key and headers."""

    topic: TopicName
    partition: int
    offset: int
    tenant: str
    space: str
    key: bytes | None
    value: bytes
    headers: Headers


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """A step that is not written yet, from how many records, how many of them parked."""

    step: Step
    records: int
    parked: int


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
    """

    def __init__(self, stage: Stage, tables: TableReader, prefix: bytes, partition: int, partitions: int) -> None:
        self._stage = stage
        self._prefix = prefix
        self._state = OverlayState(tables, STATE, prefix)
        self._partition = partition
        self._partitions = partitions

    def fold(self, batch: Sequence[Fetched], positions: Mapping[TopicName, int], now: int) -> Decided:
        """Fold records of one or several inputs, each input's without a gap from its position on.

        Args:
            batch: not empty. Its tail is left out of the step when the outputs grow too large.
            positions: of all inputs, before the batch.
            now: microseconds UTC.
        """
        following = dict(positions)
        outputs: list[Out] = []
        records = parked = size = 0
        for raw in batch:
            assert raw.offset == following[raw.topic], "a gap in what is folded"
            found, bad = self._apply(raw, now)
            outputs += found
            following[raw.topic] = raw.offset + 1
            records += 1
            parked += bad
            size += sum(len(out.value) for out in found)
            if size >= STEP_OUTPUT_BYTES:
                break
        return Decided(step=self._step(following, outputs), records=records, parked=parked)

    def tick(self, positions: Mapping[TopicName, int], now: int) -> Decided | None:
        """Let time pass; None when nothing came of it."""
        step = self._step(dict(positions), [_out(output) for output in self._stage.tick(self._state, now)])
        return Decided(step=step, records=0, parked=0) if step.outputs or step.changes else None

    def clear(self) -> None:
        """Forget the changes."""
        self._state.clear()

    def _apply(self, raw: Fetched, now: int) -> tuple[list[Out], bool]:
        """One record; a bad one is parked and leaves no trace in the state."""
        self._state.mark()
        try:
            entry = decoded(raw)
            self._check_place(entry.record.key)
            return [_out(output) for output in self._stage.apply(entry, self._state, now)], False
        except BadRecordError as error:
            self._state.rollback()
            letter = dead_letter(self._stage.name, raw, str(error), now)
            headers = dead_letter_headers(letter, raw.key, raw.headers)
            return [Out("dead-letters", record_key(letter), encode(letter), headers)], True

    def _check_place(self, space: SpaceKey) -> None:
        """A record elsewhere than where its space lives would be folded beside the space's other records."""
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


def _out(output: Output) -> Out:
    return Out(output.topic, record_key(output.record), encode(output.record), [])
