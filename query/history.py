"""The history of a statement: everything joined to it by ``updates``, in the order it was said."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.edges import Edge
from views.reader import Basis, Messages, SpaceReader
from views.rows import EdgeRow, EventRow

from .api import ChainLink, HistoryResult
from .cut import Cut
from .state import entry_of


class UnknownEventError(LookupError):
    """No live event has this id in this space, as known at the time asked. The caller shows "not found"."""


def history(
    reader: SpaceReader,
    messages: Messages,
    event_id: str,
    as_of: int,
    basis: Basis,
    chain_max: int,
    ruled_out: Iterable[Edge] = (),
) -> HistoryResult:
    """The chain of an event over ``updates`` edges in both directions, breadth first, at most ``chain_max`` statements.

    Edges without effect, and ``ruled_out`` ones between statements of the chain, are shown as such: they are part of
    why the view is as it is, and an analyst must be able to name them. What contradicts the event is shown beside the
    chain.

    Raises:
        UnknownEventError: the event is not live in this cut.
    """
    cut = Cut(reader, messages)
    first = cut.row(event_id)
    if first is None:
        raise UnknownEventError(event_id)
    chain, links = _chain(cut, first, chain_max)
    out = [edge for edge in ruled_out if event_id in (edge.src, edge.dst)]
    for edge in out:
        for other in (edge.src, edge.dst):
            row = cut.row(other)
            if row is not None:
                chain.setdefault(other, row)
    rows = sorted(chain.values(), key=lambda row: (row.event.stated, row.event.id))
    edges = sorted(links.values(), key=lambda row: (chain[row.edge.src].event.stated, row.edge.id))
    producers = {producer for row in (*rows, *edges) for producer in row.producers}
    shown = [_link(row.edge, row) for row in edges]
    shown += [_link(edge, None) for edge in sorted(out, key=lambda edge: edge.id) if {edge.src, edge.dst} <= set(chain)]
    return HistoryResult(
        event_id=event_id,
        entries=tuple(entry_of(row, cut, as_of) for row in rows),
        links=tuple(link for link in shown if link is not None),
        producers=tuple(sorted(producers)),
        basis=basis,
    )


def _chain(cut: Cut, first: EventRow, chain_max: int) -> tuple[dict[str, EventRow], dict[str, EdgeRow]]:
    """The statements of the chain and the edges between them, by id."""
    chain: dict[str, EventRow] = {first.event.id: first}
    links: dict[str, EdgeRow] = {}
    waiting = [first.event.id]
    for current in waiting:
        for edge_row in cut.edges(current):
            other = edge_row.edge.dst if edge_row.edge.src == current else edge_row.edge.src
            row, relation = cut.row(other), edge_row.edge.relation
            opposes = relation == "contradicts" and current == first.event.id
            if row is None or not (relation == "updates" or opposes):
                continue
            if other not in chain and len(chain) < chain_max:
                chain[other] = row
                if not opposes:
                    waiting.append(other)
            if other in chain:
                links[edge_row.edge.id] = edge_row
    return chain, links


def _link(edge: Edge, row: EdgeRow | None) -> ChainLink | None:
    """An edge as a link; ``row`` None for one that is ruled out."""
    if edge.relation not in ("updates", "contradicts"):
        return None
    return ChainLink(
        edge_id=edge.id,
        src=edge.src,
        dst=edge.dst,
        kind=edge.kind,
        effective=row is not None and row.effective,
        confidence=edge.confidence,
        justification=edge.justification,
        producers=() if row is None else row.producers,
        relation=edge.relation,
        live=row is not None,
    )
