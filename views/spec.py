"""The definition of the validity view: plain recompute from all records of one space (design section 4, Eq. 11-12).

This is the oracle: written to be read, not to be fast. It shares no logic with ``validity``; a property test holds
the two equal after every prefix of every interleaving. Nothing here depends on the order of the records.

Where we differ from the paper: ``u(e_o) = a(e_n)`` (Eq. 11) becomes the minimum over all effective updates, each update
has a kind, corrections empty an interval instead of closing it, and Eq. 12 is applied to edges incident on either side
(the paper's text says "incident on", its formula only the outgoing ones): see ops/adr/0014.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from typing import NamedTuple, TypeVar

import msgspec

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.codec import encode
from schemas.control import ConversationErased, MessageErased, ProducerActivated, SpaceErased, StageName
from schemas.edges import Edge, EdgesAsserted, EdgesInferred, UpdateKind, batch_session
from schemas.entry import Entry
from schemas.events import Event, EventsAsserted, EventsDistilled, Stated
from schemas.ids import MessageKey, record_hash
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record

from .rows import EdgeRow, EventRow, Superseder

DEMOTING: frozenset[UpdateKind] = frozenset({"change", "cancelled", "correction", "withdrawn"})
"""Kinds of update of a cause that put its consequences in doubt; a plan that was done demotes nothing."""

R = TypeVar("R", bound=Record)
Order = tuple[int, Stated, str]


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The view of one space: every live event and edge by id."""

    events: dict[str, EventRow]
    edges: dict[str, EdgeRow]


class Asserted(NamedTuple):
    """An event or edge as one producer asserts it; the smallest tuple's fields count."""

    producer: str
    session_id: str
    encoded: bytes


def recompute(entries: Iterable[Entry]) -> View:
    """The view over a set of records of one space; a record given twice changes nothing."""
    spec = _Spec(entries)
    return View(
        events={i: spec.event_row(i) for i in sorted(spec.events)},
        edges={i: spec.edge_row(i) for i in sorted(spec.edges)},
    )


def _last(records: Iterable[R], rank: str) -> R | None:
    """The record with the highest revision or ``at``; ties by record hash."""
    return max(records, key=lambda r: (getattr(r, rank), record_hash(encode(r))), default=None)


