"""One change running through the view: assertions → live events → live edges → derived rows of what is around them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from schemas.adjudications import EdgeAccepted, EdgeRuling
from schemas.deltas import DeltaRecord
from schemas.edges import Edge, EdgeRecord
from schemas.entry import Entry
from schemas.events import Event, EventRecord
from schemas.ids import MessageKey

from .asserting import by_id, edge_assertions, event_assertions, producers
from .deltas import cause_of, edge_delta
from .derive import derive_edge, derive_event, first_row, lookers, reach_of
from .held import Control, EdgeAssertion, EdgeState, EventAssertion, EventState, Incident, message_part, source_part
from .liveness import asserted_edge, is_erased, live_event
from .rows import EdgeRow
from .ruled import Moved, fold_ruling, follow
from .sets import SetChange
from .state import ViewState
from .telling import event_deltas, note_pending, told_until
from .touched import touched_by


class Change:
    """Collects what a record touches, settles it, and tells what became different.

    Iteration follows insertion order of dictionaries, never of sets, and rows do not depend on it: each derived value
    is a function of its neighbours', and they do not depend on each other in circles.

    Args:
        state: the view.
        prefix: the space the record is of.
    """

    __slots__ = ("_edges", "_events", "_messages", "_prefix", "_state", "_touched")

    def __init__(self, state: ViewState, prefix: bytes) -> None:
        self._state = state
        self._prefix = prefix
        self._touched = touched_by(state, prefix)
        self._events: dict[str, None] = {}
        self._edges: dict[str, None] = {}
        self._messages: dict[bytes, None] = {}

    # --- what a record touches --------------------------------------------------------------------------------------

    def rests_on(self, message_cell: bytes) -> None:
        """A message was edited, retracted or erased: look again at every event that rests on it."""
        self._messages[message_cell] = None
        self._events |= dict.fromkeys(self._state.messages.get(message_cell).events)

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
                self._touched.attach(event_id, edge_id)

    def _replace_events(self, session_id: str, before: EventRecord | None, after: EventRecord | None) -> None:
        gone = {} if before is None else by_id(before.events)
        new = {} if after is None else by_id(after.events)
        old_producer, producer = producers(before, after)
        is_same = producer == old_producer
        touched = self._touched
        for event_id in {**gone, **new} if gone else new:
            was, now = gone.get(event_id), new.get(event_id)
            if is_same and (was is now or was == now):
                if self._may_have_died(was or ()):
                    self._events[event_id] = None
                continue
            known = touched.events[event_id].assertions
            old = event_assertions(old_producer, session_id, was)
            kept = tuple([a for a in known if a not in old]) if old and known else known
            assertions = kept + event_assertions(producer, session_id, now)
            if assertions != known:
                touched.event(event_id).assertions = assertions
                self._index_sources(event_id, known, assertions)
                self._events[event_id] = None

    def _may_have_died(self, events: Event | Iterable[Event]) -> bool:
        """Whether it matters for an event asserted as before that its set has read more: an edit, what was erased."""
        messages, control = self._state.messages, self._state.control.get(self._prefix)
        for event in (events,) if isinstance(events, Event) else events:
            for source in event.sources:
                cell = messages.get(self._prefix + source_part(source))
                if cell.edited_offset is not None:
                    return True
                if control.erases and is_erased(control, MessageKey(source.conversation_id, source.message_id), cell):
                    return True
        return False

    def _index_sources(
        self, event_id: str, before: tuple[EventAssertion, ...], after: tuple[EventAssertion, ...]
    ) -> None:
        """Keep the index from messages to the events that rest on them."""
        if len(before) == len(after) == 1 and before[0].event.sources == after[0].event.sources:
            return
        if not before and len(after) == 1 and len(after[0].event.sources) == 1:
            (source,) = after[0].event.sources
            self._index_source(self._prefix + source_part(source), event_id, rests=True)
            return
        old = {MessageKey(s.conversation_id, s.message_id) for a in before for s in a.event.sources}
        new = {MessageKey(s.conversation_id, s.message_id) for a in after for s in a.event.sources}
        for message in sorted(old ^ new):
            self._index_source(self._prefix + message_part(message), event_id, rests=message in new)

    def _index_source(self, key: bytes, event_id: str, *, rests: bool) -> None:
        cell = self._state.messages.get(key)
        known = cell.events
        if rests:
            events = tuple(sorted({*known, event_id})) if known else (event_id,)
        else:
            events = tuple([i for i in known if i != event_id])
        self._state.messages.amend(key, replace(cell, events=events))

    def _replace_edges(self, session_id: str, before: EdgeRecord | None, after: EdgeRecord | None) -> None:
        gone = {} if before is None else by_id(before.edges)
        new = {} if after is None else by_id(after.edges)
        old_producer, producer = producers(before, after)
        is_same = producer == old_producer
        touched = self._touched
        for edge_id in {**gone, **new} if gone else new:
            was, now = gone.get(edge_id), new.get(edge_id)
            if is_same and (was is now or was == now):
                continue
            old = edge_assertions(old_producer, session_id, was)
            arc = touched.edge(edge_id)
            kept = tuple([a for a in arc.assertions if a not in old]) if old else arc.assertions
            arc.assertions = kept + edge_assertions(producer, session_id, now)
            self._edges[edge_id] = None
            if old:
                self._detach(edge_id, arc, old)

    def _detach(self, edge_id: str, arc: EdgeState, gone: Iterable[EdgeAssertion]) -> None:
        """Ends that nobody names any more forget the edge."""
        named = {end for a in arc.assertions for end in (a.edge.src, a.edge.dst)}
        for one in arc.rulings:
            if isinstance(one.ruling, EdgeAccepted):
                named |= {one.src, one.dst}
        for assertion in gone:
            for event_id in (assertion.edge.src, assertion.edge.dst):
                if event_id not in named:
                    self._touched.detach(event_id, edge_id)

    # --- settling ---------------------------------------------------------------------------------------------------

    def settle(self, entry: Entry, learned_at: int) -> list[DeltaRecord]:
        """Run the change to its end; returns the deltas, events before edges, each in id order."""
        if not (self._events or self._edges or self._messages):
            return []
        for edge_id in self._settle_rows(self._settle_liveness()):
            self._settle_edge(edge_id)
        touched = self._touched
        rows, edge_rows = touched.keep()
        if not rows and not edge_rows:
            return []
        cause, space = cause_of(entry), entry.record.key
        deltas: list[DeltaRecord] = []
        if rows:
            told = told_until(self._state, self._prefix, learned_at)
            note_pending(self._state, self._prefix, rows, touched.events, told)
            deltas += event_deltas(space, rows, touched.row_before, touched.events, cause, learned_at, told)
        for edge_id, was in edge_rows.items():
            delta = edge_delta(space, edge_id, was, touched.edges[edge_id].row, cause, learned_at)
            if delta is not None:
                deltas.append(delta)
        return deltas

    def _settle_liveness(self) -> dict[str, None]:
        """Events and edges that came, went or changed their fields; returns the events whose rows to derive."""
        unsettled: dict[str, None] = {}
        around: dict[str, None] = {}
        settled: dict[str, None] = {}
        control = self._state.control.get(self._prefix)
        for event_id in self._events:
            cell = self._touched.events[event_id]
            was_live = cell.row is not None
            if self._settle_event(event_id, cell, control):
                settled[event_id] = None
                if was_live and cell.row is not None:
                    unsettled[event_id] = None  # a fresh row without edges is right as it is
                around |= dict.fromkeys(cell.incidents)
        if control.is_ruled:
            self._moved(follow(self._state, self._touched, self._prefix, settled, self._messages_of(settled)))
        for edge_id in {**self._edges, **around} if around else self._edges:
            before, after = self._settle_edge(edge_id)
            if before is not after or edge_id in around:
                for row in (before, after):
                    if row is not None:
                        edge = row.edge
                        source_looks, target_looks = lookers(edge.relation, edge.kind)
                        if source_looks:
                            unsettled[edge.src] = None
                        if target_looks:
                            unsettled[edge.dst] = None
        return unsettled

    def _messages_of(self, settled: Iterable[str]) -> dict[bytes, None]:
        """The messages that changed, and those that events rest on which came, went or changed."""
        found = dict(self._messages)
        for event_id in settled:
            for row in (self._touched.row_before(event_id), self._touched.events[event_id].row):
                for source in () if row is None else row.event.sources:
                    found[self._prefix + source_part(source)] = None
        return found

    def _settle_event(self, event_id: str, cell: EventState, control: Control) -> bool:
        """Bring an event's fields up to date; True when they changed."""
        live, row = live_event(self._state, self._prefix, control, cell.assertions), cell.row
        if live is None:
            if row is None:
                return False
            self._touched.event(event_id).row = None
            return True
        if (
            row is not None
            and live.event == row.event
            and live.producers == row.producers
            and live.session_ids == row.session_ids
        ):
            return False
        self._touched.event(event_id).row = first_row(live.event, live.producers, live.session_ids)
        return True

    def _settle_edge(self, edge_id: str) -> tuple[EdgeRow | None, EdgeRow | None]:
        """Bring an edge's row up to date with its assertions and its ends; returns it as it was and as it is."""
        touched = self._touched
        arc, events = touched.edges[edge_id], touched.events
        old, row = arc.row, None
        live = asserted_edge(arc.assertions, arc.rulings)
        if live is not None and live.edge.src != live.edge.dst:
            src, dst = events[live.edge.src].row, events[live.edge.dst].row
            if src is not None and dst is not None:
                row = derive_edge(live.edge, live.producers, src, dst, accepted=live.accepted)
        if row is None or len(arc.assertions) > 1:
            for assertion in arc.assertions:
                touched.attach(assertion.edge.src, edge_id)
                touched.attach(assertion.edge.dst, edge_id)
        if row == old:
            return old, old
        touched.edge(edge_id).row = row
        self._show(None if old is None else old.edge, None if row is None else row.edge)
        return old, row

    def _show(self, old: Edge | None, new: Edge | None) -> None:
        """Let the ends of an edge see it as it is now; None while it is not live."""
        touched = self._touched
        if old is not None and (new is None or old.src != new.src or old.dst != new.dst):
            for end in (old.src, old.dst):
                touched.unsee(end, old.id)
        if new is not None and (old is None or _seen(old) != _seen(new)):
            edge_id, src, dst, relation, kind = new.id, new.src, new.dst, new.relation, new.kind
            touched.see(src, Incident(edge_id, dst, False, relation, kind))  # by place, for speed
            touched.see(dst, Incident(edge_id, src, True, relation, kind))

    def _settle_rows(self, queue: dict[str, None]) -> dict[str, None]:
        """Derive rows until nothing changes, from neighbour to neighbour; returns the edges to derive again."""
        stale: dict[str, None] = {}
        touched = self._touched
        while queue:
            event_id = next(iter(queue))
            del queue[event_id]
            cell = touched.events[event_id]
            row = cell.row
            if row is None:
                continue
            derived = derive_event(row, cell.incidents.values(), touched.events)
            if derived is not row:
                touched.event(event_id).row = derived
                neighbours, edges = reach_of(row, derived, cell.incidents.values())
                queue |= neighbours
                stale |= edges
        return stale


def _seen(edge: Edge) -> tuple[str, str, str, str | None]:
    """What its ends see of an edge."""
    return edge.src, edge.dst, edge.relation, edge.kind
