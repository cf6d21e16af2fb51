"""The times of an event, never mixed: anchor, valid_from, ends_at, holds, expected_until (design section 3)."""

from __future__ import annotations

from typing import NamedTuple

from schemas.events import Anchor, Modality

from ..anchors import Phrase, Role, Tense, find_phrases, message_anchor, refer_back, resolve_phrase
from ..anchors.nodes import Context
from .finite import Tokens
from .kinds import When, changes, is_last_day, still_holds
from .lexicon import kinds as words
from .lexicon.verbs import STATIVE
from .parse import Parse

Dated = tuple[Role, Anchor]


class Times(NamedTuple):
    """As in ``schemas.events.Event``."""

    anchor: Anchor
    valid_from: int | None
    ends_at: int | None
    holds: bool
    expected_until: int | None


def dates_of(clause_text: str, reading: Parse, context: Context, last: Anchor | None = None) -> tuple[Dated, ...]:
    """Every time phrase of the clause that resolves, with its role. ``context`` carries the message's clock.

    Phrases look where the clause's tense points, but what a rescheduling verb moves something *to* lies ahead. Without
    any, one that points back ("that evening") is counted from ``last``, the time the message named before.
    """
    found: list[Dated] = []
    for phrase, moved_to in _phrases(clause_text, reading):
        tense: Tense = "future" if moved_to else _tense_for(phrase, clause_text, reading)
        anchor = resolve_phrase(phrase, context._replace(tense=tense))
        if anchor is not None:
            found.append((phrase.role, anchor))
    if not found and last is not None:
        back = refer_back(clause_text, last, context)
        return () if back is None else (("at", back),)
    return tuple(found)


def _phrases(clause_text: str, reading: Parse) -> tuple[tuple[Phrase, bool], ...]:
    """The clause's phrases; of what is moved "from A to B" only B counts, marked as the new time."""
    phrases = find_phrases(clause_text)
    if reading.base in words.RESCHEDULING:
        for phrase in phrases:
            cut = phrase.text.lower().find(" to ")
            if cut > 0 and phrase.text.lower().startswith("from "):
                return tuple((p, True) for p in find_phrases(clause_text[phrase.start + cut + 1 :]))
    return tuple((p, False) for p in phrases)


def _tense_for(phrase: Phrase, clause_text: str, reading: Parse) -> Tense:
    if reading.base in words.RESCHEDULING and reading.tense in ("past", "perfect", "present"):
        before = clause_text[: phrase.start].rstrip().rpartition(" ")[2].lower()
        if before in ("to", "for", "till", "until") or phrase.text.lower().startswith(
            ("for ", "until ", "till ", "starting ", "from ")
        ):
            return "future"
    if reading.form == "verbless":
        return "future"
    return reading.tense


_LONG = ("week", "month", "season")


def when_of(dates: tuple[Dated, ...], sent_at: int, day_end: int) -> When:
    """What the dates say about the clause's kind. Ahead: it begins after the message (a day: after the sent day)."""
    ahead = any(_is_ahead(role, anchor, sent_at, day_end) for role, anchor in dates)
    around = any(a.start <= sent_at < a.until and a.precision in _LONG for _, a in dates)
    return When(bool(dates), ahead, around, any(role == "from" for role, _ in dates))


def _is_ahead(role: Role, anchor: Anchor, sent_at: int, day_end: int) -> bool:
    if role in ("since", "for", "until"):
        return False
    if role == "by":
        return anchor.until > sent_at
    if anchor.precision in ("minute", "hour"):
        return anchor.start > sent_at
    return anchor.start >= day_end


def times_of(
    dates: tuple[Dated, ...],
    tokens: Tokens,
    reading: Parse,
    modality: Modality,
    context: Context,
    *,
    was_state: bool = False,
) -> Times:
    """The times of one statement. ``was_state``: it tells of a past state (``kinds.is_past_state``)."""
    names = tuple(t.word for t in tokens)
    main = next((d for d in dates if d[0] != "until"), None)
    if main is None and dates and reading.tense in ("past", "future"):
        main = dates[0]
    anchor = main[1] if main else message_anchor(context)
    ends_at = next((a.until for role, a in dates if role == "until"), None)
    if main is not None and main[0] == "range" and modality == "asserted":
        ends_at = anchor.until
    closed = ends_at is not None and ends_at <= context.clock.sent
    if modality == "planned":
        begin = anchor.start if main and main[0] == "from" and reading.base in STATIVE else None
        return Times(anchor, begin, ends_at, holds=True, expected_until=anchor.until if main else None)
    holds = still_holds(names, reading, recollected=_recollected(names, main), closed=closed, was_state=was_state)
    return Times(anchor, _valid_from(names, reading, main), ends_at, holds, expected_until=None)


def _valid_from(names: tuple[str, ...], reading: Parse, main: Dated | None) -> int | None:
    """When the text says it began: "since", "for N", "from", a range; or when a past change or act took place.

    A dated present ("I'm vegan this month") says nothing about its beginning.
    """
    if main is None or main[0] in ("until", "by"):
        return None
    role, anchor = main
    if is_last_day(names, reading):
        return anchor.until
    if role in ("since", "for", "from", "range"):
        return anchor.start
    if reading.tense == "past" or (reading.tense == "perfect" and changes(names, reading)):
        return anchor.start
    return None


def _recollected(names: tuple[str, ...], main: Dated | None) -> bool:
    """Told as memory: a cue ("back in", "as a kid"), or a bare year ("in 2015 I moved")."""
    text = " ".join(names)
    if any(cue in text for cue in words.RECOLLECTING):
        return True
    return main is not None and main[0] == "at" and main[1].precision == "year" and main[1].resolution == "explicit"
