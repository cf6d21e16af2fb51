"""The events and edges that a record touches, as working copies: read once, put back once, when all is settled."""

from __future__ import annotations

from schemas.edges import Edge

from .held import EdgeState, EventState, Incident
from .rows import EdgeRow, EventRow
from .state import ViewState


class Node:
    """An event. ``stored`` is its cell before the record; ``incidents`` what it sees of its edges, live or not."""

    __slots__ = ("_linked", "_state", "_stored_incidents", "assertions", "key", "row", "stored")

    def __init__(self, state: ViewState, key: bytes) -> None:
        self._state = state
        self._linked: tuple[Incident, ...] | None = None
        self._stored_incidents: tuple[Incident, ...] | None = None
        self.key = key
        self.stored = stored = state.events.get(key)
        self.assertions = stored.assertions
        self.row: EventRow | None = stored.row

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """Its edges, read when first asked for."""
        if self._linked is None:
            self._linked = self._stored_incidents = self._state.adjacency.get(self.key)
        return self._linked

    def attach(self, edge_id: str) -> None:
        """Remember that an edge names the event, also while it waits for the event to come."""
        known = self.incidents
        for incident in known:
            if incident.edge_id == edge_id:
                return
        self._linked = (*known, Incident(edge_id))

    def detach(self, edge_id: str) -> None:
        """Nobody asserts the edge any more."""
        self._linked = tuple(i for i in self.incidents if i.edge_id != edge_id)

    def see(self, incident: Incident) -> None:
        """Its edge is now so."""
        edge_id = incident.edge_id
        self._linked = tuple([incident if i.edge_id == edge_id else i for i in self.incidents])

    def put(self) -> None:
        """Write back what changed."""
        stored = self.stored
        if self.row is not stored.row or self.assertions is not stored.assertions:
            self._state.events.put(self.key, EventState(assertions=self.assertions, row=self.row))
        if self._linked is not None and self._linked is not self._stored_incidents:
            self._state.adjacency.put(self.key, self._linked)


class Arc:
    """An edge. ``stored`` is its cell before the record."""

    __slots__ = ("assertions", "key", "row", "rulings", "stored")

    def __init__(self, state: ViewState, key: bytes) -> None:
        self.key = key
        self.stored = stored = state.edges.get(key)
        self.assertions = stored.assertions
        self.rulings = stored.rulings
        self.row: EdgeRow | None = stored.row


class _Nodes(dict[str, Node]):
    """Events' working copies by id, made when first asked for."""

    def __init__(self, state: ViewState, prefix: bytes) -> None:
        super().__init__()
        self._state = state
        self._prefix = prefix

    def __missing__(self, event_id: str) -> Node:
        node = self[event_id] = Node(self._state, self._prefix + event_id.encode())
        return node


class _Arcs(dict[str, Arc]):
    """Edges' working copies, likewise."""

    def __init__(self, state: ViewState, prefix: bytes) -> None:
        super().__init__()
        self._state = state
        self._prefix = prefix

    def __missing__(self, edge_id: str) -> Arc:
        arc = self[edge_id] = Arc(self._state, self._prefix + edge_id.encode())
        return arc


class Touched:
    """The working copies of one record: ``events`` and ``edges`` by id."""

    def __init__(self, state: ViewState, prefix: bytes) -> None:
        self._state = state
        self.events = _Nodes(state, prefix)
        self.edges = _Arcs(state, prefix)

    def show(self, old: Edge | None, new: Edge | None) -> None:
        """Let the ends of an edge see it as it is now; None while it is not live."""
        if old is not None and (new is None or (old.src, old.dst) != (new.src, new.dst)):
            for end in (old.src, old.dst):
                self.events[end].see(Incident(old.id))
        if new is not None and (
            old is None or (old.src, old.dst, old.relation, old.kind) != (new.src, new.dst, new.relation, new.kind)
        ):
            self.events[new.src].see(Incident(new.id, new.dst, False, new.relation, new.kind))  # by place, for speed
            self.events[new.dst].see(Incident(new.id, new.src, True, new.relation, new.kind))

    def put(self) -> None:
        """Write back what changed."""
        for node in self.events.values():
            node.put()
        edges = self._state.edges
        for arc in self.edges.values():
            stored = arc.stored
            if (
                arc.row is not stored.row
                or arc.assertions is not stored.assertions
                or arc.rulings is not stored.rulings
            ):
                edges.put(arc.key, EdgeState(assertions=arc.assertions, rulings=arc.rulings, row=arc.row))

    def changed_events(self) -> list[tuple[str, Node]]:
        """Events whose rows are other ones than before, by id."""
        return sorted(item for item in self.events.items() if item[1].row is not item[1].stored.row)

    def changed_edges(self) -> list[tuple[str, Arc]]:
        """Edges whose rows are other ones than before, by id."""
        return sorted(item for item in self.edges.items() if item[1].row is not item[1].stored.row)
