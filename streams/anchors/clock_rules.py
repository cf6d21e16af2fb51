"""Grammar of parts of the day, times of day, and distances from now ("two hours ago", "in a fortnight")."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from . import units
from .nodes import Context
from .patterns import WEEKDAY, compiled, number, one_of, spaced
from .units import Span
from .words import NUMBERS, PARTS

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
    """Two times of day, "between 2 and 4": from the first to the second; a half of the day said once is for both."""

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
        compiled(
            r"(?:a\s+)?(?P<n>half|quarter|five|ten|twenty|twenty[- ]five)\s+(?P<w>past|to)\s+"
            rf"(?P<h>\d{{1,2}}|{_HOURS}|midnight|noon)"
        ),
        lambda m: _spoken(m),
    ),
    (compiled(rf"(?P<h>{_HOURS})[ -](?P<m>thirty|fifteen|forty-five|twenty|ten)"), lambda m: _spoken_digits(m)),
    (compiled(r"(?P<h>noon|midday|midnight)"), lambda m: Clock(_hour_word(m["h"])[0], 0, "24", exact=False)),
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
    return (12, "24") if text in ("noon", "midday") else (number(text), None)


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
