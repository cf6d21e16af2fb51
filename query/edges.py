"""The edges of a space, or of one event: what relates what, who says so, and whether it counts."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.edges import Edge, Relation
from views.reader import Basis, SpaceReader
from views.rows import EdgeRow

from .api import EdgeEntry, EdgesResult


def edges(
    reader: SpaceReader,
    ruled_out: Iterable[Edge],
    basis: Basis,
    *,
    event_id: str | None = None,
    relation: Relation | None = None,
) -> EdgesResult:
    """Edges by id.

    Args:
        reader: the space.
        ruled_out: edges that analysts ruled out; listed as not live.
        basis: what the reader reflects.
        event_id: only those at this event.
        relation: only these.
    """
    ids = reader.event_ids() if event_id is None else [event_id]
    live = {row.edge.id: _live(row) for i in ids for row in reader.edges_of(i)}
    out = {edge.id: _ruled_out(edge) for edge in ruled_out if event_id is None or event_id in (edge.src, edge.dst)}
    found = out | live
    return EdgesResult(
        entries=tuple(found[i] for i in sorted(found) if relation is None or found[i].relation == relation),
        basis=basis,
    )


def _live(row: EdgeRow) -> EdgeEntry:
    edge = row.edge
    return EdgeEntry(
        edge_id=edge.id, src=edge.src, dst=edge.dst, relation=edge.relation, kind=edge.kind,
        confidence=edge.confidence, justification=edge.justification, live=True, effective=row.effective,
        invalid_from=row.invalid_from, producers=row.producers, accepted=row.accepted,
    )  # fmt: skip


def _ruled_out(edge: Edge) -> EdgeEntry:
    return EdgeEntry(
        edge_id=edge.id, src=edge.src, dst=edge.dst, relation=edge.relation, kind=edge.kind,
        confidence=edge.confidence, justification=edge.justification, live=False, effective=False, invalid_from=None,
        producers=(), accepted=False,
    )  # fmt: skip
