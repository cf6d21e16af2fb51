"""The history of a statement: everything joined to it by ``updates``, in the order it was said."""

from __future__ import annotations

from views.reader import Basis, Messages, SpaceReader
from views.rows import EdgeRow, EventRow

from .api import ChainLink, HistoryResult
from .cut import Cut
from .state import entry_of


class UnknownEventError(LookupError):
    """No live event has this id in this space, as known at the time asked. The caller shows "not found"."""


def history(
    reader: SpaceReader, messages: Messages, event_id: str, as_of: int, basis: Basis, chain_max: int
) -> HistoryResult:
    """The chain of an event over ``updates`` edges in both directions, breadth first, at most ``chain_max`` statements.

    Edges without effect are shown as such: they are part of why the view is as it is.

    Raises:
        UnknownEventError: the event is not live in this cut.
    """
    cut = Cut(reader, messages)
    first = cut.row(event_id)
    if first is None:
        raise UnknownEventError(event_id)
    chain: dict[str, EventRow] = {event_id: first}
    links: dict[str, EdgeRow] = {}
    waiting = [event_id]
    for current in waiting:
        for edge_row in cut.edges(current):
            other = edge_row.edge.dst if edge_row.edge.src == current else edge_row.edge.src
            row = cut.row(other)
            if edge_row.edge.relation != "updates" or row is None:
                continue
            if other not in chain and len(chain) < chain_max:
                chain[other] = row
                waiting.append(other)
            if other in chain:
                links[edge_row.edge.id] = edge_row
    rows = sorted(chain.values(), key=lambda row: (row.event.stated, row.event.id))
    edges = sorted(links.values(), key=lambda row: (chain[row.edge.src].event.stated, row.edge.id))
    producers = {producer for row in (*rows, *edges) for producer in row.producers}
    return HistoryResult(
        event_id=event_id,
        entries=tuple(entry_of(row, cut, as_of) for row in rows),
        links=tuple(link for row in edges if (link := _link(row)) is not None),
        producers=tuple(sorted(producers)),
        basis=basis,
    )


def _link(row: EdgeRow) -> ChainLink | None:
    edge = row.edge
    if edge.kind is None:
        return None
    return ChainLink(
        edge_id=edge.id,
        src=edge.src,
        dst=edge.dst,
        kind=edge.kind,
        effective=row.effective,
        confidence=edge.confidence,
        justification=edge.justification,
        producers=row.producers,
    )
