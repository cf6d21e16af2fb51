"""What is known of a space when an analyst rules, from a cut of its view: the same for every runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.edges import Edge
from schemas.events import Event
from schemas.ids import SpaceKey
from streams.adjudicate import Standing
from views.reader import SpaceReader
from views.rulings import Placed, by_edge


class SpaceFacts:
    """Satisfies ``streams.adjudicate.Facts``.

    Args:
        space: its tenant and space.
        reader: a cut of it.
        ruled_out: edges that analysts ruled out.
        placed: the rulings that stand, and where they have effect.
    """

    def __init__(
        self, space: SpaceKey, reader: SpaceReader, ruled_out: Iterable[Edge], placed: Iterable[Placed]
    ) -> None:
        self._reader = reader
        self._edges = {edge.id: edge for edge in ruled_out}
        self._edges |= {row.edge.id: row.edge for i in reader.event_ids() for row in reader.edges_of(i)}
        self._placed = by_edge(placed, space)
        self._names = {name.casefold(): name for name in reader.participants()}

    def event(self, event_id: str) -> Event | None:
        """A live event."""
        row = self._reader.event(event_id)
        return None if row is None else row.event

    def edge(self, edge_id: str) -> Edge | None:
        """An edge that somebody asserts, also one that is ruled out."""
        return self._edges.get(edge_id)

    def spelling(self, name: str) -> str | None:
        """A participant's name as statements spell it; None when none names it."""
        return self._names.get(name.casefold())

    def acting_on(self, edge_id: str) -> Sequence[Standing]:
        """The rulings that concern the edge as it is now."""
        return [placed.ruling for placed in self._placed.get(edge_id, ())]
