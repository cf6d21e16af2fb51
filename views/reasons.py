"""What a change of an event means for who relies on it: its status before and after, and the one word for it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from schemas.deltas import Reason, Status

from .rows import EventRow, in_force, status_at

RowOf = Callable[[str], EventRow | None]

_HOLD: frozenset[Status | None] = frozenset({"valid", "partial"})
"""Statuses on which one may rely. A lapsed plan is not among them: its outcome is unknown."""


class Standing(msgspec.Struct, frozen=True, gc=False):
    """How an event stands at an instant: its status (None: not live), and whether anything that holds opposes it."""

    status: Status | None
    contested: bool


ABSENT = Standing(status=None, contested=False)


def standing(row: EventRow | None, row_of: RowOf, at: int) -> Standing:
    """How an event stands.

    Args:
        row: its row, None while it is not live.
        row_of: rows of live events, as they were or are when it is asked about.
        at: valid time, microseconds UTC.
    """
    if row is None:
        return ABSENT
    return Standing(status_at(row, at), bool(row.contradicts) and _is_contested(row, row_of, at))


def _is_contested(row: EventRow, row_of: RowOf, at: int) -> bool:
    if not in_force(row, at):
        return False
    others = (row_of(event_id) for event_id in row.contradicts)
    return any(other is not None and in_force(other, at) for other in others)


def reason_of(before: Standing, after: Standing) -> Reason:
    """The word for a change; the most telling one where several fit."""
    old, new = before.status, after.status
    if old is not None and new != old and new in ("corrected", "lapsed"):
        return "corrected" if new == "corrected" else "lapsed"
    if (old in _HOLD) != (new in _HOLD):
        return "+valid" if new in _HOLD else "-valid"
    if old is None or new is None:
        return "appeared" if old is None else "went"
    if old != new and new in _HOLD:
        return "doubted" if new == "partial" else "risen"
    if before.contested != after.contested:
        return "contested" if after.contested else "settled"
    return "changed"
