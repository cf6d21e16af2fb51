"""Topic ``adjudications``: rulings of analysts. The later ``at`` wins, ties by record hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from .edges import Relation, UpdateKind
from .events import Event, Source
from .record import Record


class RuledEnd(msgspec.Struct, frozen=True, gc=False, kw_only=True):
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


class AliasMerged(Record, frozen=True, kw_only=True, omit_defaults=True, tag="alias_merged"):
    """``alias`` is another name of ``canonical``. ``sources``: the messages it was learned from, if any."""

    alias: str
    canonical: str
    analyst: str
    evidence: str
    at: int
    sources: tuple[Source, ...] = ()


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


def merges(words: Iterable[AliasRecord]) -> dict[str, str]:
    """Case-folded alias to the name it was merged into, as written; from the last word on every alias."""
    return {word.alias.casefold(): word.canonical for word in words if isinstance(word, AliasMerged)}


def canonical_names(merged: Mapping[str, str]) -> dict[str, str]:
    """Every alias, case-folded, with the name it stands for in the end, as that is written.

    Chains are followed. A circle of merges gives its smallest name, so that all in it are one and the same person.

    Args:
        merged: see ``merges``.
    """
    written: dict[str, str] = {}
    for canonical in sorted(merged.values()):
        written.setdefault(canonical.casefold(), canonical)
    found: dict[str, str] = {}
    for alias in sorted(merged):
        path = [alias]
        while path[-1] in merged and (following := merged[path[-1]].casefold()) not in path:
            path.append(following)
        stands_for = min(path) if path[-1] in merged else path[-1]
        if stands_for != alias:
            found[alias] = written[stands_for]
    return found


def with_names(event: Event, names: Mapping[str, str]) -> Event:
    """An event under canonical names; the very same object where no alias is in it.

    Args:
        event: as its producer has it.
        names: see ``canonical_names``.
    """
    if not names:
        return event
    people = tuple(sorted({_name(name, names) for name in event.participants}))
    subject = None if event.subject is None else _name(event.subject, names)
    speaker = None if event.speaker is None else _name(event.speaker, names)
    if (people, subject, speaker) == (event.participants, event.subject, event.speaker):
        return event
    return msgspec.structs.replace(event, participants=people, subject=subject, speaker=speaker)


def _name(name: str, names: Mapping[str, str]) -> str:
    return names.get(name.casefold(), name)
