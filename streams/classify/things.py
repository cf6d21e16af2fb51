"""When two statements are about one thing that is no person: a project, a place, an order, an arrangement."""

from __future__ import annotations

from schemas.events import Event
from schemas.ids import normal_text
from schemas.times import US_PER_DAY

from ..distil.lexicon.attributes import EVENTS
from ..distil.lexicon.things import CALENDAR, OCCASIONS
from . import cues
from .features import Features, figures, plain
from .protocol import Pair
from .subjects import about

ONE_OCCASION_US = 14 * US_PER_DAY
"""Longer after it, "the meeting" is another meeting, unless the one that was spoken of is still to come."""

_ONE_AFTER_THE_OTHER = OCCASIONS | frozenset(EVENTS)


def same_thing(pair: Pair, f: Features) -> bool:
    """Both are about it by name, and it is nobody who takes part."""
    return f.same_subject and _is_thing(pair.newer) and _is_thing(pair.older) and _names_one(pair)


def _names_one(pair: Pair) -> bool:
    """By the same words: "Ann's boat" and what Ann says of her boat meet in the gate, but say less of the boat."""
    new, old = about(pair.newer), about(pair.older)
    if new.subject == old.subject:
        return True
    return new.owner is None or old.owner is None or new.thing == old.thing


def is_bare_label(event: Event) -> bool:
    """ "Deadline: 9 May", of whatever was spoken of: only "new deadline: …" says that it is the one told before."""
    return event.subject is not None and plain(event.text).startswith(f"{plain(event.subject)}:")


def _is_thing(event: Event) -> bool:
    subject = about(event).subject
    people = {normal_text(name) for name in event.participants}
    return about(event).third and subject is not None and subject not in people


def still_the_same(pair: Pair, f: Features) -> bool:
    """No other one of the kind is meant: of what takes place once and has no name of its own only the next or last.

    "Rehearsals", what is so every week and what is so from now on goes on.
    """
    subject = about(pair.newer).subject or ""
    words = subject.split()
    once = bool(words) and words[-1] in _ONE_AFTER_THE_OTHER and not any(c.isdigit() for c in subject)
    if not once or cues.HABIT.search(f.older) or cues.NOW.search(f.newer):
        return True
    anchor = pair.older.anchor
    ahead = anchor.resolution != "message_time" and pair.newer.stated.sent_at < anchor.until
    return ahead or f.gap_us <= ONE_OCCASION_US


def days_of(text: str) -> frozenset[str]:
    """Weekdays and months that a text names."""
    return frozenset(figure for figure in figures(text) if figure.isalpha() and figure in CALENDAR)


def both_hold(pair: Pair) -> bool:
    """They tell of other days, or the newer one adds to the older one or tells of one occasion."""
    if days_of(pair.newer.text) != days_of(pair.older.text):
        return True
    newer = plain(pair.newer.text)
    return bool(cues.ADDED.search(newer) or cues.ONE_OFF.search(newer) or cues.TEMPORARY.search(newer))
