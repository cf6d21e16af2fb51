"""Derived validity of one event and one edge from their neighbours' current rows: the incremental half of section 4.

Each function is the definition's line read locally: it takes the rows around it as given. ``change`` repeats it from
neighbour to neighbour until nothing changes, which ends because corrections run strictly back in stated order and
everything else depends on neighbours only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.edges import Edge, Relation, UpdateKind
from schemas.events import Event

from .held import EventState, Incident
from .rows import EdgeRow, EventRow, Superseder

_BY_STATED: frozenset[UpdateKind | None] = frozenset({"correction", "withdrawn", "cancelled"})
"""Kinds whose direction is decided by when they were said; the others by until when each side vouches for itself."""

_WRONG: frozenset[UpdateKind | None] = frozenset({"correction", "withdrawn"})
"""Kinds that say the older event was never so."""

_UNSEEN: frozenset[Relation] = frozenset({"before", "prevents", "possibly_updates"})
"""Relations that change nothing of either end's row."""

_CAUSAL: frozenset[Relation] = frozenset({"causes", "enables", "prevents"})


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


def _vouched(row: EventRow) -> int:
    """Until when a statement vouches for itself. With ``stated`` and the id it orders events, so that effective changes
    cannot form a cycle."""
    event = row.event
    stated = event.stated[0]
    if event.holds:
        return stated if stated > row.valid_from else row.valid_from  # max() costs five times as much
    vouched = min(event.anchor.until, stated)
    end = own_end(event)
    return vouched if end is None else min(vouched, end)


def is_effective(kind: UpdateKind | None, newer: EventRow, older: EventRow) -> bool:
    """Whether an ``updates`` edge of a kind supersedes."""
    new, old = newer.event, older.event
    if new.modality == "planned" and old.modality != "planned":
        return False
    if kind in _BY_STATED:
        return new.stated > old.stated
    left, right = _vouched(newer), _vouched(older)
    return left > right if left != right else (new.stated, new.id) > (old.stated, old.id)


def derive_event(row: EventRow, incidents: Iterable[Incident], cells: Mapping[str, EventState]) -> EventRow:
    """The row as its live edges and its neighbours' rows make it; the same object when that is as it was.

    Args:
        row: the row so far; its event, producers and sessions are kept.
        incidents: the live edges at the event, either direction.
        cells: of events, by id.
    """
    event = row.event
    corrects: int | None = None
    superseders: list[Superseder] = []
    closing: int | None = None
    breaking: int | None = None
    doubts: dict[str, int] = {}
    opposed: set[str] = set()
    corrected = withdrawal = False
    for edge in incidents:
        relation, incoming, kind = edge.relation, edge.incoming, edge.kind
        if relation in _UNSEEN or edge.other is None:
            continue
        other = cells[edge.other].row
        if other is None:
            continue
        if relation == "contradicts":
            opposed.add(edge.other)
        elif relation != "updates":
            if incoming and other.breaks_from is not None:
                doubts[edge.edge_id] = other.breaks_from
        elif incoming:
            if not other.corrected and is_effective(kind, other, row):
                superseders.append(Superseder(event_id=edge.other, edge_id=edge.edge_id, kind=kind or "change"))
                since = other.valid_from
                if closing is None or since < closing:
                    closing = since
                if kind != "done" and (breaking is None or since < breaking):  # what was done demotes nothing
                    breaking = since
                corrected = corrected or kind in _WRONG
        elif kind in _WRONG and is_effective(kind, row, other):
            if kind == "withdrawn":
                withdrawal = True
            elif corrects is None or other.valid_from < corrects:
                corrects = other.valid_from
    valid_from = event.valid_from
    if valid_from is None:
        valid_from = event.stated[0] if corrects is None else corrects
    closed_at = valid_from if corrected else closing
    end = own_end(event)
    valid_until = closed_at if end is None or corrected else end if closed_at is None else min(end, closed_at)
    if len(superseders) > 1:
        superseders.sort(key=lambda s: (s.event_id, s.edge_id))
    derived = EventRow(
        event=event,
        producers=row.producers,
        session_ids=row.session_ids,
        valid_from=valid_from,
        valid_until=valid_until,
        superseders=tuple(superseders) if superseders else (),
        superseded=closed_at is not None and (end is None or closed_at <= end),
        corrected=corrected,
        withdrawal=withdrawal,
        demoted_from=min(doubts.values()) if doubts else None,
        demoters=tuple(sorted(doubts)) if doubts else (),
        contradicts=tuple(sorted(opposed)) if opposed else (),
        breaks_from=valid_from if corrected else breaking,
    )
    return row if derived == row else derived


def reach_of(old: EventRow, new: EventRow, incidents: Iterable[Incident]) -> tuple[dict[str, None], dict[str, None]]:
    """How far a change of a row reaches: the events and the edges to derive again.

    Across ``updates``, what counts of the other row is since when it holds and whether it is corrected; across
    ``causes`` and ``enables``, since when it puts its consequences in doubt; for Eq. 12, until when it holds. A row
    whose ``valid_from`` moved may stand elsewhere in the order, and is derived again itself.
    """
    moved = new.valid_from != old.valid_from
    corrected = new.corrected != old.corrected
    broke = new.breaks_from != old.breaks_from
    ended = new.valid_until != old.valid_until or bool(new.superseders) != bool(old.superseders)
    events: dict[str, None] = {}
    edges: dict[str, None] = {}
    if not (moved or corrected or broke or ended):
        return events, edges
    if moved:
        events[new.event.id] = None
    for edge in incidents:
        relation, other = edge.relation, edge.other
        if other is None:
            continue
        if relation == "updates":
            if moved or (corrected and not edge.incoming):
                events[other] = None
            if moved:
                edges[edge.edge_id] = None
        elif relation in _CAUSAL:
            if broke and not edge.incoming and relation != "prevents":
                events[other] = None
            if ended and relation != "enables":
                edges[edge.edge_id] = None
    return events, edges


def lookers(relation: Relation, kind: UpdateKind | None) -> tuple[bool, bool]:
    """Which ends' rows depend on an edge, and on the event at its other end: the source's, the target's.

    What updates an event changes the older one, and the newer one where it says that the older one was never so.
    """
    if relation in _UNSEEN:
        return False, False
    if relation == "updates":
        return kind in _WRONG, True
    return relation == "contradicts", True


def derive_edge(edge: Edge, producers: tuple[str, ...], src: EventRow, dst: EventRow, *, accepted: bool) -> EdgeRow:
    """The edge's row as its two ends make it (Eq. 12, on either side)."""
    relation = edge.relation
    invalid_from: int | None = None
    if relation in ("causes", "prevents"):
        untils = [end.valid_until for end in (src, dst) if end.superseders and end.valid_until is not None]
        invalid_from = min(untils, default=None)
    return EdgeRow(
        edge=edge,
        producers=producers,
        accepted=accepted,
        effective=relation == "updates" and is_effective(edge.kind, src, dst),
        invalid_from=invalid_from,
    )
