"""Finding the time phrases of a clause, each with the role its preposition gives it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Literal, NamedTuple, cast

from . import units
from .clock_rules import Clock, ClockRange, parse_clock, parse_clock_range, parse_part
from .day_grammar import FIRST_WORDS, parse_day
from .distance_rules import parse_distance, parse_duration
from .nodes import Context, Named
from .patterns import one_of, spaced
from .units import Span
from .words import MONTHS, NUMBERS, PARTS, PREPOSITIONS, WEEKDAYS

Role = Literal["at", "since", "from", "until", "by", "for", "range", "bound"]
"""``since``/``for``: began then; ``from``: begins or began then; ``until``: ends with it; ``by``: a deadline;
``range``: begins and ends; ``bound``: only before or after it; ``at``: the time itself."""


class Phrase(NamedTuple):
    """A time phrase at ``[start, end)`` of the text; ``named`` says which local interval it means."""

    start: int
    end: int
    text: str
    role: Role
    named: Named
    explicit: bool


_TRIGGER = re.compile(
    rf"\d|\b(?:{one_of([*WEEKDAYS, *MONTHS])}|to(?:day|morrow|night)|tmrw|yesterday|now|ago"
    r"|week(?:end)?s?|months?|years?|fortnight"
    r"|days?|nights?|hours?|hrs?|minutes?|mins?|morning|afternoon|arvo|evening|noon|midday|midnight|spring|summer|autumn|fall|winter"
    r"|christmas|easter|new year|halloween|valentine|boxing day|good friday|midsummer"
    r"|all saints|fawkes|bonfire|bastille|may day|women's day|anzac|waitangi|australia day|canada day"
    r"|andrew|patrick|burns|pentecost|whit"
    r"|(?:at|by|since|until|till|from|around|on|of) (?:the )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twent|thirt|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth)|past|o'clock)",
    re.IGNORECASE,
)  # fmt: skip
SMALL_HOURS = 5
"""Told before five in the morning, "this evening" and "tonight" in the past are those of the day before."""
_STARTS = (
    FIRST_WORDS
    | frozenset(w.split()[0] for table in (PREPOSITIONS, NUMBERS, PARTS) for w in table)
    | {"half", "quarter", "noon", "midday", "midnight", "tonight", "that", "these", "between", "late", "early"}
)
_WORD = re.compile(r"[^\W_]+")
_PREPOSITION = re.compile(rf"(?:{one_of(PREPOSITIONS)})\s+", re.IGNORECASE)
_FILLER = re.compile(
    r"(?:about|around|roughly|approximately|exactly|early|late|at least|the|my|our)\s+(?=\S)", re.IGNORECASE
)
_SINCE_NOUN = re.compile(r"(?:the|my|our|that|his|her|their)\s+[^\W\d]", re.IGNORECASE)
_GLUE = re.compile(r",?\s+(?:at|in the|on|of|in|around|about|from)\s+|,?\s+|(?<=[,])\s*", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:-|–|—)\s*|\s+(?:to|until|till|through|and)\s+", re.IGNORECASE)
_GAP = re.compile(r"\s{9}")
_PIECE = re.compile(r"\S+(?:\s{1,8}\S+)*")
"""Text between gaps: no phrase spans nine blanks; the rules would try every way to share a longer run."""
_PAIR = re.compile(r"\s+(?:and|or)\s+", re.IGNORECASE)
_HABIT = re.compile(
    r"\b(?:every|each|some|many|alternate|most(?!\s+of))\s+(?:(?:other|single|first|second|third|fourth|last)\s+)?$",
    re.IGNORECASE,
)
_MODIFIER = re.compile(r"\b(?:the|a|an|my|our|this|that|his|her|their)\s+$", re.IGNORECASE)
"""A time of day after one of these describes a thing: "the 7am class" happens at no one time."""


def find_phrases(text: str) -> tuple[Phrase, ...]:
    """Every time phrase, left to right, none overlapping. Habits ("on Mondays", "every May") name no time."""
    if _TRIGGER.search(text) is None:
        return ()
    if _GAP.search(text) is None:
        return _found(text)
    pieces = _PIECE.finditer(text)
    return tuple(
        phrase._replace(start=piece.start() + phrase.start, end=piece.start() + phrase.end)
        for piece in pieces
        for phrase in _found(piece[0])
    )


def _found(text: str) -> tuple[Phrase, ...]:
    """Phrases of a text without long gaps."""
    found: list[Phrase] = []
    position = 0
    for word in _WORD.finditer(text):
        if word.start() < position or not (word[0][0].isdigit() or word[0].lower() in _STARTS):
            continue
        if _HABIT.search(text, max(0, word.start() - 24), word.start()):
            continue
        if word[0][0].isdigit() and _MODIFIER.search(text, max(0, word.start() - 6), word.start()):
            continue
        phrase = _phrase_at(text, word.start())
        if phrase is not None:
            found.append(phrase)
            position = phrase.end
    return tuple(found)


def _phrase_at(text: str, start: int) -> Phrase | None:
    """The phrase that starts with the word at ``start``: distances and durations, else [preposition] day/part/clock."""
    distance = parse_distance(text, start) or parse_duration(text, start)
    if distance is not None:
        role: Role = "for" if distance.kind == "duration" else "at"
        return Phrase(start, distance.end, text[start : distance.end], role, distance.named, explicit=False)
    if parse_clock_range(text, start) is not None and (time := _time_at(text, start)) is not None:
        return Phrase(start, time[0], text[start : time[0]], "at", time[1], time[2])
    preposition = _PREPOSITION.match(text, start)
    role = cast(Role, PREPOSITIONS[spaced(preposition[0])]) if preposition else "at"
    inner = preposition.end() if preposition else start
    between = text[start : start + 8].lower() == "between "
    time = _time_at(text, inner + 8 if between else inner)
    if time is None and preposition is not None:
        filler = _FILLER.match(text, inner)
        time = _time_at(text, filler.end()) if filler else None
        if time is None and role == "since":
            time = _after_noun(text, inner)
    if time is None:
        return None
    end, named, explicit = time
    ranged = _range_end(text, end, ranged=between or role == "from")
    if ranged is not None:
        until, last = ranged
        return Phrase(start, until, text[start:until], "range", _joined(named, last), explicit)
    pair = _next_day(text, end) if role == "at" else None
    if pair is not None:
        until, last = pair
        return Phrase(start, until, text[start:until], role, _side_by_side(named, last), explicit)
    return Phrase(start, end, text[start:end], role, named, explicit)


def _after_noun(text: str, start: int) -> tuple[int, Named, bool] | None:
    """ "since the trouble in October": the time that an event after "since" is said to have had."""
    if _SINCE_NOUN.match(text, start) is None:
        return None
    for word in list(_WORD.finditer(text, start))[1:7]:
        preposition = _PREPOSITION.match(text, word.start())
        time = _time_at(text, preposition.end() if preposition else word.start())
        if time is not None:
            return time
    return None


def _range_end(text: str, end: int, *, ranged: bool) -> tuple[int, Named] | None:
    """The second time of "from A to B", "between A and B", "A-B", "A through B"."""
    joint = _RANGE.match(text, end)
    if joint is None or (not ranged and joint[0].strip().lower() in ("and", "to", "until", "till", "—")):
        return None
    if joint[0].strip().lower() == "and" and not ranged:
        return None
    time = _time_at(text, joint.end())
    return None if time is None else (time[0], time[1])


def _next_day(text: str, end: int) -> tuple[int, Named] | None:
    """The second of two days said together ("Wednesday and Thursday", "yesterday or today")."""
    joint = _PAIR.match(text, end)
    node = parse_day(text, joint.end()) if joint is not None else None
    return None if node is None else (node.end, node.named)


def _side_by_side(first: Named, last: Named) -> Named:
    """Both days when the second follows the first at once, else the first alone."""

    def named(context: Context) -> Span | None:
        a, b = first(context), last(context)
        if a is None or b is None or a.until != b.start or a.precision != b.precision:
            return a
        return Span(a.start, b.until, a.precision)

    return named


def _joined(first: Named, last: Named) -> Named:
    """From the start of the first to the end of the last, looking the same way; None when that is empty."""

    def named(context: Context) -> Span | None:
        a, b = first(context), last(context)
        if a is None or b is None or a.start >= b.until:
            return None
        return Span(a.start, b.until, b.precision)

    return named


def _time_at(text: str, start: int) -> tuple[int, Named, bool] | None:
    """A distance, or a day, a part of the day and a time of day in any order, as far as they go on."""
    distance = parse_distance(text, start)
    if distance is not None:
        return distance.end, distance.named, False
    day: Named | None = None
    part: tuple[int, int] | None = None
    clock: Clock | ClockRange | None = None
    shift: int | None = None
    explicit, here, end = False, start, start
    while True:
        hit = None
        undated = day is None and shift is None
        if undated and (node := parse_day(text, here)) is not None:
            hit, day, explicit = node.end, node.named, node.explicit
        elif part is None and (p := parse_part(text, here)) is not None and (p[1] is None or undated):
            hit, shift, part = p[0], shift if p[1] is None else p[1], p[2]
        elif clock is None and (c := parse_clock_range(text, here) or parse_clock(text, here)) is not None:
            hit, clock = c
        if hit is None:
            break
        end = hit
        glue = _GLUE.match(text, end)
        if glue is None:
            break
        here = glue.end()
    if end == start or (day is None and clock is None and shift is None):
        return None
    return end, _combined(day, shift, part, clock), explicit


def _combined(
    day: Named | None, shift: int | None, part: tuple[int, int] | None, clock: Clock | ClockRange | None
) -> Named:
    """Day, then the hours within it, then the minute; the day is today where none was said."""

    def named(context: Context) -> Span | None:
        if day is not None:
            whole = day(context)
            if whole is None or (part is None and clock is None):
                return whole
            base = whole.start.date()
        else:
            base = context.clock.now.date() + timedelta(days=shift or 0)
            if (
                part is not None
                and part[1] == 24
                and shift == 0
                and context.back
                and context.clock.now.hour < SMALL_HOURS
            ):
                base -= timedelta(days=1)
        if clock is not None:
            return clock.on(base, part, context, dated=day is not None or shift is not None)
        return units.hours(base, *part) if part is not None else None

    return named
