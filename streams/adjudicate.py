"""What an analyst asks for, as records: checked against what is known, and nothing when it stands already. Pure.

Both runtimes append what ``decide`` returns to ``adjudications``. The same request again is a duplicate. A ruling is
taken back by the request ``undo``, a merge by ``split`` and a split by merging again: nothing is ever removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar, assert_never

import msgspec

from schemas.adjudications import (
    AdjudicationRecord,
    AliasMerged,
    AliasRecord,
    AliasSplit,
    EdgeAccepted,
    EdgeRuledOut,
    EdgeRuling,
    RulingWithdrawn,
    ruled_end,
)
from schemas.codec import encode
from schemas.edges import Edge, Relation, UpdateKind
from schemas.events import Event
from schemas.ids import SpaceKey, edge_id, record_hash
from schemas.ruling_wire import AcceptIn, AdjudicationIn, MergeIn, RuleOutIn, SplitIn, UndoIn

from .checks import RefusedError, check_content, check_id, check_space

MAX_REASON_BYTES = 4_096
"""Of a reason or an evidence: a paragraph or two."""

Standing = EdgeAccepted | EdgeRuledOut
R = TypeVar("R", EdgeRuling, AliasRecord)


class Facts(Protocol):
    """What is known of a space when an analyst rules."""

    def event(self, event_id: str) -> Event | None:
        """A live event."""
        ...

    def edge(self, edge_id: str) -> Edge | None:
        """An edge that somebody asserts, also one that is ruled out."""
        ...

    def spelling(self, name: str) -> str | None:
        """A participant's name as statements spell it, whatever its case; None when none names it."""
        ...

    def acting_on(self, edge_id: str) -> Sequence[Standing]:
        """The rulings in force that concern the edge as it is now, those that followed it from an old id included."""
        ...


class Docket:
    """The last word on every edge and alias of a space: the later ``at`` wins, ties by record hash."""

    def __init__(self, records: Iterable[AdjudicationRecord]) -> None:
        self.edges: dict[str, EdgeRuling] = {}
        self.aliases: dict[str, AliasRecord] = {}
        for record in records:
            if isinstance(record, AliasMerged | AliasSplit):
                name = record.alias.casefold()
                self.aliases[name] = _later(record, self.aliases.get(name))
            else:
                self.edges[record.edge_id] = _later(record, self.edges.get(record.edge_id))


def _later(one: R, other: R | None) -> R:
    return one if other is None or _rank(one) > _rank(other) else other


