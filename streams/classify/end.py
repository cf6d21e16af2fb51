"""What is told to have ended: the shape of what the rules of endings find."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .clause import Noun
from .holdings import Kind

ANY: frozenset[Kind] = frozenset(
    {"thing", "being", "work", "studies", "membership", "home", "condition", "habit", "plan", "state"}
)


class End(NamedTuple):
    """What ended. ``what``: named, or None where it goes without saying, since one has one of the kind at a time.

    ``whose``: of the clause's subject, of whoever has the subject ("my bike got stolen"), or of the speaker, to whom
    others did it ("they fired me"). ``doing``: the base of the verb that is no longer done ("stopped *smoking*"), else
    empty. ``done``: as was planned. ``decided``: somebody decided against it.
    """

    of: frozenset[Kind]
    what: Noun | None = None
    whose: Literal["subject", "owner", "speaker"] = "subject"
    doing: str = ""
    done: bool = False
    decided: bool = False


def of_kinds(*kinds: Kind) -> frozenset[Kind]:
    """A set of kinds."""
    return frozenset(kinds)


def whole(nouns: tuple[Noun, ...]) -> Noun | None:
    """Several noun phrases as one: "the trip to the coast"."""
    if not nouns:
        return None
    stems = frozenset[str]().union(*(noun.stems for noun in nouns))
    named, owned = any(noun.named for noun in nouns), any(noun.owned for noun in nouns)
    return nouns[0]._replace(stems=stems, named=named, owned=owned)
