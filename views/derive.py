"""Derived validity of one event and one edge from their neighbours' current rows: the incremental half of section 4.

Each function is the definition's line read locally: it takes the rows around it as given. ``change`` repeats it from
neighbour to neighbour until nothing changes, which ends because corrections run strictly back in stated order and
everything else depends on neighbours only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from schemas.edges import Edge, UpdateKind
from schemas.events import Event, Stated

from .rows import EdgeRow, EventRow, Superseder

_BY_STATED: frozenset[UpdateKind | None] = frozenset({"correction", "withdrawn", "cancelled"})
"""Kinds whose direction is decided by when they were said; the others by until when each side vouches for itself."""

_DEMOTING: frozenset[UpdateKind] = frozenset({"change", "cancelled", "correction", "withdrawn"})
"""Kinds that put what the older event causes or enables in doubt; a plan that was done demotes nothing."""

RowOf = Callable[[str], EventRow | None]


def first_row(event: Event, producers: Sequence[str], session_ids: Sequence[str]) -> EventRow:
    """The row of an event that has just become live, before its neighbours are looked at."""
    return EventRow(
        event=event,
        producers=tuple(producers),
        session_ids=tuple(session_ids),
        valid_from=event.stated.sent_at if event.valid_from is None else event.valid_from,
        valid_until=own_end(event),
        superseders=(),
        superseded=False,
        corrected=False,
        withdrawal=False,
        demoted_from=None,
        demoters=(),
        contradicts=(),
    )


def own_end(event: Event) -> int | None:
    """When it ends by what it says itself: an end that was said, and for what is told as past the telling."""
    if event.holds:
        return event.ends_at
    told = event.stated.sent_at
    return told if event.ends_at is None else min(event.ends_at, told)


def _order(row: EventRow) -> tuple[int, Stated, str]:
    """One total order of events, so that effective changes cannot form a cycle."""
    event = row.event
    if event.holds:
        vouched = max(event.stated.sent_at, row.valid_from)
    else:
        vouched = min(event.anchor.until, event.stated.sent_at)
        end = own_end(event)
        if end is not None:
            vouched = min(vouched, end)
    return vouched, event.stated, event.id


def is_effective(edge: Edge, newer: EventRow, older: EventRow) -> bool:
    """Whether an ``updates`` edge supersedes; False for every other relation."""
    if edge.relation != "updates":
        return False
    if newer.event.modality == "planned" and older.event.modality != "planned":
        return False
    if edge.kind in _BY_STATED:
        return newer.event.stated > older.event.stated
    return _order(newer) > _order(older)


def derive_event(row: EventRow, edges: Iterable[Edge], row_of: RowOf) -> EventRow:
    """The row as its live edges and its neighbours' rows make it.

    Args:
        row: the row so far; its event, producers and sessions are kept.
        edges: the live edges at the event, either direction.
        row_of: rows of live events.
    """
    event = row.event
    corrects: list[int] = []
    superseders: list[Superseder] = []
    closing: list[int] = []
    breaking: list[int] = []
    doubts: dict[str, int] = {}
    opposed: set[str] = set()
    corrected = withdrawal = False
    for edge in edges:
        incoming = edge.dst == event.id
        other = row_of(edge.src if incoming else edge.dst)
        if other is None:
            continue
        if edge.relation == "contradicts":
            opposed.add(other.event.id)
        elif edge.relation in ("causes", "enables"):
            if incoming and other.breaks_from is not None:
                doubts[edge.id] = other.breaks_from
        elif edge.relation == "updates" and incoming:
            if is_effective(edge, other, row) and not other.corrected:
                kind = edge.kind or "change"
                superseders.append(Superseder(event_id=other.event.id, edge_id=edge.id, kind=kind))
                closing.append(other.valid_from)
                if kind in _DEMOTING:
                    breaking.append(other.valid_from)
                corrected = corrected or kind in ("correction", "withdrawn")
        elif edge.relation == "updates" and edge.kind in ("correction", "withdrawn") and is_effective(edge, row, other):
            if edge.kind == "withdrawn":
                withdrawal = True
            else:
                corrects.append(other.valid_from)
    valid_from = event.valid_from
    if valid_from is None:
        valid_from = min(corrects, default=event.stated.sent_at)
    closed_at = valid_from if corrected else min(closing, default=None)
    end = own_end(event)
    ends = [t for t in (end, closed_at) if t is not None]
    return msgspec.structs.replace(
        row,
        valid_from=valid_from,
        valid_until=valid_from if corrected else min(ends, default=None),
        superseders=tuple(sorted(superseders, key=lambda s: (s.event_id, s.edge_id))),
        superseded=closed_at is not None and (end is None or closed_at <= end),
        corrected=corrected,
        withdrawal=withdrawal,
        demoted_from=min(doubts.values(), default=None),
        demoters=tuple(sorted(doubts)),
        contradicts=tuple(sorted(opposed)),
        breaks_from=valid_from if corrected else min(breaking, default=None),
    )


def derive_edge(row: EdgeRow, src: EventRow, dst: EventRow) -> EdgeRow:
    """The edge's row as its two ends make it (Eq. 12, on either side)."""
    invalid_from = None
    if row.edge.relation in ("causes", "prevents"):
        untils = [end.valid_until for end in (src, dst) if end.superseders]
        invalid_from = min((t for t in untils if t is not None), default=None)
    return msgspec.structs.replace(row, effective=is_effective(row.edge, src, dst), invalid_from=invalid_from)
