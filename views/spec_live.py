"""The base relations of the definition: which sets count, which messages can be rested on, what is therefore live.

The first half of the oracle, by plain recompute from all records of one space (design section 4); ``spec`` is the
second. Nothing here depends on the order of the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

import msgspec

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, RuledEnd, RulingWithdrawn
from schemas.codec import encode
from schemas.control import ConversationErased, MessageErased, ProducerActivated, SpaceErased, StageName
from schemas.edges import Edge, EdgesAsserted, EdgesInferred, batch_session
from schemas.entry import Entry
from schemas.events import Event, EventsAsserted, EventsDistilled, read_below
from schemas.ids import MessageKey, edge_id, record_hash
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record

R = TypeVar("R", bound=Record)
S = TypeVar("S", EventsDistilled, EdgesInferred)
B = TypeVar("B", EventsAsserted, EdgesAsserted)
H = TypeVar("H", EventsDistilled, EventsAsserted, EdgesInferred, EdgesAsserted)


Ruling = EdgeAccepted | EdgeRuledOut


class Asserted(NamedTuple):
    """An event or edge as one producer asserts it; the smallest tuple's fields count."""

    producer: str
    session_id: str
    encoded: bytes


def _highest(revisions: Sequence[H]) -> H:
    """Of the revisions of a set the highest counts; ties by record hash."""
    top = max(record.revision for record in revisions)
    highest = [record for record in revisions if record.revision == top]
    return highest[0] if len(highest) == 1 else max(highest, key=lambda record: record_hash(encode(record)))


def _at(record: ProducerActivated | EdgeAccepted | EdgeRuledOut | RulingWithdrawn) -> tuple[int, str]:
    """Of rulings on one thing the later counts; ties by record hash."""
    return record.at, record_hash(encode(record))


def _grouped(records: Iterable[R], name: Callable[[R], str]) -> list[tuple[str, list[R]]]:
    """Records by a name, in the order of the names."""
    found: dict[str, list[R]] = {}
    for record in records:
        found.setdefault(name(record), []).append(record)
    return sorted(found.items())


def by_batch(sets: Sequence[B]) -> list[tuple[str, B]]:
    """Of each API producer's batch its highest revision, under the batch's name. All batches count."""
    batches = _grouped(sets, lambda s: batch_session(s.producer, s.batch_id))
    return [(name, _highest(own)) for name, own in batches]


