"""Rules for what is told as turned round: taken up again, one thing instead of another, a visitor who cannot come."""

from __future__ import annotations

import re

from ..distil.verbs import ing_base
from . import cues
from .clause import Said, said
from .endings import ends_of
from .features import Features
from .holdings import same
from .protocol import Judgement, Pair
from .ruling import updates
from .words import content_stems

_INSTEAD = ("instead of", "rather than")
_NO_OBJECTS = frozenset({"mor", "back", "longer"})
"""Stems of "any more", "back to"."""
_GETS = frozenset({"get", "buy", "have", "own", "adopt", "pass"})
_COMING = frozenset({"come", "go", "attend", "join", "visit", "make"})


def resumed(pair: Pair, f: Features) -> Judgement | None:
    """ "I'm drinking coffee again" after "I don't drink coffee any more" or "I gave up coffee"."""
    new, old = pair.newer, pair.older
    now, before = said(new.text), said(old.text)
    if now is None or before is None or not f.same_subject or new.modality == "planned" or old.modality == "planned":
        return None
    doing = _doing(now)
    able = now.form == "modal" and re.search(r"\bcan\b", f.newer) is not None
    if now.negated or now.nearly or (now.form == "modal" and not able) or not doing:
        return None
    denied = old.polarity == "negated" and before.verb == doing and _one_object(now, before)
    given_up = any(
        end.what is not None and (end.doing in ("", doing)) and any(same(noun, end.what) for noun in now.objects)
        for end in ends_of(old)
        if "habit" in end.of
    )
    eaten = old.attribute == "allergy" and doing in ("eat", "drink", "have") and not now.negated
    borne = eaten and any(noun.stems == content_stems(old.value or "") for noun in now.objects)
    return updates("change", 0.8, "It was taken up again.") if denied or given_up or borne else None


def _doing(now: Said) -> str:
    """What is done again: "I'm drinking … again", "I've started … again", "I'm back to running"."""
    if now.verb == "be" and now.after[:2] in (("back", "to"), ("back", "at")) and len(now.after) > 2:
        return ing_base(now.after[2]) or ""
    if not now.has("again"):
        return ""
    if now.gerund:
        return now.gerund if now.verb in ("start", "begin") else ""
    return now.verb if now.tense == "present" else ""


def _one_object(now: Said, before: Said) -> bool:
    taken, left = ([noun for noun in c.objects if noun.head not in _NO_OBJECTS] for c in (now, before))
    return any(same(noun, other) for noun in taken for other in left) or not (taken or left)


def instead(pair: Pair, f: Features) -> Judgement | None:
    """ "We're going to Malta instead of Crete": the plan is another. Of what is used, ``substitutes`` tells."""
    new, old = pair.newer, pair.older
    now, before = said(new.text), said(old.text)
    if now is None or before is None or now.negated or before.negated or not f.same_subject:
        return None
    if old.modality != "planned":
        return None
    left = [noun for noun in now.nouns if noun.before in _INSTEAD]
    if not any(noun.stems <= other.stems and same(noun, other) for noun in left for other in before.nouns):
        return None
    if cues.ONE_OFF.search(f.newer) or cues.TEMPORARY.search(f.newer) or _for_others(now, before):
        return None
    return updates("change", 0.8, "The newer statement puts another in its place.")


def _for_others(now: Said, before: Said) -> bool:
    """ "For the posters" and "for the brochures"."""
    left, right = ({noun.head for noun in clause.nouns if noun.before == "for"} for clause in (now, before))
    return bool(left) and bool(right) and left.isdisjoint(right)


def cannot_come(pair: Pair, f: Features) -> Judgement | None:
    """ "Grandma can't make it on Saturday" after "Grandma is coming on Saturday"."""
    new, old = pair.newer, pair.older
    now, before = said(new.text), said(old.text)
    if now is None or before is None or not f.same_subject or old.modality != "planned" or old.polarity == "negated":
        return None
    comes = now.verb in _COMING and (now.verb != "make" or now.after[:1] == ("it",))
    if not (now.negated and now.form == "modal" and comes and before.verb in _COMING):
        return None
    if f.dates_differ or not f.newer_dated:
        return None
    return updates("cancelled", 0.8, "Who was to come cannot.")


def now_so(pair: Pair, f: Features) -> Judgement | None:
    """ "I learned to swim" after "I can't swim"; "I got my licence" after "I don't have a licence"."""
    new, old = pair.newer, pair.older
    now, before = said(new.text), said(old.text)
    if now is None or before is None or not f.same_subject or old.polarity != "negated" or old.modality == "planned":
        return None
    if new.modality == "planned" or now.negated or now.nearly or cues.TEMPORARY.search(f.newer) or not before.verb:
        return None
    learned = now.verb == "learn" and now.tense in ("past", "perfect") and now.after[:2] == ("to", before.verb)
    can = now.form == "modal" and cues.NOW.search(f.newer) is not None and now.verb == before.verb
    if before.form == "modal" and (learned or (can and re.search(r"\bcan\b", f.newer) is not None)):
        return updates("change", 0.8, "What could not be done can be done now.")
    without = before.verb in ("have", "own") and before.form == "simple" and before.tense == "present"
    got = now.verb in _GETS and now.form in ("simple", "perfect") and not now.passive
    if without and got and any(noun.stems == other.stems for noun in now.objects for other in before.objects):
        return updates("change", 0.8, "What was not there is there now.")
    return None
