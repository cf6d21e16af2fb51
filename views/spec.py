"""The definition of the validity view: plain recompute from all records of one space (design section 4, Eq. 11-12).

This is the oracle: written to be read, not to be fast. ``spec_live`` says which events and edges are live, this file
what they make of each other. It shares no logic with ``validity``; a property test holds the two equal after every
prefix of every interleaving. Nothing here depends on the order of the records.

Where we differ from the paper: ``u(e_o) = a(e_n)`` (Eq. 11) becomes the minimum over all effective updates, each update
has a kind, corrections empty an interval instead of closing it, and Eq. 12 is applied to edges incident on either side
(the paper's text says "incident on", its formula only the outgoing ones): see ops/adr/0014.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from schemas.adjudications import EdgeAccepted
from schemas.edges import Edge, UpdateKind
from schemas.entry import Entry
from schemas.events import Event, Stated

from .rows import EdgeRow, EventRow, Superseder
from .spec_live import Live

DEMOTING: frozenset[UpdateKind] = frozenset({"change", "cancelled", "correction", "withdrawn"})
"""Kinds of update of a cause that put its consequences in doubt; a plan that was done demotes nothing."""

Order = tuple[int, Stated, str]


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The view of one space: every live event and edge by id."""

    events: dict[str, EventRow]
    edges: dict[str, EdgeRow]


def recompute(entries: Iterable[Entry]) -> View:
    """The view over a set of records of one space; a record given twice changes nothing."""
    spec = _Spec(entries)
    return View(
        events={i: spec.event_row(i) for i in sorted(spec.events)},
        edges={i: spec.edge_row(i) for i in sorted(spec.live.edges)},
    )


class Rules:
    """What live events and edges make of each other, one line of the definition a member.

    Args:
        events: live events by id.
        edges_at: the live edges at each of them.
    """

    def __init__(self, events: Mapping[str, Event], edges_at: Mapping[str, Sequence[Edge]]) -> None:
        self.events = events
        self.edges_at = edges_at
        # Instances compare by identity here, so a memo per instance is safe.
        self.valid_from = cache(self._valid_from)
        self.corrected = cache(self._corrected)
        self.superseders = cache(self._superseders)

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

    def derived(self, event_id: str) -> dict[str, Any]:
        """What is derived of an event: the fields of its row beside the assertion's own."""
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
        return {
            "valid_from": self.valid_from(event_id),
            "valid_until": self.valid_until(event_id),
            "superseders": self.superseders(event_id),
            "superseded": closed_at is not None and (ends_at is None or closed_at <= ends_at),
            "corrected": self.corrected(event_id),
            "withdrawal": self.withdrawal(event_id),
            "demoted_from": min(demoters.values(), default=None),
            "demoters": tuple(sorted(demoters)),
            "contradicts": tuple(sorted(set(opposed))),
            "breaks_from": self.breaks_from(event_id),
        }


class _Spec(Rules):
    """One recompute: the rules over what is live among the records."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.live = Live(entries)
        super().__init__(self.live.events, self.live.edges_at)

    def event_row(self, event_id: str) -> EventRow:
        asserted = self.live.event_assertions[event_id]
        return EventRow(
            event=self.events[event_id],
            producers=tuple(sorted({a.producer for a in asserted})),
            session_ids=tuple(sorted({a.session_id for a in asserted})),
            **self.derived(event_id),
        )

    def edge_row(self, edge_id: str) -> EdgeRow:
        producers = {a.producer for a in self.live.edge_assertions[edge_id]}
        return EdgeRow(
            edge=self.live.edges[edge_id],
            producers=tuple(sorted(producers)),
            accepted=isinstance(self.live.ruling(edge_id), EdgeAccepted),
            effective=self.effective(self.live.edges[edge_id]),
            invalid_from=self.invalid_from(self.live.edges[edge_id]),
        )