class Live:
    """What is live. Each member is one line of the definition; caching only spares repetition."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)
        self._of: dict[type[Record], list[Record]] = {}
        for entry in self.entries:
            self._of.setdefault(type(entry.record), []).append(entry.record)

    def of(self, kind: type[R]) -> list[R]:
        """Records of one type."""
        return cast("list[R]", self._of.get(kind, []))

    # --- which sets count -------------------------------------------------------------------------------------------

    def active(self, stage: StageName, candidates: dict[str, S]) -> S | None:
        """Of one session's sets by producer, the one that counts."""
        ruling = max((p for p in self.of(ProducerActivated) if p.stage == stage), key=_at, default=None)
        if ruling is None:
            return candidates[min(candidates)]
        ranked = [p for p in (ruling.producer, ruling.fallback, *ruling.further) if p in candidates]
        newest = max((candidates[p].revision for p in ranked), default=0)
        return next((candidates[p] for p in ranked if candidates[p].revision == newest), None)

    def by_session(self, stage: StageName, sets: Sequence[S]) -> list[tuple[str, S]]:
        """Of each session the active producer's set, at its highest revision."""
        out: list[tuple[str, S]] = []
        for session_id, mine in _grouped(sets, lambda s: s.session_id):
            by_producer = _grouped(mine, lambda s: s.producer)
            chosen = self.active(stage, {producer: _highest(own) for producer, own in by_producer})
            if chosen is not None:
                out.append((session_id, chosen))
        return out

    @cached_property
    def event_sets(self) -> list[tuple[str, EventsDistilled | EventsAsserted]]:
        """The active sets of events, with the session (or batch) each belongs to."""
        return [*self.by_session("distil", self.of(EventsDistilled)), *by_batch(self.of(EventsAsserted))]

    @cached_property
    def edge_sets(self) -> list[tuple[str, EdgesInferred | EdgesAsserted]]:
        """The active sets of edges, with the session (or batch) each belongs to."""
        return [*self.by_session("link", self.of(EdgesInferred)), *by_batch(self.of(EdgesAsserted))]

    # --- which messages can still be rested on ----------------------------------------------------------------------

    @cached_property
    def about(self) -> dict[MessageKey, list[Entry]]:
        """Records of ``messages`` by the message they are about."""
        out: dict[MessageKey, list[Entry]] = {}
        for entry in self.entries:
            if isinstance(entry.record, MessagePosted | MessageEdited | MessageRetracted):
                out.setdefault(entry.record.message, []).append(entry)
        return out

    def source_lives(self, key: MessageKey, read_below: int) -> bool:
        """Not retracted, not erased, and not edited since the set was made (``read_below``: offsets it had read)."""
        about, below = self.about.get(key, []), self.erased_below(key)
        posted = [e.offset for e in about if isinstance(e.record, MessagePosted)]
        if any(offset < below for offset in posted):
            # Erased. What was made from it does not rest on the one that may have been posted anew under its id.
            about = [e for e in about if e.offset >= below]
            if not any(below <= offset < read_below for offset in posted):
                return False
        if any(isinstance(e.record, MessageRetracted) for e in about):
            return False
        edits = [(e.record.received_at, e.offset) for e in about if isinstance(e.record, MessageEdited)]
        return not edits or max(edits)[1] < read_below  # the one received last is what the message says

    def erased_below(self, key: MessageKey) -> int:
        """Messages posted below this offset are erased."""
        bounds = [r.upto for r in self.of(SpaceErased)]
        bounds += [r.upto for r in self.of(ConversationErased) if r.conversation_id == key.conversation_id]
        bounds += [r.upto for r in self.of(MessageErased) if (r.conversation_id, r.message_id) == key]
        return max(bounds, default=0)

    # --- live events and edges --------------------------------------------------------------------------------------

    @cached_property
    def event_assertions(self) -> dict[str, list[Asserted]]:
        """By event id, every live assertion of it."""
        out: dict[str, list[Asserted]] = {}
        for session_id, record in self.event_sets:
            below = read_below(record)
            for event in record.events:
                keys = [MessageKey(s.conversation_id, s.message_id) for s in event.sources]
                if all(self.source_lives(key, below) for key in keys):
                    encoded = msgspec.msgpack.encode(event)
                    out.setdefault(event.id, []).append(Asserted(record.producer, session_id, encoded))
        return out

    @cached_property
    def events(self) -> dict[str, Event]:
        """Live events."""
        return {
            i: msgspec.msgpack.decode(min(asserted).encoded, type=Event)
            for i, asserted in self.event_assertions.items()
        }

    @cached_property
    def standing(self) -> list[Ruling]:
        """The analysts' last word on every edge, where it was not taken back."""
        kinds = (EdgeAccepted, EdgeRuledOut, RulingWithdrawn)
        said = [record for kind in kinds for record in self.of(kind)]
        last = [max(own, key=_at) for _, own in _grouped(said, lambda r: r.edge_id)]
        return [ruling for ruling in last if not isinstance(ruling, RulingWithdrawn)]

    def in_place_of(self, end: RuledEnd, at: int) -> str | None:
        """The live event a ruling's end is: itself, else the one of the same spans, type and attribute.

        Of several the smallest id. None when there is none, or the text was edited since the ruling was made.
        """
        if end.event_id in self.events:
            return end.event_id
        keys = {MessageKey(s.conversation_id, s.message_id) for s in end.sources}
        edits = [e.record for key in keys for e in self.about.get(key, []) if isinstance(e.record, MessageEdited)]
        if not end.sources or any(edit.received_at >= at for edit in edits):
            return None
        spans = set(end.sources)
        same = [
            event.id
            for event in self.events.values()
            if (event.type, event.attribute) == (end.type, end.attribute) and set(event.sources) == spans
        ]
        return min(same, default=None)

    def concerned(self, ruling: Ruling) -> tuple[str, str, str] | None:
        """The edge a ruling concerns now, as (id, source, target); None while it is orphaned."""
        src, dst = (self.in_place_of(end, ruling.at) for end in (ruling.src, ruling.dst))
        if src is None or dst is None:
            return None
        moved = (src, dst) != (ruling.src.event_id, ruling.dst.event_id)
        return (edge_id(ruling.key, src, ruling.relation, dst) if moved else ruling.edge_id), src, dst

    @cached_property
    def rulings(self) -> dict[str, tuple[Ruling, str, str]]:
        """By edge id, the ruling that counts, the latest of those that concern it, with the edge's ends."""
        found: dict[str, tuple[Ruling, str, str]] = {}
        for ruling in sorted(self.standing, key=_at):
            concerned = self.concerned(ruling)
            if concerned is not None:
                found[concerned[0]] = (ruling, concerned[1], concerned[2])
        return found

    def ruling(self, edge_id: str) -> Ruling | None:
        """The ruling on an edge that counts, if any."""
        found = self.rulings.get(edge_id)
        return None if found is None else found[0]

    @cached_property
    def edge_assertions(self) -> dict[str, list[Asserted]]:
        """By edge id, every assertion of it that counts, of edges not ruled out. An analyst's comes before all."""
        out: dict[str, list[Asserted]] = {}
        for session_id, record in self.edge_sets:
            for edge in record.edges:
                encoded = msgspec.msgpack.encode(edge)
                out.setdefault(edge.id, []).append(Asserted(record.producer, session_id, encoded))
        for name, (ruling, src, dst) in self.rulings.items():
            if isinstance(ruling, EdgeAccepted):
                edge = Edge(
                    id=name, src=src, dst=dst, relation=ruling.relation, kind=ruling.kind, confidence=1.0,
                    justification=ruling.reason, slice=(), span=None,
                )  # fmt: skip
                asserted = Asserted(f"analyst:{ruling.analyst}", "", msgspec.msgpack.encode(edge))
                out.setdefault(name, []).append(asserted)
            else:
                out.pop(name, None)
        return out

    @cached_property
    def edges(self) -> dict[str, Edge]:
        """Live edges: asserted, not ruled out, both ends live and distinct."""
        out: dict[str, Edge] = {}
        for name, asserted in self.edge_assertions.items():
            ruled = [a for a in asserted if a.session_id == "" and a.producer.startswith("analyst:")]
            edge = msgspec.msgpack.decode(min(ruled or asserted).encoded, type=Edge)
            confidence = max(msgspec.msgpack.decode(a.encoded, type=Edge).confidence for a in asserted)
            if edge.src in self.events and edge.dst in self.events and edge.src != edge.dst:
                out[name] = msgspec.structs.replace(edge, confidence=confidence)
        return out

    @cached_property
    def edges_at(self) -> dict[str, list[Edge]]:
        """Live edges by either end."""
        out: dict[str, list[Edge]] = {}
        for edge in self.edges.values():
            for end in (edge.src, edge.dst):
                out.setdefault(end, []).append(edge)
        return out