def _rank(record: AdjudicationRecord) -> tuple[int, str]:
    return record.at, record_hash(encode(record))


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What to append (nothing for a duplicate), and which edge or alias it is about.

    ``unknown``: names that no statement has, as far as it goes: it is merged all the same, for what will be said.
    """

    records: tuple[AdjudicationRecord, ...]
    edge_id: str | None = None
    alias: str | None = None
    unknown: tuple[str, ...] = ()


def decide(space: SpaceKey, wanted: AdjudicationIn, facts: Facts, docket: Docket, now: int) -> Decision:
    """The records of a request.

    Args:
        space: its tenant and space.
        wanted: the request.
        facts: the space as it stands.
        docket: the last words said so far.
        now: microseconds UTC; a record is never dated before the word it follows.

    Raises:
        RefusedError: with ``not_found`` for an unknown edge or event, ``kind`` where one is missing or out of place,
            ``alias`` for a merge with itself or in a circle; the caller must change the request.
    """
    check_space(space)
    check_id("analyst", wanted.analyst)
    match wanted:
        case AcceptIn():
            return _accept(space, wanted, facts, docket, now)
        case RuleOutIn():
            return _rule_out(space, wanted, facts, docket, now)
        case UndoIn():
            return _undo(space, wanted, facts, docket, now)
        case MergeIn():
            return _merge(space, wanted, facts, docket, now)
        case SplitIn():
            return _split(space, wanted, docket, now)
        case _:
            assert_never(wanted)


def _accept(space: SpaceKey, wanted: AcceptIn, facts: Facts, docket: Docket, now: int) -> Decision:
    reason = _text("reason", wanted.reason)
    known = _known_edge(space, wanted, facts)
    src, dst, relation = (
        (known.src, known.dst, known.relation)
        if known is not None
        else (_given("src", wanted.src), _given("dst", wanted.dst), wanted.relation)
    )
    kind = _kind(relation, wanted.kind, None if known is None else known.kind)
    newer, older = _live("src", src, facts), _live("dst", dst, facts)
    if src == dst:
        raise RefusedError("invalid", "a statement has no relation with itself", "dst")
    name = edge_id(space, src, relation, dst)
    standing = facts.acting_on(name)
    if standing and all(isinstance(r, EdgeAccepted) and r.kind == kind for r in standing):
        return Decision(records=(), edge_id=name)
    record = EdgeAccepted(
        tenant=space.tenant, space=space.space, edge_id=name, src=ruled_end(newer), dst=ruled_end(older),
        relation=relation, kind=kind, analyst=wanted.analyst, reason=reason, at=_after(name, standing, docket, now),
    )  # fmt: skip
    return Decision(records=(record,), edge_id=name)


def _known_edge(space: SpaceKey, wanted: AcceptIn, facts: Facts) -> Edge | None:
    if wanted.edge_id is None:
        return None
    if wanted.src is not None or wanted.dst is not None:
        raise RefusedError("invalid", "name the edge by its id or by its two ends, not both", "edge_id")
    return _edge(wanted.edge_id, facts)


def _kind(relation: Relation, wanted: UpdateKind | None, known: UpdateKind | None) -> UpdateKind | None:
    if relation != "updates":
        if wanted is not None:
            raise RefusedError("invalid", f"only updates have a kind, this relation is {relation}", "kind")
        return None
    kind = wanted or known
    if kind is None:
        raise RefusedError("invalid", "say which: change, done, cancelled, correction or withdrawn", "kind")
    return kind


def _rule_out(space: SpaceKey, wanted: RuleOutIn, facts: Facts, docket: Docket, now: int) -> Decision:
    reason, edge = _text("reason", wanted.reason), _edge(wanted.edge_id, facts)
    standing = facts.acting_on(edge.id)
    if standing and all(isinstance(r, EdgeRuledOut) for r in standing):
        return Decision(records=(), edge_id=edge.id)
    record = EdgeRuledOut(
        tenant=space.tenant, space=space.space, edge_id=edge.id, src=ruled_end(_live("edge_id", edge.src, facts)),
        dst=ruled_end(_live("edge_id", edge.dst, facts)), relation=edge.relation, analyst=wanted.analyst, reason=reason,
        at=_after(edge.id, standing, docket, now),
    )  # fmt: skip
    return Decision(records=(record,), edge_id=edge.id)


def _undo(space: SpaceKey, wanted: UndoIn, facts: Facts, docket: Docket, now: int) -> Decision:
    """Takes back every ruling that concerns the edge now, under whichever id it was ruled on, orphans by their own."""
    names = {ruling.edge_id for ruling in facts.acting_on(wanted.edge_id)}
    last = docket.edges.get(wanted.edge_id)
    if last is not None and not isinstance(last, RulingWithdrawn):
        names.add(wanted.edge_id)
    if not names and last is None and facts.edge(wanted.edge_id) is None:
        raise RefusedError("not_found", f"no such edge, and no ruling on it: {wanted.edge_id!r}", "edge_id")
    records = tuple(
        RulingWithdrawn(
            tenant=space.tenant, space=space.space, edge_id=name, analyst=wanted.analyst,
            at=max(now, docket.edges[name].at + 1),
        )
        for name in sorted(names)
    )  # fmt: skip
    return Decision(records=records, edge_id=wanted.edge_id)


def _merge(space: SpaceKey, wanted: MergeIn, facts: Facts, docket: Docket, now: int) -> Decision:
    alias, given = check_id("alias", wanted.alias), check_id("canonical", wanted.canonical)
    canonical = facts.spelling(given) or given
    evidence = _text("evidence", wanted.evidence)
    if alias.casefold() == canonical.casefold():
        raise RefusedError("invalid", "a name is no alias of itself", "canonical")
    last = docket.aliases.get(alias.casefold())
    if isinstance(last, AliasMerged) and last.canonical == canonical:
        return Decision(records=(), alias=alias)
    unnamed = (name for name in (alias, canonical) if facts.spelling(name) is None)
    unknown = tuple(name for name in unnamed if name.casefold() not in docket.aliases)
    if alias.casefold() in _chain(canonical.casefold(), docket):
        message = f"{canonical!r} is itself an alias of {alias!r}; split it first, or merge the other way round"
        raise RefusedError("conflict", message, "canonical")
    record = AliasMerged(
        tenant=space.tenant, space=space.space, alias=alias, canonical=canonical, analyst=wanted.analyst,
        evidence=evidence, at=now if last is None else max(now, last.at + 1),
    )  # fmt: skip
    return Decision(records=(record,), alias=alias, unknown=unknown)


def _chain(name: str, docket: Docket) -> Iterable[str]:
    """The name and what it is an alias of, in turn."""
    seen: list[str] = []
    while name not in seen:
        seen.append(name)
        ruling = docket.aliases.get(name)
        if isinstance(ruling, AliasMerged):
            name = ruling.canonical.casefold()
    return seen


def _split(space: SpaceKey, wanted: SplitIn, docket: Docket, now: int) -> Decision:
    alias = check_id("alias", wanted.alias)
    last = docket.aliases.get(alias.casefold())
    if last is None:
        raise RefusedError("not_found", f"{alias!r} was never merged into another name", "alias")
    if isinstance(last, AliasSplit):
        return Decision(records=(), alias=alias)
    record = AliasSplit(
        tenant=space.tenant, space=space.space, alias=alias, analyst=wanted.analyst, at=max(now, last.at + 1)
    )
    return Decision(records=(record,), alias=alias)


def _edge(name: str, facts: Facts) -> Edge:
    edge = facts.edge(name)
    if edge is None:
        raise RefusedError("not_found", f"no such edge in this space: {name!r}", "edge_id")
    return edge


def _live(field: str, event_id: str, facts: Facts) -> Event:
    event = facts.event(event_id)
    if event is None:
        raise RefusedError("not_found", f"no such event in this space, or it no longer counts: {event_id!r}", field)
    return event


def _given(field: str, event_id: str | None) -> str:
    if event_id is None:
        raise RefusedError("missing", "is required where no edge_id is given", field)
    return event_id


def _text(field: str, text: str) -> str:
    return check_content(field, text, MAX_REASON_BYTES) if text else text


def _after(name: str, standing: Sequence[Standing], docket: Docket, now: int) -> int:
    """A time later than every word said before on the edge, so that the new one is the last."""
    said = [ruling.at for ruling in standing]
    last = docket.edges.get(name)
    if last is not None:
        said.append(last.at)
    return max([now, *(at + 1 for at in said)])
