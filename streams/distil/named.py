"""Animals and the names they are given: "We have a dog. She is called Tinker.", "a budgie called Pip", "a cat, Mo".

The name takes part in the statement that somebody has the animal, and the sentence that gives it belongs to its text:
"Tinker died" is later known to be about it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .corrections import Placed
from .lexicon.people import PARTNERS, SERVING, STAYING
from .statement import Statement
from .subjects import Subject

ANIMAL = "pet"
"""The attribute of a statement that somebody has an animal."""

_NAMED = re.compile(
    r"(?:\b(?:called|named)|\b(?:his|her|its) name(?:'s| is)|,) (?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
)
_WITH_ROLE = re.compile(
    rf"\b(?i:my|our|an?|two) (?:new )?(?:{'|'.join(STAYING)}|{'|'.join(SERVING)})(?:'s| is| are|,)?(?: called| named)? "
    r"(?P<name>[A-Z][\w'-]*\.?(?: [A-Z][\w'-]+)?)"
)
_WHO = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?")
_MANY = re.compile(r"s$")


def name_in(text: str, attribute: str | None) -> tuple[str, ...]:
    """The name that a statement about an animal, or about being in something, gives it; none or one."""
    named = attribute is not None and attribute.split()[0] in (ANIMAL, "membership")
    match = _NAMED.search(text) if named else _WITH_ROLE.search(text)
    return () if match is None else (match["name"],)


def couple(subject: Subject, attribute: str | None, value: str | None) -> tuple[str, ...]:
    """Who "my girlfriend is Lea" is about beside the girlfriend: Lea, and whose girlfriend she is."""
    owner, possessive, who = (subject.name or "").partition("'s ")
    named = value is not None and _WHO.fullmatch(value) is not None
    if not (subject.is_person and possessive and who == attribute and who in PARTNERS and named and value):
        return ()
    return owner, value


def one_animal(attribute: str | None, value: str | None) -> str | None:
    """The animal, when a statement is about one: "she" may mean it next."""
    return value.lower() if attribute == ANIMAL and value is not None and not _MANY.search(value) else None


def with_names(found: Sequence[Placed], speaker: str) -> list[Placed]:
    """The statements, those about an animal grown by the sentence after them that names it."""
    grown = list(found)
    for at in range(1, len(grown)):
        (before, animal), (place, naming) = grown[at - 1], grown[at]
        what = one_animal(animal.attribute, animal.value)
        if what is None or place - before > 1 or not _names(naming, f"{speaker}'s {what}"):
            continue
        people = tuple(sorted({*animal.people, naming.value or ""}))
        grown[at - 1] = before, animal._replace(end=max(animal.end, naming.end), people=people)
    return grown


def _names(s: Statement, animal: str) -> bool:
    """It says what the animal is called."""
    return s.attribute == "name" and s.value is not None and s.value[:1].isupper() and s.subject.name == animal
