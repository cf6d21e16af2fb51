"""Topic ``deltas``: changes of the view, keyed by what changed, each with its cause."""

from __future__ import annotations

import msgspec

from .record import Record


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """The record that led to the change."""

    topic: str
    partition: int
    offset: int


class Validity(msgspec.Struct, frozen=True, kw_only=True):
    """Derived validity of an event, as intervals: instants in microseconds UTC, None = open or never.

    ``demoted_from``: since when v is at most 0.5, by a superseded cause (section II-D of the paper).
    """

    valid_from: int
    valid_until: int | None
    demoted_from: int | None
    corrected: bool
    withdrawal: bool
    superseded_by: tuple[str, ...]
    contested_by: tuple[str, ...]


class EventChanged(Record, frozen=True, kw_only=True, tag="event_changed"):
    """An event appeared (old None), changed, or went (new None)."""

    event_id: str
    old: Validity | None
    new: Validity | None
    cause: Cause
    learned_at: int


class EdgeChanged(Record, frozen=True, kw_only=True, tag="edge_changed"):
    """An edge appeared, went, or was invalidated (``invalid_from``, Eq. 12). ``live`` tells which."""

    edge_id: str
    was_live: bool
    live: bool
    old_invalid_from: int | None
    invalid_from: int | None
    cause: Cause
    learned_at: int


DeltaRecord = EventChanged | EdgeChanged
