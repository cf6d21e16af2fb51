"""Topic ``adjudications``: rulings of analysts. The later ``at`` wins, ties by record hash."""

from __future__ import annotations

import msgspec

from .edges import Relation, UpdateKind
from .events import Event, Source
from .record import Record


class RuledEnd(msgspec.Struct, frozen=True, kw_only=True):
    """One end of a ruled edge, with what is needed to find it again under a new id."""

    event_id: str
    sources: tuple[Source, ...]
    type: str
    attribute: str | None


class EdgeAccepted(Record, frozen=True, kw_only=True, tag="edge_accepted"):
    """An analyst asserts the edge."""

    edge_id: str
    src: RuledEnd
    dst: RuledEnd
    relation: Relation
    kind: UpdateKind | None
    analyst: str
    reason: str
    at: int


class EdgeRuledOut(Record, frozen=True, kw_only=True, tag="edge_ruled_out"):
    """An analyst rules the edge out: it is not live, whoever asserts it."""

    edge_id: str
    src: RuledEnd
    dst: RuledEnd
    relation: Relation
    analyst: str
    reason: str
    at: int


class RulingWithdrawn(Record, frozen=True, kw_only=True, tag="ruling_withdrawn"):
    """The analysts' rulings on this edge are taken back; the producers' assertions count again."""

    edge_id: str
    analyst: str
    at: int


class AliasMerged(Record, frozen=True, kw_only=True, tag="alias_merged"):
    """``alias`` is another name of ``canonical``."""

    alias: str
    canonical: str
    analyst: str
    evidence: str
    at: int


class AliasSplit(Record, frozen=True, kw_only=True, tag="alias_split"):
    """``alias`` stands for itself again."""

    alias: str
    analyst: str
    at: int


AdjudicationRecord = EdgeAccepted | EdgeRuledOut | RulingWithdrawn | AliasMerged | AliasSplit

EdgeRuling = EdgeAccepted | EdgeRuledOut | RulingWithdrawn
AliasRecord = AliasMerged | AliasSplit


def ruled_end(event: Event) -> RuledEnd:
    """An event as a ruling names it."""
    return RuledEnd(event_id=event.id, sources=event.sources, type=event.type, attribute=event.attribute)


def is_same_statement(end: RuledEnd, event: Event) -> bool:
    """Whether an event of another id is the statement that was ruled on: the same spans, type and attribute.

    An end without sources has nothing to be found again by.
    """
    if not end.sources or (end.type, end.attribute) != (event.type, event.attribute):
        return False
    return frozenset(end.sources) == frozenset(event.sources)
