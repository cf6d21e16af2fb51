"""How a thing stands: granted, under way, waiting, late, stopped or finished; and which of these end which.

"The permit was revoked" ends "the permit has been granted", "the walk is back on" ends "the walk is cancelled". A step
further ends no step before it: what was approved and then shipped was approved.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from schemas.events import Event

from ..distil.lexicon.things import FOR_GOOD, OPERATING, STANDING_PHRASES, STANDING_VERBS
from . import cues
from .clause import Said, said
from .features import Features
from .protocol import Judgement, Pair
from .ruling import updates
from .things import same_thing, still_the_same

Standing = Literal["granted", "running", "waiting", "late", "off", "done"]

_NAMES: tuple[Standing, ...] = ("granted", "running", "waiting", "late", "off", "done")
_BY_VERB: dict[str, Standing] = {verb: name for name in _NAMES for verb in STANDING_VERBS.get(name, "").split()}
_BY_PHRASE: dict[str, Standing] = {phrase: name for name in _NAMES for phrase in STANDING_PHRASES[name].split("|")}
_BRIEFLY = re.compile(
    r"\bfor (?:an?|the|one|two|three|\d+|some) (?:\w+ )?(?:minutes?|hours?|days?|mornings?|afternoons?|while)\b"
)
_TURNING = frozenset({"put", "take", "go", "remain", "stay", "get"})
"""With a phrase they tell what a thing has become: "was put on hold", "went live"."""
_LONGEST = 4
"""Words of the longest phrase."""

_ENDS: dict[Standing, frozenset[Standing]] = {
    "granted": frozenset({"waiting", "off"}),
    "running": frozenset({"waiting", "off", "late"}),
    "waiting": frozenset(),
    "late": frozenset({"running"}),
    "off": frozenset({"granted", "running", "waiting", "late"}),
    "done": frozenset({"waiting", "running", "late"}),
}


def stands_otherwise(pair: Pair, f: Features) -> Judgement | None:
    """The same thing stands in a way now that excludes how it stood."""
    new, old = pair.newer, pair.older
    now = standing(new)
    if now is None or not same_thing(pair, f) or not still_the_same(pair, f):
        return None
    clause = said(new.text)
    for_once = clause is None or (
        clause.tense == "present" and (cues.ONE_OFF.search(f.newer) or _BRIEFLY.search(f.newer))
    )
    if clause is None or for_once or cues.HABIT.search(f.newer):
        return None  # "closed today", "closed for an hour", "closed on Mondays"
    before = standing(old)
    if before is not None:
        if before not in _ENDS[now]:
            return None
        kind = "cancelled" if old.modality == "planned" and now == "off" else "change"
        return updates(kind, 0.85, "The newer statement says that the thing stands otherwise now.")
    return _no_more(clause, old) if now == "off" else None


def _no_more(clause: Said, old: Event) -> Judgement | None:
    """A thing that is no more, or will not be, does nothing more."""
    stopped = clause.verb in FOR_GOOD or (clause.verb == "call" and clause.has("off"))
    if not clause.passive or not stopped or old.polarity == "negated":
        return None
    if old.modality == "planned":
        return updates("cancelled", 0.85, "The newer statement calls it off.")
    does = said(old.text)
    if does is not None and old.holds and does.tense == "present" and does.verb in OPERATING:
        return updates("change", 0.8, "The newer statement says that the thing is no more.")
    return None


@lru_cache(maxsize=16384)
def standing(event: Event) -> Standing | None:
    """How the statement says that its subject stands; None where it says nothing of it."""
    clause = said(event.text)
    if clause is None or clause.negated or clause.nearly or event.polarity == "negated" or not event.holds:
        return None
    if clause.first or clause.form in ("modal", "going_to") or clause.tense == "future":
        return None
    if (clause.verb == "be" and clause.tense == "present") or clause.verb in _TURNING:
        stands = _by_phrase(clause)
        if stands is not None or clause.verb == "be":
            return stands
    if clause.verb == "call" and clause.passive and clause.has("off"):
        return "off"
    if not clause.passive:
        return None
    if clause.tense == "past" and event.anchor.until < event.stated.sent_at and not _as_news(event):
        return None
    return _BY_VERB.get(clause.verb)


def _by_phrase(clause: Said) -> Standing | None:
    words = tuple(word for word in clause.after if word not in ("now", "still", "currently", "again", "all"))
    said_of = (" ".join(words[:n]) for n in range(_LONGEST, 0, -1))
    return next((_BY_PHRASE[phrase] for phrase in said_of if phrase in _BY_PHRASE), None)


def _as_news(event: Event) -> bool:
    """Told of a day, not of a year long past."""
    return event.anchor.precision in ("minute", "hour", "day", "week")
