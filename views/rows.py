"""The rows of the validity view: what is derived for each live event and edge, and what a read makes of them."""

from __future__ import annotations

import msgspec

from schemas.deltas import Status as Status
from schemas.edges import Edge, UpdateKind
from schemas.events import Event


class Superseder(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """A support: a live event that effectively supersedes, by an ``updates`` edge of this kind."""

    event_id: str
    edge_id: str
    kind: UpdateKind


class EventRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A live event with its derived intervals and supports. Instants in microseconds UTC.

    Attributes:
        event: the merged assertion (fields of the smallest producer id).
        producers: ids of every producer whose live set holds it, sorted.
        session_ids: sessions (or ``batch:…``) whose live sets hold it, sorted.
        valid_from: since when it holds.
        valid_until: half-open end, None while open. Less than or equal to valid_from: never in force.
        superseders: effective superseders, sorted by (event id, edge id).
        superseded: whether an update (not merely its own end) closes it.
        corrected: wrong from the start; the interval is empty.
        withdrawal: it only takes something back; never itself served as state.
        demoted_from: since when v is at most 0.5 because a cause was superseded; None = never.
        demoters: ids of the causes/enables edges whose source is superseded, sorted.
        contradicts: ids of live events joined by a live contradicts edge, sorted.
        breaks_from: since when an update of it puts what it causes or enables in doubt; None while it stands.
    """

    event: Event
    producers: tuple[str, ...]
    session_ids: tuple[str, ...]
    valid_from: int
    valid_until: int | None
    superseders: tuple[Superseder, ...]
    superseded: bool
    corrected: bool
    withdrawal: bool
    demoted_from: int | None
    demoters: tuple[str, ...]
    contradicts: tuple[str, ...]
    breaks_from: int | None = None


class EdgeRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A live edge. ``invalid_from``: since when a causes/prevents edge is invalid (Eq. 12); None = never.

    ``effective``: for ``updates``, whether it supersedes (section 4 of the design); False for other relations.
    ``producers``: who asserts it, sorted; ``accepted`` when an analyst does.
    """

    edge: Edge
    producers: tuple[str, ...]
    accepted: bool
    effective: bool
    invalid_from: int | None


def status_at(row: EventRow, at: int) -> Status:
    """The one status of a live event at an instant; the eight statuses are disjoint and complete.

    ``not_yet`` wins over everything but ``corrected`` and ``withdrawn``: an interval that has not begun has not ended.
    """
    if row.corrected:
        return "corrected"
    if row.withdrawal:
        return "withdrawn"
    if row.valid_until is not None and at >= row.valid_until:
        return "superseded" if row.superseded else "ended"
    if at < row.valid_from:
        return "not_yet"
    event = row.event
    if event.modality == "planned" and event.expected_until is not None and at >= event.expected_until:
        return "lapsed"
    if row.demoted_from is not None and at >= row.demoted_from:
        return "partial"
    return "valid"


def validity_at(row: EventRow, at: int) -> float:
    """v(o, t) of the design, section 4: 0, 0.5 or 1. Lapsed plans keep their v; an event not yet begun has v = 1."""
    if row.valid_until is not None and at >= row.valid_until:
        return 0.0
    if row.demoted_from is not None and at >= row.demoted_from:
        return 0.5
    return 1.0


def in_force(row: EventRow, at: int) -> bool:
    """Whether it belongs to state(T): ``valid_from <= at < valid_until``, and it is not a mere withdrawal."""
    return not row.withdrawal and row.valid_from <= at and (row.valid_until is None or at < row.valid_until)
