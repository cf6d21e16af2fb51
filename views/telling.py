"""The deltas of one record: what became different, and what that means for who relies on it.

A delta tells statuses at one instant: the later of the record's transaction time and the space's clock. An event whose
row is as before is told as well when what contradicts it came or went.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from schemas.control import ClockReached
from schemas.deltas import Cause, EventChanged
from schemas.ids import SpaceKey

from .deltas import event_delta
from .held import EventState, space_prefix
from .pending import clock_of, keep, reached, set_clock
from .reasons import ABSENT, RowOf, standing
from .rows import EventRow
from .state import ViewState


def event_deltas(
    space: SpaceKey,
    old: Mapping[str, EventRow | None],
    row_before: RowOf,
    cells: Mapping[str, EventState],
    cause: Cause,
    learned_at: int,
    at: int,
) -> Iterator[EventChanged]:
    """Deltas of events, in id order.

    Args:
        space: its tenant and space.
        old: the rows that were put, as they were, in id order.
        row_before: rows as they were.
        cells: of events as they are.
        cause: the record.
        learned_at: its transaction time.
        at: the instant of the statuses that are told.
    """

    def row_of(event_id: str) -> EventRow | None:
        return cells[event_id].row

    opposed: dict[str, None] = {}
    for event_id, row in old.items():
        now = cells[event_id].row
        if row is not None and row.contradicts:
            opposed |= dict.fromkeys(row.contradicts)
        if now is not None and now.contradicts:
            opposed |= dict.fromkeys(now.contradicts)
    for event_id in sorted({**old, **opposed}) if opposed else old:
        before, after = old[event_id] if event_id in old else row_before(event_id), cells[event_id].row
        delta = event_delta(
            space, event_id, before, after,
            ABSENT if before is None else standing(before, row_before, at),
            ABSENT if after is None else standing(after, row_of, at),
            cause, learned_at,
        )  # fmt: skip
        if delta is not None:
            yield delta


def told_until(state: ViewState, prefix: bytes, learned_at: int) -> int:
    """Until when statuses are told by a record: its transaction time, or the clock where that is ahead."""
    return max(learned_at, clock_of(state, prefix))


def note_pending(
    state: ViewState, prefix: bytes, old: Mapping[str, EventRow | None], cells: Mapping[str, EventState], told: int
) -> None:
    """Remember what time alone will change of the rows that were put."""
    for event_id, row in old.items():
        keep(state, prefix, event_id, row, cells[event_id].row, told)


def fold_clock(state: ViewState, record: ClockReached, cause: Cause) -> Iterator[EventChanged]:
    """Let time pass; yields what changed by it, instant by instant.

    A time that the clock has reached already changes nothing: two timers may write the same.
    """
    space, prefix = record.key, space_prefix(record.key)
    if record.at <= clock_of(state, prefix):
        return
    set_clock(state, prefix, record.at)

    def row_of(event_id: str) -> EventRow | None:
        return state.events.get(prefix + event_id.encode()).row

    passed: dict[int, dict[str, None]] = {}
    for instant, event_id in reached(state, prefix, record.at):
        row = row_of(event_id)
        passed.setdefault(instant, {}).update(dict.fromkeys((event_id, *(() if row is None else row.contradicts))))
    for instant, events in sorted(passed.items()):
        for event_id in sorted(events):
            row = row_of(event_id)
            before, after = standing(row, row_of, instant - 1), standing(row, row_of, instant)
            delta = event_delta(space, event_id, row, row, before, after, cause, record.at)
            if delta is not None:
                yield delta
