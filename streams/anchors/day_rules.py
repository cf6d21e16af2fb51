"""Grammar of phrases that name calendar days, weeks, months, seasons and years.

Each function reads the match of one pattern of ``day_grammar`` and makes a ``Node`` of it, or None when it is no time.
Conventions: last X = the most recent strictly before the sent day; this and next X = in the current or the next
Monday-to-Sunday week; a bare X follows the tense.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from . import picks, units
from .nodes import Context, Named, Node
from .patterns import YEAR, day_number, one_of, spaced
from .picks import Which
from .words import DOUBTFUL_MONTHS, EASTER_DAYS, FIXED_DAYS, MONTHS, ORDINALS, SEASONS, WEEKDAYS

Match = re.Match[str]
WHICH: dict[str, Which] = {
    "last": "last", "past": "last", "this past": "last", "this last": "last", "previous": "last",
    "this": "this", "current": "this", "earlier this": "this", "later this": "this", "the rest of this": "this",
    "all this": "this", "next": "next", "following": "next",
}  # fmt: skip
WHICH_WORDS = one_of(WHICH)
_SHIFT: dict[Which, int] = {"last": -1, "this": 0, "next": 1, "bare": 0}


def _node(match: Match, named: Named, *, explicit: bool = False) -> Node:
    return Node(match.end(), "day", named, explicit)


def read_iso(m: Match) -> Node:
    return _node(m, lambda _: units.day(date(int(m["y"]), int(m["m"]), int(m["d"]))), explicit=True)


def read_numeric(m: Match) -> Node | None:
    """ "25/12/2023" can only be one date, "12/05/2023" could be two: not resolved."""
    first, second = int(m["a"]), int(m["b"])
    if first > 12 >= second:
        first, second = second, first
    elif not first <= 12 < second:
        return None
    return _node(m, lambda _: units.day(date(int(m["y"]), first, second)), explicit=True)


def read_date(m: Match) -> Node:
    number, month = day_number(m["d"]), MONTHS[m["m"].lower()]

    def named(context: Context) -> units.Span | None:
        chosen = date(int(m["y"]), month, number) if m["y"] else picks.day_of_month(context, number, month)
        return units.day(chosen) if chosen else None

    return _node(m, named, explicit=True)


def read_date_range(m: Match) -> Node:
    """ "3-5 June": from the first to the last day."""
    first, last, month = day_number(m["d"]), day_number(m["e"]), MONTHS[m["m"].lower()]

    def named(context: Context) -> units.Span | None:
        end = date(int(m["y"]), month, last) if m["y"] else picks.day_of_month(context, last, month)
        return units.day(end.replace(day=first), last - first + 1) if end and first < last else None

    return _node(m, named, explicit=True)


def read_day_of_month(m: Match) -> Node | None:
    """ "the 12th", "Sunday the 24th": only where the word before makes it a date and no counted noun follows."""
    if not (m.string[m.start()].isalpha() and m["w"]) and not _BEFORE_DATE.search(
        m.string, max(0, m.start() - 12), m.start()
    ):
        return None
    number = day_number(m["d"] or m["e"])

    def named(context: Context) -> units.Span | None:
        chosen = picks.day_of_month(context, number, None, WEEKDAYS[m["w"].lower()] if m["w"] else None)
        return units.day(chosen) if chosen else None

    return _node(m, named, explicit=True)


def read_near_day(m: Match) -> Node:
    shift = {
        "the day before yesterday": -2, "yesterday": -1, "today": 0, "now": 0, "right now": 0, "now on": 0,
        "earlier today": 0, "later today": 0, "tomorrow": 1, "tmrw": 1, "the day after tomorrow": 2, "here on": 0,
    }[spaced(m[0])]  # fmt: skip
    return _node(m, lambda c: units.day(c.clock.now.date() + timedelta(days=shift)))


_IN_THE = re.compile(r"\bin\s+(?:the\s+)?$", re.IGNORECASE)


def read_weekday(m: Match) -> Node | None:
    """A day of the week; "in the Thursday group" names no day."""
    if _IN_THE.search(m.string, max(0, m.start() - 7), m.start()):
        return None
    number, which = WEEKDAYS[m["w"].lower()], _which(m)
    coming = bool(m["c"])

    def named(context: Context) -> units.Span:
        if coming:
            return units.day(picks.coming(context.clock.now.date(), number))
        return units.day(picks.weekday(context, number, which))

    return _node(m, named)


def read_week_after_weekday(m: Match) -> Node:
    """ "Friday week", "a week on Friday", "a week from Friday": seven days after the coming one."""
    number = WEEKDAYS[m["w"].lower()]
    return _node(m, lambda c: units.day(picks.coming(c.clock.now.date(), number) + timedelta(days=7)))


def read_weekday_of_week(m: Match) -> Node:
    """ "Monday last week"."""
    number, shift = WEEKDAYS[m["w"].lower()], _SHIFT[_which(m)]
    return _node(m, lambda c: units.day(picks.weekday(c, number, "this") + timedelta(days=7 * shift)))


def read_two_away(m: Match) -> Node:
    """ "the X before last", "the X after next"."""
    sign = -1 if m["s"].lower() == "before last" else 1
    unit = spaced(m["u"])

    def named(context: Context) -> units.Span:
        today = context.clock.now.date()
        if unit in WEEKDAYS:
            which: Which = "last" if sign < 0 else "next"
            return units.day(picks.weekday(context, WEEKDAYS[unit], which) + timedelta(days=7 * sign))
        if unit == "night":
            return units.hours(today + timedelta(days=2 * sign), 18, 24)
        if unit in SEASONS:
            near = picks.season(context, SEASONS[unit], "last" if sign < 0 else "next")
            return units.season(near.start.year + sign, SEASONS[unit], context.southern)
        return calendar_unit(today, unit, 2 * sign)

    return _node(m, named)


def calendar_unit(today: date, unit: str, shift: int) -> units.Span:
    """The calendar unit ``shift`` units from the one that holds today."""
    if unit == "week":
        return units.week(today + timedelta(days=7 * shift))
    if unit == "weekend":
        return units.weekend(today + timedelta(days=7 * shift))
    if unit == "month":
        return units.month(units.add_months(today, shift))
    if unit == "year":
        return units.year(today.year + shift)
    return units.day(today + timedelta(days=shift))


def _which(m: Match) -> Which:
    return WHICH[spaced(m["p"])] if m["p"] else "bare"


def read_relative_unit(m: Match) -> Node | None:
    """ "last week", "all of next week", "all day"; "the week" and "the last day" name none."""
    if m["p"] and m["u"].lower() == "day":
        return None
    if not m["p"] and (not m["a"] or spaced(m["a"]) == "the"):
        return None
    unit, shift = spaced(m["u"]), _SHIFT[_which(m)]
    return _node(m, lambda c: calendar_unit(c.clock.now.date(), unit, shift))


def read_weekend(m: Match) -> Node:
    return _node(m, lambda c: picks.weekend(c, _which(m)))


def read_month(m: Match) -> Node | None:
    """A month by name, led by a preposition, "last" or a year; some also at the start of a text."""
    name, which = m["m"], _which(m)
    led = bool(m["p"] or m["y"] or m["e"]) or _after_preposition(m)
    if not led and (name.lower() in DOUBTFUL_MONTHS or m.string[: m.start()].strip()):
        return None
    number = MONTHS[name.lower()]
    if m["y"]:
        return _node(m, lambda _: units.month(date(int(m["y"]), number, 1)), explicit=True)
    return _node(m, lambda c: picks.month(c, number, which), explicit=which == "bare")


_BEFORE_MONTH = re.compile(
    r"\b(?:in|since|from|until|till|by|of|during|starting|through|to|and|between|for|is|was|before|after)\s+"
    r"(?:the\s+)?$",
    re.IGNORECASE,
)


def _after_preposition(m: Match) -> bool:
    return _BEFORE_MONTH.search(m.string, max(0, m.start() - 16), m.start()) is not None


def read_season(m: Match) -> Node | None:
    """A season; without an article or preposition before it, "spring" and "fall" are other words."""
    if not (m["a"] or m["p"] or m["y"] or _after_preposition(m)):
        return None
    quarter, which = SEASONS[m["s"].lower()], _which(m)
    if m["y"]:
        return _node(m, lambda c: units.season(int(m["y"]), quarter, c.southern), explicit=True)
    return _node(m, lambda c: picks.season(c, quarter, which))


def read_year(m: Match) -> Node | None:
    """A bare year counts after a preposition of time only: "2015 people" is a number."""
    if not _YEAR_RANGE.match(m.string, m.end()) and not _BEFORE_YEAR.search(m.string, max(0, m.start() - 9), m.start()):
        return None
    return _node(m, lambda _: units.year(int(m["y"])), explicit=True)


def read_edge_of_unit(m: Match) -> Node:
    """ "the end of the month" is its last day, "the start of" its first."""
    last = m["e"].lower() == "end"

    def named(context: Context) -> units.Span:
        if m["m"]:
            whole = picks.month(context, MONTHS[m["m"].lower()], "bare")
        else:
            whole = calendar_unit(context.clock.now.date(), spaced(m["u"]), _SHIFT[_which(m)])
        return units.day((whole.until - timedelta(days=1) if last else whole.start).date())

    return _node(m, named)


def read_nth_weekday(m: Match) -> Node:
    """ "the last Friday of this month", "the first Tuesday of May"."""
    weekday, ordinal = WEEKDAYS[m["w"].lower()], spaced(m["o"])

    def named(context: Context) -> units.Span | None:
        if m["m"]:
            whole = picks.month(context, MONTHS[m["m"].lower()], "bare")
        else:
            shift = _SHIFT[_which(m)]
            whole = calendar_unit(context.clock.now.date(), "month", shift)
        days = [whole.start.date() + timedelta(days=i) for i in range((whole.until - whole.start).days)]
        hits = [d for d in days if d.weekday() == weekday]
        index = -1 if ordinal == "last" else ORDINALS[ordinal] - 1
        return units.day(hits[index]) if index < len(hits) else None

    return _node(m, named)


def read_holiday(m: Match) -> Node:
    name = spaced(m["h"])
    year = int(m["y"]) if m["y"] else None

    def on(number: int) -> date:
        if name in EASTER_DAYS:
            return units.easter(number) + timedelta(days=EASTER_DAYS[name])
        return date(number, *FIXED_DAYS[name])

    def named(context: Context) -> units.Span:
        now = context.clock.now.year
        return units.day(on(year) if year else picks.holiday(context, (on(now - 1), on(now), on(now + 1))))

    return _node(m, named, explicit=True)


_YEAR_RANGE = re.compile(rf"\s?[-–]\s?{YEAR}(?!\w)")
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|from|until|till|by|of|during|to|through|and|between)\s+|-|–)$", re.IGNORECASE
)
_BEFORE_DATE = re.compile(
    r"(?:\b(?:on|by|until|till|til|since|from|to|of|for|as of|before|after|is|was|not|never|and|between|through)|'s|’s)"
    r"\s+$",
    re.IGNORECASE,
)
