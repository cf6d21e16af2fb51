"""What an older statement says that somebody has or does: the kinds of things that can come to an end."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from schemas.events import Event

from ..distil.lexicon.people import PARTNERS
from .attributes import canonical_attribute
from .clause import Noun, Said, said
from .signs import (
    ailing,
    in_company,
    jobless,
    missing,
    not_yet_there,
    of_animal,
    ordered,
    studying,
    teaching,
    together,
    troubled,
    waiting,
    weekly,
    worn,
)
from .words import stem

Kind = Literal[
    "thing", "being", "work", "bond", "studies", "membership", "home", "condition", "pregnancy", "habit", "diet",
    "meat", "search", "loss", "stay", "company", "figure", "plan", "state", "worn", "wait", "illness", "order",
    "jobless",
]  # fmt: skip
"""What somebody owns; an animal or a person; a job; a relationship; studies; being in a club; a home; an illness; a
pregnancy; what somebody does over and over; a way of eating, without meat or with it; looking for something; having
lost something; being somewhere for a while; living with others; how much or how many; what is to come; whatever else is
so; what is worn after an accident; waiting for something; being ill; what was ordered; having no work."""

STATE: frozenset[Kind] = frozenset({"state"})
_BY_ATTRIBUTE: dict[str, frozenset[Kind]] = {
    "employer": frozenset({"work"}),
    "job": frozenset({"work"}),
    "relationship": frozenset({"bond"}),
    "studies": frozenset({"studies", "habit"}),
    "school": frozenset({"studies"}),
    "pregnancy": frozenset({"pregnancy"}),
    "pet": frozenset({"being"}),
    "car": frozenset({"thing"}),
    "home": frozenset({"home"}),
    "condition": frozenset({"condition"}),
    "allergy": frozenset({"condition"}),
    "medication": frozenset({"habit"}),
    "drink": frozenset({"habit"}),
    "smoking": frozenset({"habit"}),
    "diet": frozenset({"habit"}),
}

MEATS = frozenset("meat chicken beef pork steak sausag ham".split())  # noqa: SIM905
"""Stems."""

_OWNING = frozenset({"have", "own", "get", "buy", "drive", "ride", "use", "keep", "lease", "rent", "adopt", "inherit"})
_STATES = frozenset(
    {
        "be",
        "have",
        "own",
        "know",
        "like",
        "love",
        "hate",
        "prefer",
        "need",
        "want",
        "belong",
        "mean",
        "seem",
        "look",
        "feel",
    }
)
_MEASURED = frozenset({"be", "cost", "pay", "charge"})
_WARDS = frozenset(stem(word) for word in ["hospital", "clinic", "rehab", "prison", "jail", "quarantine"])
_SCHOOLS = frozenset(
    stem(word)
    for word in ("school", "primary", "elementary", "academy", "college", "university", "kindergarten", "nursery")
)
_AILING = frozenset(
    "sprained broken sick ill hurt sore swollen inflamed injured infected bruised torn fractured blocked stiff".split()  # noqa: SIM905
)


_TOLD_AS: dict[Kind, Callable[[Said], bool]] = {
    "company": in_company, "bond": together, "condition": troubled, "worn": worn, "wait": waiting, "illness": ailing,
    "studies": studying, "being": of_animal, "membership": weekly, "work": teaching, "jobless": jobless,
}  # fmt: skip
"""What tells of a kind by its clause."""
_MISSED: dict[Kind, Callable[[Said], bool]] = {"loss": missing, "wait": not_yet_there}
"""So by a denied one."""


@lru_cache(maxsize=16384)
def holding(event: Event) -> frozenset[Kind]:
    """The kinds a statement tells of; empty when nothing in it can end."""
    if event.polarity == "negated":
        return _denied(event)
    if event.modality == "planned":
        return frozenset({"plan", "pregnancy"}) if event.attribute == "pregnancy" else frozenset({"plan"})
    clause = said(event.text)
    if clause is not None and event.type == "action" and ordered(clause):
        return frozenset({"order"})
    if not event.holds or event.type == "action":
        return frozenset()
    attribute = canonical_attribute(event.attribute) or ""
    kinds: frozenset[Kind] = _BY_ATTRIBUTE.get(attribute, frozenset())
    if attribute == "diet" and event.value is not None and event.value.casefold() in ("vegan", "vegetarian"):
        kinds = frozenset({"habit", "diet"})
    if attribute == "studies" and clause is not None and clause.verb == "learn":
        kinds = frozenset({"habit"})  # what one learns besides goes on after graduation
    if attribute in PARTNERS:
        kinds = frozenset({"bond"})
    if attribute.startswith(("membership", "club role")):
        kinds = frozenset({"membership"})
    by_clause: frozenset[Kind] = frozenset() if clause is None else _by_clause(clause, animal=attribute == "pet")
    return kinds | STATE | by_clause


def _denied(event: Event) -> frozenset[Kind]:
    """What is missed: "I can't find my keys", "the parcel hasn't arrived"."""
    clause = said(event.text)
    if clause is None or event.modality == "planned" or not event.holds:
        return frozenset()
    return frozenset(kind for kind, tells in _MISSED.items() if tells(clause))


def _by_clause(clause: Said, *, animal: bool) -> frozenset[Kind]:
    kinds: set[Kind] = set()
    if clause.negated:
        return frozenset()
    if clause.verb == "lose" and not clause.passive:
        kinds.add("loss")
    kinds |= {kind for kind, told in _TOLD_AS.items() if told(clause)}
    if clause.verb == "want" and clause.after[:1] == ("to",) and clause.first:
        kinds.add("plan")
    if clause.verb in _MEASURED and any(word[0].isdigit() for word in clause.after):
        kinds.add("figure")
    if clause.verb == "be" and any(noun.before == "in" and noun.head in _WARDS for noun in clause.nouns):
        kinds.add("stay")
    if clause.verb in ("go", "attend") and any(noun.named and noun.head in _SCHOOLS for noun in clause.nouns):
        kinds.add("studies")
    if clause.verb in _OWNING and not animal:
        kinds.add("thing")
    if clause.verb not in _STATES and clause.tense in ("present", "perfect"):
        kinds.add("habit")
    broken = clause.verb == "break" and clause.passive and clause.tense == "present"
    if broken or (clause.verb == "be" and (clause.has(*_AILING) or "cast" in clause.after)):
        kinds.add("condition")
    if clause.verb == "have" and any(
        noun.head in ("flu", "cold", "fever", "headach", "migrain") for noun in clause.nouns
    ):
        kinds.add("condition")
    if clause.verb == "be" and clause.has("still") and any(noun.before == "at" for noun in clause.nouns):
        kinds |= {"work", "studies"}
    if clause.verb == "be" and clause.first and any(noun.before == "in" for noun in clause.nouns):
        kinds.add("membership")
    if clause.verb == "eat" and any(noun.head in MEATS for noun in clause.objects):
        kinds.add("meat")
    if clause.form == "progressive" and clause.tense == "present":
        kinds |= {"search"} if clause.verb == "look" and clause.has("for") else set()
        kinds |= {"stay"} if clause.verb in ("stay", "visit") else set()
    return frozenset(kinds)


def same(what: Noun, had: Noun) -> bool:
    """One noun phrase is the other, maybe made more exact: "the van" is "a camper van", "my van" no "city bike"."""
    if (had.many and not what.many) or (what.owned and not what.stems <= had.stems):
        return False
    if had.owned and not had.stems <= what.stems:
        return False
    within = what.stems <= had.stems or had.stems <= what.stems
    return within and (what.head == had.head or what.named or had.named)
