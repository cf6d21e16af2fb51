"""What time alone will change: an index of the instants at which a statement's status becomes another.

Kept beside the rows, so the next instant of all spaces is one seek and nothing is scanned when time passes. An instant
is pending when it lies after what has been told: the transaction time of the record that made the row, and the space's
clock (``ClockReached``). Older ones were in the row's own delta.

Two orders of one set, in one table: ``s`` space, instant, event for the fold, and ``t`` instant, space, event for the
timer; ``c`` is a space's clock. Rows do not depend on it, and it is no part of the checksum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from schemas.control import ClockReached
from schemas.ids import SpaceKey

from .rows import EventRow
from .state import ViewState
from .tables import Tables

_INSTANT = 8
_SHIFT = 1 << 63
"""Instants before 1970 are negative; shifted, they sort as bytes."""


def instants(row: EventRow | None) -> tuple[int, ...]:
    """When the status of an event may change by time alone, microseconds UTC, in order."""
    if row is None or row.corrected or row.withdrawal:
        return ()
    lapses = row.event.expected_until if row.event.modality == "planned" else None
    found = {row.valid_from, row.valid_until, row.demoted_from, lapses}
    return tuple(sorted(at for at in found if at is not None))


def keep(state: ViewState, prefix: bytes, event_id: str, old: EventRow | None, new: EventRow | None, told: int) -> None:
    """Follow the change of a row.

    Args:
        state: the cells of the view.
        prefix: the space.
        event_id: whose row it is.
        old: the row before.
        new: the row now.
        told: up to when statuses have been told, microseconds UTC; what lies before is pending no more.
    """
    if new is not None and _latest(new) <= told and (old is None or _latest(old) <= min(old.event.stated[0], told)):
        return  # most rows: whatever is to happen has happened, and was never pending
    before, after = instants(old), instants(new)
    if before == after:
        return
    # What changes is told as of ``told``, so nothing that lay before is to be told again. An instant at or before what
    # was said was never pending, so for the many that are so nothing is looked up.
    said = old.event.stated.sent_at if old is not None else told
    for at in before:
        if (at > told and at not in after) or said < at <= told:
            _put(state, prefix, event_id, at, pending=False)
    for at in after:
        if at > told and at not in before:
            _put(state, prefix, event_id, at, pending=True)


def _latest(row: EventRow) -> int:
    """No instant of the row lies later."""
    latest = row.valid_from
    for at in (row.valid_until, row.demoted_from, row.event.expected_until):
        if at is not None and at > latest:
            latest = at
    return latest


def due(tables: Tables, now: int, most: int) -> Iterator[tuple[int, SpaceKey]]:
    """The committed pending instants up to ``now``, in order, each with its space, once.

    At most ``most`` entries are looked at.
    """
    last: tuple[int, SpaceKey] | None = None
    for key, _ in islice(tables.scan("pending", b"t"), most):
        at = _instant(key[1 : 1 + _INSTANT])
        if at > now:
            return
        found = at, _space(key[1 + _INSTANT :])
        if found != last:
            yield found
        last = found


def clock_records(due: Iterable[tuple[int, SpaceKey]]) -> list[ClockReached]:
    """What a timer writes for instants that have passed, in order: what it missed while it was down is caught up so.

    One timer writes them: the embedded processors, and on Kafka the view worker that writes deltas. Two do no harm: a
    record says which instant was reached, and the view passes over one it has reached already.
    """
    ordered = sorted(set(due))
    return [ClockReached(tenant=space.tenant, space=space.space, at=at) for at, space in ordered]


def reached(state: ViewState, prefix: bytes, at: int) -> Iterator[tuple[int, str]]:
    """Take out the space's instants up to ``at``; yields them in order, each with the event it is of."""
    own = b"s" + prefix
    for key, _ in list(state.pending.scan(own)):
        instant = _instant(key[len(own) : len(own) + _INSTANT])
        if instant > at:
            return
        event_id = key[len(own) + _INSTANT :].decode()
        _put(state, prefix, event_id, instant, pending=False)
        yield instant, event_id


def clock_of(state: ViewState, prefix: bytes) -> int:
    """The latest instant that the space's clock has reached; 0 before the first."""
    return state.pending.get(b"c" + prefix)


def set_clock(state: ViewState, prefix: bytes, at: int) -> None:
    """Let it reach an instant."""
    state.pending.put(b"c" + prefix, at)


def forget(state: ViewState, prefix: bytes) -> None:
    """Take out everything of a space, before its rows are dropped."""
    for _ in reached(state, prefix, _SHIFT - 1):
        pass
    set_clock(state, prefix, 0)


def _put(state: ViewState, prefix: bytes, event_id: str, at: int, *, pending: bool) -> None:
    instant = (at + _SHIFT).to_bytes(_INSTANT, "big")
    state.pending.put(b"s" + prefix + instant + event_id.encode(), int(pending))
    state.pending.put(b"t" + instant + prefix + event_id.encode(), int(pending))


def _instant(raw: bytes) -> int:
    return int.from_bytes(raw, "big") - _SHIFT


def _space(raw: bytes) -> SpaceKey:
    """The space a key names: ``space_prefix`` read back."""
    length = int.from_bytes(raw[:2], "big")
    tenant, _, space = raw[2 : 2 + length].decode().partition("/")
    return SpaceKey(tenant, space)
