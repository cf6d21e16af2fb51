"""The events and edges that a record touches, and how they were before it: what history and deltas are made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from .held import EdgeState, EventAssertion, EventState, Incident
from .rows import EdgeRow, EventRow
from .state import ViewState
from .stored import edge_bytes, event_bytes


class _Events(dict[str, EventState]):
    """Events by id, got when first asked for."""

    __slots__ = ("_get", "_prefix")

    def __init__(self, state: ViewState, prefix: bytes) -> None:  # of a dict that begins empty: nothing else to do
        self._get = state.events.get
        self._prefix = prefix

    def __missing__(self, event_id: str) -> EventState:
        cell = self[event_id] = self._get(self._prefix + event_id.encode())
        return cell


class _Edges(dict[str, EdgeState]):
    """Edges by id, likewise."""

    __slots__ = ("_get", "_prefix")

    def __init__(self, state: ViewState, prefix: bytes) -> None:  # of a dict that begins empty: nothing else to do
        self._get = state.edges.get
        self._prefix = prefix

    def __missing__(self, edge_id: str) -> EdgeState:
        cell = self[edge_id] = self._get(self._prefix + edge_id.encode())
        return cell


class Touched:
    """What records of a space touch: ``events`` and ``edges`` by id. Before one of them is changed, say so.

    It serves one record after the other, until the next commit: what one touches the next most often touches too.
    """

    __slots__ = ("_edges_were", "_events_were", "_moved", "_state", "edges", "events")

    def __init__(self, state: ViewState, prefix: bytes) -> None:
        self._state = state
        self.events = _Events(state, prefix)
        self.edges = _Edges(state, prefix)
        self._events_were: dict[str, tuple[tuple[EventAssertion, ...], EventRow | None]] = {}
        self._edges_were: dict[str, EdgeState] = {}
        self._moved = state.moved

    def event(self, event_id: str) -> EventState:
        """An event whose assertions or row are about to change."""
        cell = self.events[event_id]
        if event_id not in self._events_were:
            self._events_were[event_id] = cell.assertions, cell.row
            self._changing(cell)
        return cell

    def _changing(self, cell: EventState) -> None:
        self._state.events.changing(cell)
        if self._moved is not None:
            assert self._state.rows is not None, "kept where history is"
            self._moved.event(cell.key, self._state.rows.at)

    def edge(self, edge_id: str) -> EdgeState:
        """An edge that is about to change."""
        cell = self.edges[edge_id]
        if edge_id not in self._edges_were:
            self._edges_were[edge_id] = EdgeState(cell.key, cell.since, cell.assertions, cell.rulings, cell.row)
            self._state.edges.changing(cell)
            if self._moved is not None:
                assert self._state.rows is not None, "kept where history is"
                self._moved.edge(cell.key, self._state.rows.at)
        return cell

    def row_before(self, event_id: str) -> EventRow | None:
        """An event's row as it was before the record."""
        were = self._events_were.get(event_id)
        return self.events[event_id].row if were is None else were[1]

    def assertions_before(self) -> Iterator[EventAssertion]:
        """What was asserted of the events that the record changed, before it."""
        return (assertion for assertions, _ in self._events_were.values() for assertion in assertions)

    # --- what an event sees of its edges ----------------------------------------------------------------------------

    def see(self, event_id: str, incident: Incident) -> None:
        """An edge that names the event is now so; also while it waits for the event to come."""
        cell = self.events[event_id]
        self._changing(cell)
        cell.incidents[incident.edge_id] = incident

    def attach(self, event_id: str, edge_id: str) -> None:
        """An edge names the event, and need not be live: whoever sees it already goes on to see it as it is."""
        if edge_id not in self.events[event_id].incidents:
            self.see(event_id, Incident(edge_id))

    def unsee(self, event_id: str, edge_id: str) -> None:
        """An edge that the event sees is not live now; whoever forgot it already does not see it again."""
        if edge_id in self.events[event_id].incidents:
            self.see(event_id, Incident(edge_id))

    def detach(self, event_id: str, edge_id: str) -> None:
        """Nobody asserts the edge any more."""
        cell = self.events[event_id]
        self._changing(cell)
        cell.incidents.pop(edge_id, None)

    # --- the end of the record --------------------------------------------------------------------------------------

    def keep(self) -> tuple[dict[str, EventRow | None], dict[str, EdgeRow | None]]:
        """Keep former versions of what changed; returns the former rows of events and edges that have other ones now.

        Each in id order.
        """
        moment, versions = self._state.rows, self._state.versions
        at = 0 if moment is None else moment.at
        rows: dict[str, EventRow | None] = {}
        for event_id, (assertions, row) in in_order(self._events_were):
            cell = self.events[event_id]
            if cell.row is not row:
                rows[event_id] = row
                if cell.since < at:
                    if row is not None:
                        versions.add("events", cell.key, at, event_bytes(cell.since, assertions, row))
                    cell.since = at
        edge_rows: dict[str, EdgeRow | None] = {}
        for edge_id, were in in_order(self._edges_were):
            cell = self.edges[edge_id]
            if cell.row is not were.row:
                edge_rows[edge_id] = were.row
            unchanged = cell.row is were.row and cell.assertions is were.assertions and cell.rulings is were.rulings
            if cell.since < at and not unchanged:
                if were.assertions or were.rulings or were.row is not None:
                    versions.add("edges", cell.key, at, edge_bytes(were.since, were.assertions, were.rulings, were.row))
                cell.since = at
        return rows, edge_rows

    def next(self) -> None:
        """Another record begins."""
        self._events_were = {}
        self._edges_were = {}


T = TypeVar("T")


def in_order(found: dict[str, T]) -> Iterable[tuple[str, T]]:
    """What was found, by id; there is seldom more than one."""
    return sorted(found.items()) if len(found) > 1 else found.items()


def touched_by(state: ViewState, prefix: bytes) -> Touched:
    """For the next record of a space."""
    touched = state.touched.get(prefix)
    if touched is None:
        touched = state.touched[prefix] = Touched(state, prefix)
    else:
        touched.next()
    return touched
