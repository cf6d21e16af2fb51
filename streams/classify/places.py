"""Where a thing is or takes place, and when another place excludes the first.

A room is in a building and a building in a town: "the workshop is in room 7" goes with "the workshop is in Odense". Two
places exclude each other when both name one of a kind by another name (room 7 and room 12, the Odense and the Aarhus
office), or when neither can be within the other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from schemas.events import Event

from ..anchors import find_phrases
from ..distil.lexicon.things import NO_PLACES, PLACES_WITHIN, WHOLE_PLACES
from .features import Features, plain
from .protocol import Judgement, Pair
from .ruling import updates
from .things import both_hold, days_of, same_thing, still_the_same
from .words import stem

_AT = re.compile(
    r"\b(?:(?:is|are|'s|will be) (?:now |currently |still )?(?:held |located |based )?(?P<at>in|at|on)"
    r"|(?:takes?|will take) place (?:now )?(?P<at2>in|at|on)"
    r"|(?P<moved>moved|relocated|moves|moving|been moved) (?:\w+ )?(?:to|into)) "
    r"(?=(?:the |our )?(?-i:[A-Z])|(?:the|our) \w|(?:room|building|hall|gate|platform|floor|suite) )(?P<place>.+)$",
    re.IGNORECASE,
)
_END = re.compile(
    r"\s+(?:on|from|until|till|because|due|since|for|this|next|after|before|and|but|so|instead|now|again|as|when|while"
    r"|at \d)\b.*$|[.;!?].*$|\s[-–—]\s.*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"the", "our", "a", "an", "my", "old", "new"})


class Place(NamedTuple):
    """Parts of a place: kind ("room", else empty) and stems of the name of each; ``prep``: in, at, on, or to."""

    parts: tuple[tuple[str, frozenset[str]], ...]
    prep: str


@lru_cache(maxsize=16384)
def place_of(event: Event) -> Place | None:
    """Where the statement says that its subject is; None where it says nothing of it."""
    match = _AT.search(" ".join(event.text.split()))
    if match is None or event.polarity == "negated" or not event.holds:
        return None
    text = _END.sub("", match["place"])
    phrases = find_phrases(text)
    if phrases:
        text = text[: phrases[0].start]
    parts = tuple(part for piece in re.split(r",| in | at ", text) if (part := _part(piece)) is not None)
    if not parts or any(names & NO_PLACES for _, names in parts):
        return None
    return Place(parts, "to" if match["moved"] else (match["at"] or match["at2"]).lower())


def _part(piece: str) -> tuple[str, frozenset[str]] | None:
    words = [word.casefold() for word in _WORD.findall(piece)]
    names = [word for word in words if word not in _ARTICLES or len(words) == 1]
    kind = next((word for word in names if word in PLACES_WITHIN or word in WHOLE_PLACES), "")
    rest = frozenset(stem(word) if len(word) > 1 else word for word in names if word != kind)
    return (kind, rest) if kind or rest else None


def placed_elsewhere(pair: Pair, f: Features) -> Judgement | None:
    """The same thing is, or takes place, somewhere else."""
    now, before = place_of(pair.newer), place_of(pair.older)
    if now is None or before is None or not same_thing(pair, f) or not still_the_same(pair, f):
        return None
    if both_hold(pair) or f.dates_differ:
        return None
    if pair.newer.modality == "planned" and pair.older.modality != "planned":
        return None
    if _exclude(now, before):
        return updates("change", 0.85, "The newer statement names another place for it.")
    return None


def may_both_be(new: Event, old: Event) -> bool:
    """Two values of "location" that go together: a room and its town, other days, no place at all ("in English")."""
    if days_of(new.text) != days_of(old.text):
        return True
    if any(NO_PLACES & set(plain(event.value or "").split()) for event in (new, old)):
        return True
    now, before = place_of(new), place_of(old)
    if now is None or before is None or _exclude(now, before):
        return False
    return now.parts[0][0] != before.parts[0][0]


def _exclude(now: Place, before: Place) -> bool:
    kinds = {kind: names for kind, names in before.parts if kind}
    if any(kind in kinds and names and kinds[kind] and names.isdisjoint(kinds[kind]) for kind, names in now.parts):
        return True
    (kind, names), (former, had) = now.parts[0], before.parts[0]
    if not names.isdisjoint(had) or (kind and kind == former):
        return False
    as_a_whole = kind not in PLACES_WITHIN and former not in PLACES_WITHIN
    alike = now.prep in ("to", before.prep) and (bool(kind) == bool(former) or now.prep == "to")
    return as_a_whole and alike