class _Spec:
    """One recompute. Each member is one line of the definition; memos only spare repetition."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)
        # Instances compare by identity here, so a memo per instance is safe.
        self.valid_from = cache(self._valid_from)
        self.corrected = cache(self._corrected)
        self.superseders = cache(self._superseders)

    def of(self, kind: type[R]) -> list[R]:
        return [e.record for e in self.entries if isinstance(e.record, kind)]

    # --- which sets count -------------------------------------------------------------------------------------------

    def active(self, stage: StageName, candidates: dict[str, R]) -> R | None:
        """Of one session's sets by producer, the one that counts."""
        ruling = _last((p for p in self.of(ProducerActivated) if p.stage == stage), "at")
        if ruling is None:
            return candidates[min(candidates)]
        return candidates.get(ruling.producer) or candidates.get(ruling.fallback or "")

    @cached_property
    def event_sets(self) -> list[tuple[str, EventsDistilled | EventsAsserted]]:
        """The active sets of events, with the session (or batch) each belongs to."""
        out: list[tuple[str, EventsDistilled | EventsAsserted]] = []
        distilled = self.of(EventsDistilled)
        for session_id in sorted({s.session_id for s in distilled}):
            mine = [s for s in distilled if s.session_id == session_id]
            best = {p: _last([s for s in mine if s.producer == p], "revision") for p in {s.producer for s in mine}}
            chosen = self.active("distil", {p: s for p, s in best.items() if s is not None})
            if chosen is not None:
                out.append((session_id, chosen))
        asserted = self.of(EventsAsserted)
        for producer, batch_id in sorted({(s.producer, s.batch_id) for s in asserted}):
            best_batch = _last([s for s in asserted if (s.producer, s.batch_id) == (producer, batch_id)], "revision")
            if best_batch is not None:
                out.append((batch_session(producer, batch_id), best_batch))
        return out

    @cached_property
    def edge_sets(self) -> list[tuple[str, EdgesInferred | EdgesAsserted]]:
        """The active sets of edges, with the session (or batch) each belongs to."""
        out: list[tuple[str, EdgesInferred | EdgesAsserted]] = []
        inferred = self.of(EdgesInferred)
        for session_id in sorted({s.session_id for s in inferred}):
            mine = [s for s in inferred if s.session_id == session_id]
            best = {p: _last([s for s in mine if s.producer == p], "revision") for p in {s.producer for s in mine}}
            chosen = self.active("link", {p: s for p, s in best.items() if s is not None})
            if chosen is not None:
                out.append((session_id, chosen))
        asserted = self.of(EdgesAsserted)
        for producer, batch_id in sorted({(s.producer, s.batch_id) for s in asserted}):
            best_batch = _last([s for s in asserted if (s.producer, s.batch_id) == (producer, batch_id)], "revision")
            if best_batch is not None:
                out.append((batch_session(producer, batch_id), best_batch))
        return out

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
        about = self.about.get(key, [])
        if any(isinstance(e.record, MessageRetracted) for e in about):
            return False
        if any(isinstance(e.record, MessageEdited) and e.offset >= read_below for e in about):
            return False
        posted = min((e.offset for e in about if isinstance(e.record, MessagePosted)), default=None)
        return posted is None or posted >= self.erased_below(key)

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
            below = record.revision // 2 + 1 if isinstance(record, EventsDistilled) else record.covers
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

    def ruling(self, edge_id: str) -> EdgeAccepted | EdgeRuledOut | None:
        """The analysts' ruling on an edge that stands, if any."""
        kinds = (EdgeAccepted, EdgeRuledOut, RulingWithdrawn)
        rulings = [r for kind in kinds for r in self.of(kind) if r.edge_id == edge_id]
        last = _last(rulings, "at")
        return None if isinstance(last, RulingWithdrawn) else last

    @cached_property
    def edge_assertions(self) -> dict[str, list[Asserted]]:
        """By edge id, every assertion of it that counts, the analysts' included, of edges not ruled out."""
        out: dict[str, list[Asserted]] = {}
        for session_id, record in self.edge_sets:
            for edge in record.edges:
                encoded = msgspec.msgpack.encode(edge)
                out.setdefault(edge.id, []).append(Asserted(record.producer, session_id, encoded))
        for edge_id in sorted({r.edge_id for r in self.of(EdgeAccepted)} | {r.edge_id for r in self.of(EdgeRuledOut)}):
            ruling = self.ruling(edge_id)
            if isinstance(ruling, EdgeAccepted):
                edge = Edge(
                    id=edge_id, src=ruling.src.event_id, dst=ruling.dst.event_id, relation=ruling.relation,
                    kind=ruling.kind, confidence=1.0, justification=ruling.reason, slice=(), span=None,
                )  # fmt: skip
                asserted = Asserted(f"analyst:{ruling.analyst}", "", msgspec.msgpack.encode(edge))
                out.setdefault(edge_id, []).append(asserted)
            elif isinstance(ruling, EdgeRuledOut):
                out.pop(edge_id, None)
        return out

    @cached_property
    def edges(self) -> dict[str, Edge]:
        """Live edges: asserted, not ruled out, both ends live and distinct."""
        out: dict[str, Edge] = {}
        for edge_id, asserted in self.edge_assertions.items():
            edge = msgspec.msgpack.decode(min(asserted).encoded, type=Edge)
            confidence = max(msgspec.msgpack.decode(a.encoded, type=Edge).confidence for a in asserted)
            if edge.src in self.events and edge.dst in self.events and edge.src != edge.dst:
                out[edge_id] = msgspec.structs.replace(edge, confidence=confidence)
        return out

    @cached_property
    def edges_at(self) -> dict[str, list[Edge]]:
        """Live edges by either end."""
        out: dict[str, list[Edge]] = {}
        for edge in self.edges.values():
            for end in (edge.src, edge.dst):
                out.setdefault(end, []).append(edge)
        return out

    # --- validity ---------------------------------------------------------------------------------------------------

    def end(self, event_id: str) -> int | None:
        """The end that was said; what is told as past has ended at the latest when it was said."""
        event = self.events[event_id]
        if event.holds:
            return event.ends_at
        return event.stated.sent_at if event.ends_at is None else min(event.ends_at, event.stated.sent_at)

    def vouched(self, event_id: str) -> int:
        """Until when the statement vouches for itself."""
        event = self.events[event_id]
        if event.holds:
            return max(event.stated.sent_at, self.valid_from(event_id))
        ends = (event.anchor.until, self.end(event_id), event.stated.sent_at)
        return min(t for t in ends if t is not None)

    def order(self, event_id: str) -> Order:
        return (self.vouched(event_id), self.events[event_id].stated, event_id)

    def effective(self, edge: Edge) -> bool:
        """Whether an updates edge supersedes. A planned event supersedes only planned ones."""
        newer, older = self.events[edge.src], self.events[edge.dst]
        if edge.relation != "updates" or (newer.modality == "planned" and older.modality != "planned"):
            return False
        if edge.kind in ("correction", "withdrawn", "cancelled"):
            return newer.stated > older.stated
        return self.order(edge.src) > self.order(edge.dst)

    def updates_of(self, event_id: str) -> list[Edge]:
        """Effective updates edges into an event."""
        return [e for e in self.edges_at.get(event_id, []) if e.dst == event_id and self.effective(e)]

    def _valid_from(self, event_id: str) -> int:
        event = self.events[event_id]
        if event.valid_from is not None:
            return event.valid_from
        corrects = [
            e.dst
            for e in self.edges_at.get(event_id, [])
            if e.src == event_id and e.relation == "updates" and e.kind == "correction" and self.effective(e)
        ]
        return min((self.valid_from(o) for o in corrects), default=event.stated.sent_at)

    def _corrected(self, event_id: str) -> bool:
        kinds = ("correction", "withdrawn")
        return any(e.kind in kinds and not self.corrected(e.src) for e in self.updates_of(event_id))

    def _superseders(self, event_id: str) -> tuple[Superseder, ...]:
        found = [
            Superseder(event_id=e.src, edge_id=e.id, kind=e.kind or "change")
            for e in self.updates_of(event_id)
            if not self.corrected(e.src)
        ]
        return tuple(sorted(found, key=lambda s: (s.event_id, s.edge_id)))

    def closed_at(self, event_id: str) -> int | None:
        """When updates close it, whatever its own end; None when none does."""
        if self.corrected(event_id):
            return self.valid_from(event_id)
        return min((self.valid_from(s.event_id) for s in self.superseders(event_id)), default=None)

    def valid_until(self, event_id: str) -> int | None:
        if self.corrected(event_id):
            return self.valid_from(event_id)
        ends = [t for t in (self.end(event_id), self.closed_at(event_id)) if t is not None]
        return min(ends, default=None)

    def breaks_from(self, event_id: str) -> int | None:
        """Since when a superseded cause puts its consequences in doubt."""
        demoting = [s for s in self.superseders(event_id) if s.kind in DEMOTING]
        if not demoting:
            return None
        if self.corrected(event_id):
            return self.valid_from(event_id)
        return min(self.valid_from(s.event_id) for s in demoting)

    def withdrawal(self, event_id: str) -> bool:
        edges = self.edges_at.get(event_id, [])
        return any(e.src == event_id and e.kind == "withdrawn" and self.effective(e) for e in edges)

    def invalid_from(self, edge: Edge) -> int | None:
        """Eq. 12, on either side of the edge."""
        if edge.relation not in ("causes", "prevents"):
            return None
        untils = [self.valid_until(x) for x in (edge.src, edge.dst) if self.superseders(x)]
        return min((t for t in untils if t is not None), default=None)

    # --- rows -------------------------------------------------------------------------------------------------------

    def event_row(self, event_id: str) -> EventRow:
        asserted = self.event_assertions[event_id]
        demoters = {
            e.id: at
            for e in self.edges_at.get(event_id, [])
            if e.dst == event_id and e.relation in ("causes", "enables")
            for at in [self.breaks_from(e.src)]
            if at is not None
        }
        opposed = [
            e.src if e.dst == event_id else e.dst
            for e in self.edges_at.get(event_id, [])
            if e.relation == "contradicts"
        ]
        closed_at, ends_at = self.closed_at(event_id), self.end(event_id)
        return EventRow(
            event=self.events[event_id],
            producers=tuple(sorted({a.producer for a in asserted})),
            session_ids=tuple(sorted({a.session_id for a in asserted})),
            valid_from=self.valid_from(event_id),
            valid_until=self.valid_until(event_id),
            superseders=self.superseders(event_id),
            superseded=closed_at is not None and (ends_at is None or closed_at <= ends_at),
            corrected=self.corrected(event_id),
            withdrawal=self.withdrawal(event_id),
            demoted_from=min(demoters.values(), default=None),
            demoters=tuple(sorted(demoters)),
            contradicts=tuple(sorted(set(opposed))),
            breaks_from=self.breaks_from(event_id),
        )

    def edge_row(self, edge_id: str) -> EdgeRow:
        producers = {a.producer for a in self.edge_assertions[edge_id]}
        return EdgeRow(
            edge=self.edges[edge_id],
            producers=tuple(sorted(producers)),
            accepted=isinstance(self.ruling(edge_id), EdgeAccepted),
            effective=self.effective(self.edges[edge_id]),
            invalid_from=self.invalid_from(self.edges[edge_id]),
        )
