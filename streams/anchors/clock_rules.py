"""Grammar of parts of the day, times of day, and distances from now ("two hours ago", "in a fortnight")."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from schemas.times import US_PER_HOUR, US_PER_MINUTE

from . import picks, units
from .day_rules import parse_day
from .nodes import Context, Node
from .patterns import NUMBER, SEASON, UNIT, WEEKDAY, compiled, number, one_of, spaced
from .units import Span
from .words import NUMBERS, PARTS, SEASONS, WEEKDAYS

Match = re.Match[str]
_HOURS = one_of(w for w, n in NUMBERS.items() if n <= 12 and w not in ("a", "an") and " " not in w)
_PART = one_of(PARTS)


class Clock:
    """A time of day that may not say which half: 7 with ``half`` None is 07:00 or 19:00."""

    def __init__(self, hour: int, minute: int, half: str | None, *, exact: bool) -> None:
        self.hour, self.minute, self.half, self.exact = hour, minute, half, exact

    def on(self, day: date, part: tuple[int, int] | None, context: Context, *, dated: bool) -> Span:
        """The minute (or hour, when no minutes were said) on that local day.

        Half of the day: as said, else that of the part of day, else (no other date given) the one the tense points
        to from now, else the usual waking one (1 to 7 are afternoon).
        """
        hour = self._hour(day, part, context, dated=dated)
        if self.ends_day and part is not None and part[1] == 24:
            hour = 24
        start = units.at_midnight(day) + timedelta(hours=hour, minutes=self.minute)
        if not dated and context.back and start > context.clock.now:
            start -= timedelta(days=1)
        length = timedelta(minutes=1) if self.exact else timedelta(hours=1)
        return Span(start, start + length, "minute" if self.exact else "hour")

    @property
    def ends_day(self) -> bool:
        """Midnight that ends the day it is said of ("midnight tonight")."""
        return self.hour == 0 and self.half == "24"

    def _hour(self, day: date, part: tuple[int, int] | None, context: Context, *, dated: bool) -> int:
        hour = self.hour
        if self.half == "am":
            return hour % 12
        if self.half == "pm":
            return hour % 12 + 12
        if hour > 12 or hour == 0 or self.half == "24":
            return hour
        if part is not None:
            late = hour % 12 + 12
            return late if part[0] <= late < part[1] else hour % 12
        if not dated:
            return self._nearest(day, context)
        return hour % 12 + 12 if hour in (12, 1, 2, 3, 4, 5, 6, 7) else hour

    def _nearest(self, day: date, context: Context) -> int:
        """Of the two halves, the latest not after now when looking back, else the earliest not before."""
        now, early, late = context.clock.now, self.hour % 12, self.hour % 12 + 12

        def moment(hour: int) -> datetime:
            return units.at_midnight(day) + timedelta(hours=hour, minutes=self.minute)

        if context.back:
            return late if moment(late) <= now else early
        return early if moment(early) >= now and early >= 6 else late


class ClockRange:
    """Two times of day, "between 2 and 4": from the first to the second; the half of the day said once counts for both."""

    def __init__(self, first: Clock, last: Clock) -> None:
        self.first, self.last = first, last

    def on(self, day: date, part: tuple[int, int] | None, context: Context, *, dated: bool) -> Span | None:
        """The hours between on that local day; None when the second is not later."""
        start = self.first.on(day, part, context, dated=dated).start
        until = self.last.on(start.date(), part, context, dated=True).start
        if until <= start:
            until += timedelta(hours=12)
        return Span(start, until, "hour") if until - start < timedelta(hours=12) else None


_CLOCKS: tuple[tuple[re.Pattern[str], Callable[[Match], Clock]], ...] = (
    (
        compiled(r"(?P<h>\d{1,2})[:.h](?P<m>[0-5]\d)\s*(?:(?P<s>[ap])\.?m\b\.?|(?:hrs|h|o'clock))?"),
        lambda m: Clock(int(m["h"]), int(m["m"]), _half(m["s"]), exact=True),
    ),
    (
        compiled(r"(?P<h>\d{1,2})\s*(?P<s>[ap])\.?m\b\.?"),
        lambda m: Clock(int(m["h"]), 0, _half(m["s"]), exact=False),
    ),
    (compiled(r"(?P<h>\d{1,2})h"), lambda m: Clock(int(m["h"]), 0, "24", exact=False)),
    (
        compiled(rf"(?:a\s+)?(?P<n>half|quarter|five|ten|twenty|twenty[- ]five)\s+(?P<w>past|to)\s+(?P<h>\d{{1,2}}|{_HOURS}|midnight|noon)"),
        lambda m: _spoken(m),
    ),
    (compiled(rf"(?P<h>{_HOURS})[ -](?P<m>thirty|fifteen|forty-five|twenty|ten)"), lambda m: _spoken_digits(m)),
    (compiled(r"(?P<h>noon|midday|midnight)"), lambda m: Clock(0 if m["h"].lower() == "midnight" else 12, 0, "24", exact=False)),
    (compiled(rf"(?P<h>\d{{1,2}}|{_HOURS})(?:\s+o'?clock)"), lambda m: Clock(number(m["h"]), 0, None, exact=False)),
)  # fmt: skip
_BARE_HOUR = compiled(
    rf"(?P<h>\d{{1,2}}|{_HOURS})(?![\d:.,%/]*[\d%])(?!\s*(?:%|[-–/]|(?!in\b|at\b|on\b|to\b|and\b|but\b|so\b|for\b|with\b|sharp\b|tomorrow\b|today\b|this\b|tonight\b|every\b|instead\b|not\b|as\b|after\b|before\b|next\b|last\b|{WEEKDAY}\b)[^\W\d_]))"
)
_BEFORE_HOUR = re.compile(r"\b(?:at|by|since|until|till|from|around|about)\s+$", re.IGNORECASE)


def _half(letter: str | None) -> str | None:
    return None if letter is None else f"{letter.lower()}m"


def _hour_word(text: str) -> tuple[int, str | None]:
    text = spaced(text)
    if text == "midnight":
        return 0, "24"
    return (12, "24") if text == "noon" else (number(text), None)


def _spoken(m: Match) -> Clock:
    """ "five past midnight", "quarter to six"."""
    hour, half = _hour_word(m["h"])
    minutes = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}.get(spaced(m["n"]), 25)
    if m["w"].lower() == "to":
        hour, minutes = (hour - 1) % 24 if half else (hour - 2) % 12 + 1, 60 - minutes
    return Clock(hour, minutes, half, exact=True)


def _spoken_digits(m: Match) -> Clock:
    minutes = {"thirty": 30, "fifteen": 15, "forty-five": 45, "twenty": 20, "ten": 10}[spaced(m["m"])]
    return Clock(number(m["h"]), minutes, None, exact=True)


def parse_clock(text: str, position: int) -> tuple[int, Clock] | None:
    """A time of day that starts at ``position``, with its end. A bare number counts only after a preposition."""
    for pattern, make in _CLOCKS:
        match = pattern.match(text, position)
        if match is not None:
            clock = make(match)
            return (match.end(), clock) if clock.hour <= 24 else None
    match = _BARE_HOUR.match(text, position)
    if match is not None and _BEFORE_HOUR.search(text, max(0, position - 8), position):
        hour = number(match["h"])
        return (match.end(), Clock(hour, 0, None, exact=False)) if 1 <= hour <= 23 else None
    return None


_PART_RULES = (
    (compiled(r"last night|yesterday night"), -1, "night"),
    (compiled(r"(?:earlier |later )?tonight"), 0, "night"),
)
_THIS_PART = compiled(rf"(?:earlier |later |late |early )?(?:(?:this|the|that)\s+)?(?:early |late )?(?P<p>{_PART})")


def parse_part(text: str, position: int) -> tuple[int, int | None, tuple[int, int], bool] | None:
    """A part of the day: (end, day shift or None when it needs a day, hours, "this" said)."""
    for pattern, shift, part in _PART_RULES:
        match = pattern.match(text, position)
        if match is not None:
            return match.end(), shift, PARTS[part], True
    match = _THIS_PART.match(text, position)
    if match is None:
        return None
    this = "this" in match[0].lower().split()
    return match.end(), 0 if this else None, PARTS[spaced(match["p"])], this


_CLOCK_RANGE = compiled(
    rf"(?:(?:between|from)\s+)?(?P<h>\d{{1,2}}|{_HOURS})(?::(?P<m>[0-5]\d))?\s*(?P<s>[ap]m)?(?P<j>\s+(?:and|to|until|till)\s+|\s?[-–]\s?)"
    rf"(?P<h2>\d{{1,2}}|{_HOURS})(?::(?P<m2>[0-5]\d))?\s*(?P<s2>[ap]m)?(?!\s+(?!this\b)[^\W\d_]*(?:s|st|nd|rd|th)\b)(?![%/.]\d?)"
)


def parse_clock_range(text: str, position: int) -> tuple[int, ClockRange] | None:
    """ "between two and four", "from 9 to 5pm"; counted things ("between 2 and 4 cats") are none."""
    m = _CLOCK_RANGE.match(text, position)
    if m is None or max(number(m["h"]), number(m["h2"])) > 24:
        return None
    opened = m[0][:1].isalpha() and m[0].split()[0].lower() in ("between", "from")
    if not m["s2"] and (not opened or m["j"].strip() in ("-", "–")):
        return None
    last = Clock(number(m["h2"]), int(m["m2"] or 0), m["s2"] and m["s2"].lower(), exact=False)
    half = m["s"].lower() if m["s"] else last.half if number(m["h"]) < number(m["h2"]) else None
    return m.end(), ClockRange(Clock(number(m["h"]), int(m["m"] or 0), half, exact=False), last)


_HALF = r"half (?:a|an)"
_AGO = compiled(
    rf"(?P<n>{NUMBER}|{_HALF})\s+(?:(?:and )?a half\s+)?(?P<u>{UNIT}|{WEEKDAY}|{SEASON})s?(?P<x>\s+and a half)?\s+(?:ago|back)"
)
_FROM_NOW = compiled(rf"(?P<n>{NUMBER}|{_HALF})\s+(?P<u>{UNIT}|{WEEKDAY})s?(?P<x>\s+and a half)?\s+from\s+now")
_IN = compiled(
    rf"in\s+(?:about\s+|exactly\s+|just\s+|only\s+)?(?P<n>{NUMBER}|{_HALF})\s+(?P<u>{UNIT})(?:s|['’]s|s['’])?(?P<x>\s+and a half)?(?:\s+time)?"
)
_TO_THE_DAY = compiled(rf"(?P<n>{NUMBER})\s+(?P<u>week|month|year)s?\s+ago\s+(?P<w>today|yesterday|{WEEKDAY})")
_FROM_DAY = re.compile(rf"(?P<n>{NUMBER})\s+(?P<u>day|week|month|year)s?\s+(?P<s>from|after|before)\s+", re.IGNORECASE)
_FOR = compiled(rf"(?:for|in|over|these|the last|the past|for the last|for the past|in the last|in the past|over the last|over the past)\s+(?:about\s+|almost\s+|nearly\s+|over\s+)?(?P<n>{NUMBER}|{_HALF})\s+(?P<u>{UNIT})s?(?P<x>\s+and a half)?(?:\s+now)?")  # fmt: skip


def parse_distance(text: str, position: int) -> Node | None:
    """A distance from now or from another day, in calendar units (hours and minutes: real time)."""
    match = _TO_THE_DAY.match(text, position)
    if match is not None:
        return _to_the_day(match)
    for pattern, sign in ((_AGO, -1), (_FROM_NOW, 1), (_IN, 1)):
        match = pattern.match(text, position)
        if match is not None:
            return _distance(match, sign, duration=pattern is _IN)
    match = _FROM_DAY.match(text, position)
    return None if match is None else _distance_from_day(match)


def parse_duration(text: str, position: int) -> Node | None:
    """ "for two weeks" with a perfect ("have lived … for two weeks"): since the unit that held that point."""
    match = _FOR.match(text, position)
    if match is None:
        return None
    inner = _distance(match, -1)
    return Node(inner.end, "duration", lambda c: inner.named(c) if c.tense == "perfect" else None)


def _distance(m: Match, sign: int, *, duration: bool = False) -> Node:
    unit, amount = spaced(m["u"]), spaced(m["n"])
    half = amount.startswith("half")
    count = 0 if half else number(amount)
    halves = 2 * count + (half or bool(m["x"]))

    def named(context: Context) -> Span | None:
        looks_back = duration and context.tense == "perfect"
        return _shifted(context, unit, halves, -sign if looks_back else sign)

    return Node(m.end(), "instant", named)


def _shifted(context: Context, unit: str, halves: int, sign: int) -> Span | None:
    """The unit that holds the point ``halves`` half units away; a half of a year counts months, of a week days."""
    if unit in ("minute", "min", "hour", "hr"):
        return _elapsed(context, unit, halves, sign)
    today, whole = context.clock.now.date(), halves % 2 == 0
    count = sign * halves // 2 if whole else 0
    if unit in WEEKDAYS:
        near = picks.weekday(context, WEEKDAYS[unit], "last") if sign < 0 else picks.coming(today, WEEKDAYS[unit])
        return units.day(near + timedelta(days=7 * (count - sign)))
    if unit in SEASONS:
        last = picks.season(context, SEASONS[unit], "last")
        return units.season(last.start.year + count + 1, SEASONS[unit], context.southern)
    if unit == "night":
        return units.hours(today + timedelta(days=count), 18, 24)
    if unit == "weekend":
        return units.weekend(today + timedelta(days=7 * count))
    if unit in ("week", "fortnight"):
        days = 14 if unit == "fortnight" else 7
        return units.week(today + timedelta(days=sign * (halves * days // 2)))
    if unit in ("year", "yr"):
        return units.year(today.year + count) if whole else units.month(units.add_months(today, sign * halves * 6))
    if unit == "month":
        if whole:
            return units.month(units.add_months(today, count))
        return units.month(today + timedelta(days=sign * halves * 15))
    return units.day(today + timedelta(days=sign * halves // 2))


def _elapsed(context: Context, unit: str, halves: int, sign: int) -> Span | None:
    """Real hours or minutes from the sent instant, then the local hour or minute that holds the result."""
    step = US_PER_HOUR if unit in ("hour", "hr") else US_PER_MINUTE
    instant = context.clock.sent + sign * halves * step // 2
    local = context.clock.local(instant)
    if step == US_PER_HOUR and halves % 2 == 0:
        start = local.replace(minute=0, second=0, microsecond=0)
        return Span(start, start + timedelta(hours=1), "hour")
    start = local.replace(second=0, microsecond=0)
    return Span(start, start + timedelta(minutes=1), "minute")


def _distance_from_day(m: Match) -> Node | None:
    """ "two weeks from Wednesday", "three days before 9 June": that many days or units from the day."""
    inner = parse_day(m.string, m.end())
    if inner is None:
        return None
    sign = -1 if m["s"].lower() == "before" else 1
    count, unit = sign * number(m["n"]), spaced(m["u"])

    def named(context: Context) -> Span | None:
        whole = inner.named(context)
        if whole is None:
            return None
        start = whole.start.date()
        if unit in ("day", "week"):
            return units.day(start + timedelta(days=count * (7 if unit == "week" else 1)))
        return units.month(units.add_months(start, count * (12 if unit == "year" else 1)))

    return Node(inner.end, "instant", named)


def _to_the_day(m: Match) -> Node:
    """ "a week ago today", "two weeks ago Tuesday": that very day, not the unit that holds it."""
    count, unit, word = number(m["n"]), spaced(m["u"]), spaced(m["w"])

    def named(context: Context) -> Span:
        today = context.clock.now.date()
        if word in WEEKDAYS:
            near = picks.weekday(context, WEEKDAYS[word], "last")
        else:
            near = today - timedelta(days=word == "yesterday")
        if unit == "week":
            return units.day(near - timedelta(days=7 * count))
        first = units.add_months(near, -count * (12 if unit == "year" else 1))
        return units.day(first.replace(day=near.day))

    return Node(m.end(), "instant", named)
