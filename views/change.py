"""One change running through the view: assertions → live events → live edges → derived rows of what is around them."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.adjudications import EdgeAccepted, EdgeRuling
from schemas.deltas import Cause, DeltaRecord
from schemas.edges import EdgeRecord
from schemas.events import EventRecord, read_below
from schemas.ids import MessageKey, SpaceKey

from .deltas import edge_delta
from .derive import derive_edge, derive_event, first_row, reach_of
from .held import EdgeAssertion, EventAssertion, message_part
from .liveness import asserted_edge, live_event
from .rows import EdgeRow, EventRow
from .ruled import Moved, fold_ruling, follow
from .sets import SetChange
from .state import ViewState
from .telling import event_deltas, note_pending, told_until
from .touched import Arc, Node, Touched


class Change:
    """Collects what a record touches, settles it, and tells what became different.

    Iteration follows insertion order of dictionaries, never of sets, and rows do not depend on it: each derived value
    is a function of its neighbours', and they do not depend on each other in circles.

    Args:
        state: the view.
        prefix: the space the record is of.
    """

    def __init__(self, state: ViewState, prefix: bytes) -> None:
        self._state = state
        self._prefix = prefix
        self._touched = Touched(state, prefix)
        self._events: dict[str, None] = {}
        self._edges: dict[str, None] = {}
        self._messages: dict[bytes, None] = {}

    # --- what a record touches --------------------------------------------------------------------------------------

    def rests_on(self, message_cell: bytes) -> None:
        """A message was edited, retracted or erased: look again at every event that rests on it."""
        self._messages[message_cell] = None
        self._events |= dict.fromkeys(self._state.sources.get(message_cell))

    def set_replaced(self, change: SetChange) -> None:
        """Another set counts for a session: take out what the former asserted, put in what the new one does.

        What the same producer asserts as before stays as it is: a session's sets are issued again and again for the
        sake of a few.
        """
        before, after = change.before, change.after
        if change.topic == "edges":
            self._replace_edges(change.session_id, before, after)  # pyright: ignore[reportArgumentType]  # both are of one topic
        else:
            self._replace_events(change.session_id, before, after)  # pyright: ignore[reportArgumentType]  # both are of one topic

    def ruled(self, record: EdgeRuling) -> None:
        """An analyst said something on an edge."""
        self._moved(fold_ruling(self._state, self._touched, record))

    def _moved(self, moved: Iterable[Moved]) -> None:
        """Rulings concern these edges now, or no longer; of an accepted one the ends are told."""
        for edge_id, ends in moved:
            self._edges[edge_id] = None
            for event_id in ends or ():
                self._touched.events[event_id].attach(edge_id)

    def _replace_events(self, session_id: str, before: EventRecord | None, after: EventRecord | None) -> None:
        gone = {} if before is None else _event_assertions(session_id, before)
        new = {} if after is None else _event_assertions(session_id, after)
        for event_id in {**gone, **new} if gone else new:
            node = self._touched.events[event_id]
            known, old = node.assertions, gone.get(event_id)
            kept = known if old is None else tuple(a for a in known if a not in old)
            assertions = kept + new.get(event_id, ())
            if assertions != known:
                node.assertions = assertions
                self._index_sources(event_id, known, assertions)
                self._events[event_id] = None

    def _index_sources(
        self, event_id: str, before: tuple[EventAssertion, ...], after: tuple[EventAssertion, ...]
    ) -> None:
        """Keep the index from messages to the events that rest on them."""
        if len(before) == len(after) == 1 and before[0].event.sources == after[0].event.sources:
            return
        if not before and len(after) == 1 and len(after[0].event.sources) == 1:
            (source,) = after[0].event.sources
            self._index_source(MessageKey(source.conversation_id, source.message_id), event_id, rests=True)
            return
        old = {MessageKey(s.conversation_id, s.message_id) for a in before for s in a.event.sources}
        new = {MessageKey(s.conversation_id, s.message_id) for a in after for s in a.event.sources}
        for message in sorted(old ^ new):
            self._index_source(message, event_id, rests=message in new)

    def _index_source(self, message: MessageKey, event_id: str, *, rests: bool) -> None:
        key = self._prefix + message_part(message)
        known = self._state.sources.get(key)
        if rests:
            self._state.sources.put(key, tuple(sorted({*known, event_id})) if known else (event_id,))
        else:
            self._state.sources.put(key, tuple(i for i in known if i != event_id))

    def _replace_edges(self, session_id: str, before: EdgeRecord | None, after: EdgeRecord | None) -> None:
        gone = {} if before is None else _edge_assertions(session_id, before)
        new = {} if after is None else _edge_assertions(session_id, after)
        for edge_id in {**gone, **new} if gone else new:
            old, mine = gone.get(edge_id, ()), new.get(edge_id, ())
            if old == mine:
                continue
            arc = self._touched.edges[edge_id]
            kept = tuple(a for a in arc.assertions if a not in old) if old else arc.assertions
            arc.assertions = kept + mine
            self._edges[edge_id] = None
            for assertion in mine:
                self._touched.events[assertion.edge.src].attach(edge_id)
                self._touched.events[assertion.edge.dst].attach(edge_id)
            if old:
                self._detach(edge_id, arc, old)

    def _detach(self, edge_id: str, arc: Arc, gone: Iterable[EdgeAssertion]) -> None:
        """Ends that nobody names any more forget the edge."""
        named = {end for a in arc.assertions for end in (a.edge.src, a.edge.dst)}
        for one in arc.rulings:
            if isinstance(one.ruling, EdgeAccepted):
                named |= {one.src, one.dst}
        for assertion in gone:
            for event_id in (assertion.edge.src, assertion.edge.dst):
                if event_id not in named:
                    self._touched.events[event_id].detach(edge_id)

    # --- settling ---------------------------------------------------------------------------------------------------

    def settle(self, space: SpaceKey, cause: Cause, learned_at: int) -> list[DeltaRecord]:
        """Run the change to its end; returns the deltas, events before edges, each in id order."""
        for edge_id in self._settle_rows(self._settle_liveness()):
            self._settle_edge(edge_id)
        self._touched.put()
        changed = {event_id: node.stored.row for event_id, node in self._touched.changed_events()}
        told = told_until(self._state, self._prefix, learned_at)
        note_pending(self._state, self._prefix, changed, self._row, told)
        deltas: list[DeltaRecord] = list(event_deltas(space, changed, self._row, cause, learned_at, told))
        for edge_id, arc in self._touched.changed_edges():
            delta = edge_delta(space, edge_id, arc.stored.row, arc.row, cause, learned_at)
            if delta is not None:
                deltas.append(delta)
        return deltas

    def _settle_liveness(self) -> dict[str, None]:
        """Events and edges that came, went or changed their fields; returns the events whose rows to derive."""
        unsettled: dict[str, None] = {}
        around: dict[str, None] = {}
        settled: dict[str, None] = {}
        for event_id in self._events:
            node = self._touched.events[event_id]
            if self._settle_event(node):
                settled[event_id] = None
                if node.row is not None and node.stored.row is not None:
                    unsettled[event_id] = None  # a fresh row without edges is right as it is
                for incident in node.incidents:
                    around[incident.edge_id] = None
        if self._state.control.get(self._prefix).is_ruled:
            self._moved(follow(self._state, self._touched, self._prefix, settled, self._messages_of(settled)))
        for edge_id in {**self._edges, **around} if around else self._edges:
            before, after = self._settle_edge(edge_id)
            if before is not after or edge_id in around:
                for row in (before, after):
                    if row is not None:
                        unsettled[row.edge.src] = unsettled[row.edge.dst] = None
        return unsettled

    def _messages_of(self, settled: Iterable[str]) -> dict[bytes, None]:
        """The messages that changed, and those that events rest on which came, went or changed."""
        found = dict(self._messages)
        for event_id in settled:
            node = self._touched.events[event_id]
            for row in (node.stored.row, node.row):
                for source in () if row is None else row.event.sources:
                    found[self._prefix + message_part(MessageKey(source.conversation_id, source.message_id))] = None
        return found

    def _settle_event(self, node: Node) -> bool:
        """Bring an event's fields up to date; True when they changed."""
        live, row = live_event(self._state, self._prefix, node.assertions), node.row
        if live is None:
            node.row = None
            return row is not None
        if (
            row is not None
            and live.event == row.event
            and live.producers == row.producers
            and live.session_ids == row.session_ids
        ):
            return False
        node.row = first_row(live.event, live.producers, live.session_ids)
        return True

    def _settle_edge(self, edge_id: str) -> tuple[EdgeRow | None, EdgeRow | None]:
        """Bring an edge's row up to date with its assertions and its ends; returns it as it was and as it is."""
        arc = self._touched.edges[edge_id]
        old, row = arc.row, None
        live = asserted_edge(arc.assertions, arc.rulings)
        if live is not None and live.edge.src != live.edge.dst:
            src, dst = self._touched.events[live.edge.src].row, self._touched.events[live.edge.dst].row
            if src is not None and dst is not None:
                row = derive_edge(live.edge, live.producers, src, dst, accepted=live.accepted)
        if row == old:
            return old, old
        arc.row = row
        self._touched.show(None if old is None else old.edge, None if row is None else row.edge)
        return old, row

    def _settle_rows(self, queue: dict[str, None]) -> dict[str, None]:
        """Derive rows until nothing changes, from neighbour to neighbour; returns the edges to derive again."""
        stale: dict[str, None] = {}
        while queue:
            event_id = next(iter(queue))
            del queue[event_id]
            node = self._touched.events[event_id]
            row = node.row
            if row is None:
                continue
            derived = derive_event(row, node.incidents, self._row)
            if derived is not row:
                node.row = derived
                neighbours, edges = reach_of(row, derived, node.incidents)
                queue |= neighbours
                stale |= edges
        return stale

    def _row(self, event_id: str) -> EventRow | None:
        return self._touched.events[event_id].row


def _event_assertions(session_id: str, record: EventRecord) -> dict[str, tuple[EventAssertion, ...]]:
    """What a set of events asserts, by event. A set may hold an id more than once."""
    found: dict[str, tuple[EventAssertion, ...]] = {}
    below, producer = read_below(record), record.producer
    for event in record.events:
        mine = (EventAssertion(producer=producer, session_id=session_id, read_below=below, event=event),)
        found[event.id] = found[event.id] + mine if event.id in found else mine
    return found


def _edge_assertions(session_id: str, record: EdgeRecord) -> dict[str, tuple[EdgeAssertion, ...]]:
    """What a set of edges asserts, by edge."""
    found: dict[str, tuple[EdgeAssertion, ...]] = {}
    producer = record.producer
    for edge in record.edges:
        mine = (EdgeAssertion(producer=producer, session_id=session_id, edge=edge),)
        found[edge.id] = found[edge.id] + mine if edge.id in found else mine
    return found
