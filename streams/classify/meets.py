"""Whether what is told to have ended is what an older statement is about: the same job, the van, the trip."""

from __future__ import annotations

from schemas.events import Event

from .clause import Noun, Said, said
from .end import End
from .holdings import Kind, same
from .signs import stems
from .words import content_stems, stem

_VAGUE = frozenset(
    [
        "trip",
        "plan",
        "visit",
        "holiday",
        "journey",
        "flight",
        "vacation",
        "tour",
        "weekend",
        "appointment",
        "meet",
        "thing",
        "date",
        "stay",
        "week",
        "party",
        "event",
        "membership",
        "subscription",
        "idea",
    ]
)
"""Stems that many plans share: what stands beside them tells which one is meant."""
_ALLERGY = stem("allergy")
_LESSONS = stems("lessons class course practice training")


def meets(end: End, met: frozenset[Kind], old: Event) -> bool:
    """The end is of what the older statement tells. ``met``: the kinds that both are of."""
    if "plan" in met:
        return end.what is not None and _same_plan(end, end.what, old)
    clause = said(old.text)
    if end.what is None and not end.doing:
        return True
    if (
        "work" in met
        and end.what is not None
        and end.doing in ("", "work")
        and end.what.stems <= content_stems(old.value or "")
    ):
        return True  # "the harbour office" of "the harbour office job"
    if clause is None:
        return False
    telling = frozenset[str]() if end.what is None else end.what.stems - _VAGUE
    if "habit" in met and telling and content_stems(old.value or "") == telling:
        return True
    if "state" in met and end.what is not None and old.attribute is not None and end.what.head == stem(old.attribute):
        return True  # "my email", of what is told as one
    if old.attribute == "allergy" and end.what is not None and end.what.head == _ALLERGY:
        return end.what.stems - {_ALLERGY} <= content_stems(old.value or "")
    if end.doing:
        does = clause.verb == end.doing and (end.what is None or any(same(end.what, noun) for noun in clause.nouns))
        return does or any(_is_agent(noun, end) for noun in clause.nouns)
    return end.what is not None and (_has(end.what, met, clause) or _is_called(end.what, met, old))


def _is_agent(noun: Noun, end: End) -> bool:
    """Who "quit driving trams" was a tram driver."""
    return end.what is not None and noun.head.startswith(f"{end.doing}r") and end.what.head in noun.stems


def _has(what: Noun, met: frozenset[Kind], clause: Said) -> bool:
    owned = bool(met & {"thing", "being"}) and not met & {"habit", "work", "membership", "studies", "home", "condition"}
    nouns = clause.objects if owned else clause.nouns
    if "habit" in met and any(noun.head in _LESSONS and what.stems <= noun.stems for noun in nouns):
        return True  # "the piano" of piano lessons
    return any(same(what, noun) for noun in (*nouns, *clause.subject))


def _is_called(what: Noun, met: frozenset[Kind], old: Event) -> bool:
    """An animal or a band by its name: "a dog called Pip"."""
    return (
        bool(met & {"being", "membership"})
        and what.named
        and not what.article
        and what.stems <= content_stems(old.text)
    )


def _same_plan(end: End, what: Noun, old: Event) -> bool:
    """The noun is one of the plan's, or what the plan is about: "the dentist" of a dentist appointment."""
    planned, clause = content_stems(old.text), said(old.text)
    heads = frozenset(noun.head for noun in (*clause.subject, *clause.nouns)) if clause is not None else planned
    if what.head not in heads and (end.whose != "owner" or len(what.stems) > 1) and not what.stems & heads:
        return False
    telling = what.stems - _VAGUE
    return telling <= planned if telling else bool(what.stems) and what.stems <= planned
