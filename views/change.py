"""One change running through the view: assertions → live events → live edges → derived rows of what is around them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from schemas.adjudications import EdgeAccepted
from schemas.deltas import Cause, DeltaRecord
from schemas.edges import Edge, EdgesAsserted, EdgesInferred
from schemas.events import EventsAsserted, EventsDistilled, read_below
from schemas.ids import MessageKey, SpaceKey

from .deltas import edge_delta, event_delta
from .derive import derive_edge, derive_event, first_row
from .liveness import asserted_edge, live_event
from .rows import EdgeRow, EventRow
from .sets import SetChange
from .state import EdgeAssertion, EdgeState, EventAssertion, ViewState, message_part, space_prefix


class Change:
    """Collects what a record touches, settles it, and tells what became different.

    Iteration follows insertion order of dictionaries, never of sets, and rows do not depend on it: each derived value
    is a function of its neighbours', and they do not depend on each other in circles.
    """

    def __init__(self, state: ViewState, space: SpaceKey) -> None:
        self._state = state
        self._space = space
        self._prefix = space_prefix(space)
        self._events: dict[str, None] = {}
        self._edges: dict[str, None] = {}
        self._old_events: dict[str, EventRow | None] = {}
        self._old_edges: dict[str, EdgeRow | None] = {}

    # --- what a record touches --------------------------------------------------------------------------------------

    def rests_on(self, message_cell: bytes) -> None:
        """A message was edited, retracted or erased: look again at every event that rests on it."""
        for event_id in self._state.sources.get(message_cell):
            self._events[event_id] = None

    def set_replaced(self, change: SetChange) -> None:
        """Another set counts for a session: take out what the former asserted, put in what the new one does.

        Edges that the same producer asserts as before stay as they are: a late session re-issues whole sets of edges
        for the sake of a few.
        """
        same = _same_edges(change)
        for record, add in ((change.before, False), (change.after, True)):
            match record:
                case EventsDistilled() | EventsAsserted():
                    self._assert_events(record, change.session_id, add=add)
                case EdgesInferred() | EdgesAsserted():
                    self._assert_edges(record, change.session_id, same, add=add)
                case None:
                    pass

    def ruled(self, edge_id: str, ends: tuple[str, str] | None) -> None:
        """An analyst ruled on the edge; ``ends`` where the ruling itself asserts it."""
        self._edges[edge_id] = None
        for event_id in ends or ():
            self._attach(event_id, edge_id)

    def _assert_events(self, record: EventsDistilled | EventsAsserted, session_id: str, *, add: bool) -> None:
        below = read_below(record)
        for event in record.events:
            mine = EventAssertion(producer=record.producer, session_id=session_id, read_below=below, event=event)
            key = self._prefix + event.id.encode()
            cell = self._state.events.get(key)
            kept = tuple(a for a in cell.assertions if a != mine)
            assertions = (*kept, mine) if add else kept
            self._state.events.put(key, msgspec.structs.replace(cell, assertions=assertions))
            self._index_sources(event.id, cell.assertions, assertions)
            self._events[event.id] = None

    def _index_sources(
        self, event_id: str, before: tuple[EventAssertion, ...], after: tuple[EventAssertion, ...]
    ) -> None:
        """Keep the index from messages to the events that rest on them."""
        old = {MessageKey(s.conversation_id, s.message_id) for a in before for s in a.event.sources}
        new = {MessageKey(s.conversation_id, s.message_id) for a in after for s in a.event.sources}
        for message in sorted(old ^ new):
            key = self._prefix + message_part(message)
            ids = set(self._state.sources.get(key))
            ids = ids | {event_id} if message in new else ids - {event_id}
            self._state.sources.put(key, tuple(sorted(ids)))

    def _assert_edges(
        self, record: EdgesInferred | EdgesAsserted, session_id: str, same: frozenset[Edge], *, add: bool
    ) -> None:
        for edge in record.edges:
            if edge in same:
                continue
            mine = EdgeAssertion(producer=record.producer, session_id=session_id, edge=edge)
            key = self._prefix + edge.id.encode()
            cell = self._state.edges.get(key)
            kept = tuple(a for a in cell.assertions if a != mine)
            self._state.edges.put(key, msgspec.structs.replace(cell, assertions=(*kept, mine) if add else kept))
            self._edges[edge.id] = None
            for event_id in (edge.src, edge.dst):
                if add:
                    self._attach(event_id, edge.id)
                elif not kept and not isinstance(cell.ruling, EdgeAccepted):
                    self._detach(event_id, edge.id)

    def _attach(self, event_id: str, edge_id: str) -> None:
        """Remember that the edge names the event, also while it waits for the event to come."""
        key = self._prefix + event_id.encode()
        known = self._state.adjacency.get(key)
        if edge_id not in known:
            self._state.adjacency.put(key, (*known, edge_id))

    def _detach(self, event_id: str, edge_id: str) -> None:
        """Nobody asserts the edge any more."""
        key = self._prefix + event_id.encode()
        self._state.adjacency.put(key, tuple(e for e in self._state.adjacency.get(key) if e != edge_id))

    # --- settling ---------------------------------------------------------------------------------------------------

    def settle(self, cause: Cause, learned_at: int) -> list[DeltaRecord]:
        """Run the change to its end; returns the deltas, events before edges, each in id order."""
        unsettled = self._settle_liveness()
        self._settle_rows(unsettled)
        self._settle_edge_rows()
        deltas: list[DeltaRecord] = []
        for event_id, old in sorted(self._old_events.items()):
            delta = event_delta(self._space, event_id, old, self._row(event_id), cause, learned_at)
            deltas += [] if delta is None else [delta]
        for edge_id, old_edge in sorted(self._old_edges.items()):
            new_edge = self._edge_cell(edge_id).row
            changed = edge_delta(self._space, edge_id, old_edge, new_edge, cause, learned_at)
            deltas += [] if changed is None else [changed]
        return deltas

    def _settle_liveness(self) -> dict[str, None]:
        """Events and edges that came, went or changed their fields; returns the events whose rows to derive."""
        unsettled: dict[str, None] = {}
        for event_id in self._events:
            if self._settle_event(event_id):
                unsettled[event_id] = None
                for edge_id in self._state.adjacency.get(self._prefix + event_id.encode()):
                    self._edges[edge_id] = None
        for edge_id in self._edges:
            before = self._edge_cell(edge_id).row
            after = self._settle_edge(edge_id)
            for row in (before, after):
                if row is not None:
                    unsettled |= dict.fromkeys((row.edge.src, row.edge.dst))
        return unsettled

    def _settle_event(self, event_id: str) -> bool:
        """Bring an event's fields up to date; True when they changed."""
        key = self._prefix + event_id.encode()
        cell = self._state.events.get(key)
        live = live_event(self._state, self._space, cell)
        if live is None:
            if cell.row is None:
                return False
            self._put_row(event_id, None)
            return True
        fields = (live.event, live.producers, live.session_ids)
        if cell.row is not None and fields == (cell.row.event, cell.row.producers, cell.row.session_ids):
            return False
        self._put_row(event_id, first_row(*fields))
        return True

    def _settle_edge(self, edge_id: str) -> EdgeRow | None:
        """Bring an edge's fields and liveness up to date."""
        cell = self._edge_cell(edge_id)
        live = asserted_edge(cell)
        row: EdgeRow | None = None
        if live is not None and live.edge.src != live.edge.dst:
            src, dst = self._row(live.edge.src), self._row(live.edge.dst)
            if src is not None and dst is not None:
                row = EdgeRow(
                    edge=live.edge, producers=live.producers, accepted=live.accepted, effective=False, invalid_from=None
                )
                row = derive_edge(row, src, dst)
        self._put_edge_row(edge_id, row)
        return row

    def _settle_rows(self, unsettled: dict[str, None]) -> None:
        """Derive rows until nothing changes, from neighbour to neighbour."""
        queue = dict(unsettled)
        while queue:
            event_id = next(iter(queue))
            del queue[event_id]
            row = self._row(event_id)
            if row is None:
                continue
            edges = list(self._live_edges(event_id))
            derived = derive_event(row, edges, self._row)
            for edge in edges:
                self._edges[edge.id] = None
            if derived != row:
                self._put_row(event_id, derived)
                for edge in edges:
                    queue[edge.src if edge.dst == event_id else edge.dst] = None

    def _settle_edge_rows(self) -> None:
        """Derive the rows of the edges around everything that was looked at."""
        for edge_id in self._edges:
            row = self._edge_cell(edge_id).row
            if row is not None:
                src, dst = self._row(row.edge.src), self._row(row.edge.dst)
                assert src is not None, "a live edge has live ends"
                assert dst is not None, "a live edge has live ends"
                self._put_edge_row(edge_id, derive_edge(row, src, dst))

    # --- cells ------------------------------------------------------------------------------------------------------

    def _row(self, event_id: str) -> EventRow | None:
        return self._state.events.get(self._prefix + event_id.encode()).row

    def _put_row(self, event_id: str, row: EventRow | None) -> None:
        key = self._prefix + event_id.encode()
        cell = self._state.events.get(key)
        self._old_events.setdefault(event_id, cell.row)
        self._state.events.put(key, msgspec.structs.replace(cell, row=row))

    def _edge_cell(self, edge_id: str) -> EdgeState:
        return self._state.edges.get(self._prefix + edge_id.encode())

    def _put_edge_row(self, edge_id: str, row: EdgeRow | None) -> None:
        cell = self._edge_cell(edge_id)
        if cell.row != row:
            self._old_edges.setdefault(edge_id, cell.row)
            self._state.edges.put(self._prefix + edge_id.encode(), msgspec.structs.replace(cell, row=row))

    def _live_edges(self, event_id: str) -> Iterator[Edge]:
        for edge_id in self._state.adjacency.get(self._prefix + event_id.encode()):
            row = self._edge_cell(edge_id).row
            if row is not None:
                yield row.edge


def _same_edges(change: SetChange) -> frozenset[Edge]:
    """The edges that both sets hold, as the same producer asserts them."""
    before, after = change.before, change.after
    if not isinstance(before, EdgesInferred | EdgesAsserted) or not isinstance(after, EdgesInferred | EdgesAsserted):
        return frozenset()
    return frozenset(before.edges) & frozenset(after.edges) if before.producer == after.producer else frozenset()
