"""Rules for what was taken back, or was wrong from the start. See ``offline``, which calls them first."""

from __future__ import annotations

import re

from schemas.times import US_PER_DAY

from ..admissions import puts_right
from . import cues
from .features import SHORT_GAP_US, Features, figures, named_things
from .protocol import Judgement, Pair
from .ruling import MOST, updates
from .subjects import about
from .words import rare_stems

MONTH_US = 31 * US_PER_DAY


def withdrawn(pair: Pair, f: Features) -> Judgement | None:
    """ "I was joking" right after, or about what shares its words; "I mistyped" and no more in the message after."""
    if not f.same_speaker:
        return None
    if cues.ADMISSION.fullmatch(f.newer):
        other_message = pair.newer.stated.message_id != pair.older.stated.message_id
        if f.adjacent and other_message and f.gap_us <= SHORT_GAP_US:
            return updates("withdrawn", 0.7, "The speaker said that it was a mistake.")
        return None
    if pair.newer.polarity == "affirmed" and pair.newer.modality == "planned":
        return None  # "scratch that, it's Monday": something else is so
    if cues.WITHDRAWN.search(f.newer) and (f.adjacent or f.same_thing):
        return updates("withdrawn", 0.85, "The speaker took it back.")
    return None


def correction(pair: Pair, f: Features) -> Judgement | None:
    """ "It was never the 12th, I mistyped": the same thing, with words that say the former was wrong."""
    admitted, never = cues.CORRECTION.search(f.newer), cues.NEVER.search(f.newer)
    if cues.ADMISSION.fullmatch(f.newer) or not (admitted or never) or f.attribute_conflict:
        return None
    if pair.newer.modality == "planned" and pair.older.modality == "asserted":
        return None
    denied = f.denied_figures
    if denied and denied.isdisjoint(figures(f.older)):
        return None  # it denies something, but not this
    if (cues.CORRECTION.search(f.older) or cues.NEVER.search(f.older)) and not _same_or_third(pair, f):
        return None
    if _says_the_same(pair, f) or (f.attribute is not None and f.dates_differ and _another_one(f)):
        return None
    if not admitted and not denied and not _denies(pair, f):
        return None
    if f.same_subject and about(pair.newer).third and (denied or _other_value(pair, f)):
        return updates("correction", 0.85, "The newer statement denies what the older one named.")
    if not f.same_subject and pair.newer.subject is not None and not f.shared:
        return None
    other = f.attribute is not None and _other_value(pair, f)
    if f.on_topic or (f.shared and f.figures_differ) or other or _replies(pair, f):
        confidence = 0.85 if f.same_thing else 0.7
        return updates("correction", confidence, "The newer statement says that the older one was wrong.")
    return None


def fragment(pair: Pair, f: Features) -> Judgement | None:
    """ "Sorry, 7:40 not 6:40" right after: a figure of the kind that the statement before names, and nothing else."""
    found = puts_right(pair.newer.text)
    if found is None or not (f.same_speaker and f.adjacent and f.gap_us <= SHORT_GAP_US):
        return None
    named = [match[0].replace(".", ":") for match in _SHAPES[_shape(found.new)].finditer(f.older)]
    wrong = found.old if found.old is not None else named[0] if len(named) == 1 else None
    if wrong is None or wrong not in named or wrong == found.new:
        return None
    return updates("correction", 0.85, "The figure named right before is put right.")


def _shape(figure: str) -> str:
    return "clock" if ":" in figure else "number" if any(c.isdigit() for c in figure) else "day"


_SHAPES = {
    "clock": re.compile(r"(?<![\d.:])\d{1,2}[:.]\d\d(?![\d.:]\d)"),
    "number": re.compile(r"(?<![\w.:,])[€$£]?\d+(?:st|nd|rd|th|k|kg|km|am|pm)?(?![\w]|[.:,]\d)"),
    "day": re.compile(
        r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september"
        r"|october|november|december)\b"
    ),
}
"""What figures of one kind look like."""


def put_right(pair: Pair, f: Features) -> Judgement | None:
    """ "I mistyped: it was always the 12th of June", later and of what it does not name: of a date like it.

    Of several such dates the link step finds that it cannot be known which one is meant.
    """
    new, old = pair.newer, pair.older
    if new.subject is not None or not f.same_speaker or not cues.CORRECTION.search(f.newer):
        return None
    if cues.ADMISSION.fullmatch(f.newer) or cues.CORRECTION.search(f.older) or old.polarity == "negated":
        return None
    alike = new.modality == old.modality == "planned" and new.anchor.precision == old.anchor.precision
    if not alike or not f.dates_differ or old.anchor.until <= new.stated.sent_at:
        return None
    near = abs(new.anchor.start - old.anchor.start) <= MONTH_US
    if near and not figures(f.newer).isdisjoint(figures(f.older)):
        return updates("correction", 0.7, "The newer statement puts a date right that is like the older one's.")
    return None


def _replies(pair: Pair, f: Features) -> bool:
    """Said right after, with no topic of its own: "it" without a name, or little besides the admission."""
    if not (f.adjacent and f.same_speaker and 0 < f.gap_us <= SHORT_GAP_US) or pair.newer.attribute is not None:
        return False
    return pair.newer.subject is None or len(rare_stems(cues.CORRECTION.sub(" ", f.newer))) <= 1


def _same_or_third(pair: Pair, f: Features) -> bool:
    return f.same_thing or (f.same_subject and about(pair.newer).third)


def _says_the_same(pair: Pair, f: Features) -> bool:
    """Both affirm the same value of an attribute, or the same time: nothing is put right."""
    if pair.newer.polarity != pair.older.polarity or _other_value(pair, f):
        return False
    new, old = pair.newer.anchor, pair.older.anchor
    named = new.resolution != "message_time" and old.resolution != "message_time"
    same_time = named and (new.start, new.until) == (old.start, old.until)
    return same_time or (f.attribute is not None and f.values_same)


def _another_one(f: Features) -> bool:
    """Each names something that the other does not: a trip to one place and a trip to another."""
    new, old = named_things(cues.CORRECTION.sub(" ", f.newer)), named_things(f.older)
    return bool(new - old) and bool(old - new)


def _other_value(pair: Pair, f: Features) -> bool:
    """Another value, another figure in it, or another date; a date does not correct what is none."""
    if f.dates_differ:
        return True
    counted = figures(pair.newer.value or "") ^ figures(pair.older.value or "")
    named = pair.newer.value is not None and pair.older.value is not None
    return f.newer_dated == f.older_dated and (f.values_differ or (named and bool(counted)))


def _denies(pair: Pair, f: Features) -> bool:
    """ "Never" without a figure: what it names must be what the older statement affirms, and nearly all of it."""
    if pair.older.polarity == "negated" or not pair.older.holds or f.denied_words.isdisjoint(rare_stems(f.older)):
        return False
    return f.covered >= MOST or (f.attribute is not None and (f.values_same or _other_value(pair, f)))
