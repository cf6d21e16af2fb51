"""Grammar of phrases that name calendar days, weeks, months, seasons and years.

Every rule is a pattern and a function from its match to a ``Node``; ``parse_day`` tries those whose first word fits.
Conventions: last X = the most recent strictly before the sent day; this and next X = in the current or the next
Monday-to-Sunday week; a bare X follows the tense.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from . import picks, units
from .nodes import Context, Named, Node
from .patterns import DAY_NUMBER, MONTH, ORDINAL, SEASON, WEEKDAY, YEAR, compiled, day_number, one_of, spaced
from .picks import Which
from .words import DOUBTFUL_MONTHS, EASTER_DAYS, FIXED_DAYS, MONTHS, ORDINALS, SEASONS, WEEKDAYS

Match = re.Match[str]
Rule = tuple[re.Pattern[str], Callable[[Match], Node | None]]

WHICH: dict[str, Which] = {
    "last": "last", "past": "last", "this past": "last", "this last": "last", "previous": "last",
    "this": "this", "current": "this", "earlier this": "this", "later this": "this", "the rest of this": "this",
    "all this": "this", "next": "next", "following": "next",
}  # fmt: skip
_WHICH = one_of(WHICH)
_SHIFT: dict[Which, int] = {"last": -1, "this": 0, "next": 1, "bare": 0}


def _node(match: Match, named: Named, *, explicit: bool = False) -> Node:
    return Node(match.end(), "day", named, explicit)


def _iso(m: Match) -> Node:
    return _node(m, lambda _: units.day(date(int(m["y"]), int(m["m"]), int(m["d"]))), explicit=True)


def _numeric(m: Match) -> Node | None:
    """ "25/12/2023" can only be one date, "12/05/2023" could be two: not resolved."""
    first, second = int(m["a"]), int(m["b"])
    if first > 12 >= second:
        first, second = second, first
    elif not first <= 12 < second:
        return None
    return _node(m, lambda _: units.day(date(int(m["y"]), first, second)), explicit=True)


def _date(m: Match) -> Node:
    number, month = day_number(m["d"]), MONTHS[m["m"].lower()]

    def named(context: Context) -> units.Span | None:
        chosen = date(int(m["y"]), month, number) if m["y"] else picks.day_of_month(context, number, month)
        return units.day(chosen) if chosen else None

    return _node(m, named, explicit=True)


def _date_range(m: Match) -> Node:
    """ "3-5 June": from the first to the last day."""
    first, last, month = day_number(m["d"]), day_number(m["e"]), MONTHS[m["m"].lower()]

    def named(context: Context) -> units.Span | None:
        end = date(int(m["y"]), month, last) if m["y"] else picks.day_of_month(context, last, month)
        return units.day(end.replace(day=first), last - first + 1) if end and first < last else None

    return _node(m, named, explicit=True)


def _day_of_month(m: Match) -> Node | None:
    """ "the 12th", "Sunday the 24th": only where a preposition, "the" or "is" makes it a date and no counted noun follows."""
    if not (m.string[m.start()].isalpha() and m["w"]) and not _BEFORE_DATE.search(
        m.string, max(0, m.start() - 12), m.start()
    ):
        return None
    number = day_number(m["d"] or m["e"])

    def named(context: Context) -> units.Span | None:
        chosen = picks.day_of_month(context, number, None, WEEKDAYS[m["w"].lower()] if m["w"] else None)
        return units.day(chosen) if chosen else None

    return _node(m, named, explicit=True)


def _near_day(m: Match) -> Node:
    shift = {
        "the day before yesterday": -2, "yesterday": -1, "today": 0, "now": 0, "right now": 0, "now on": 0,
        "earlier today": 0, "later today": 0, "tomorrow": 1, "tmrw": 1, "the day after tomorrow": 2, "here on": 0,
    }[spaced(m[0])]  # fmt: skip
    return _node(m, lambda c: units.day(c.clock.now.date() + timedelta(days=shift)))


_IN_THE = re.compile(r"\bin\s+(?:the\s+)?$", re.IGNORECASE)


def _weekday(m: Match) -> Node | None:
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


def _week_after_weekday(m: Match) -> Node:
    """ "Friday week", "a week on Friday", "a week from Friday": seven days after the coming one."""
    number = WEEKDAYS[m["w"].lower()]
    return _node(m, lambda c: units.day(picks.coming(c.clock.now.date(), number) + timedelta(days=7)))


def _weekday_of_week(m: Match) -> Node:
    """ "Monday last week"."""
    number, shift = WEEKDAYS[m["w"].lower()], _SHIFT[_which(m)]
    return _node(m, lambda c: units.day(picks.weekday(c, number, "this") + timedelta(days=7 * shift)))


def _two_away(m: Match) -> Node:
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
        return _unit(today, unit, 2 * sign)

    return _node(m, named)


def _unit(today: date, unit: str, shift: int) -> units.Span:
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


def _relative_unit(m: Match) -> Node | None:
    """ "last week", "all of next week", "all day"; "the week" alone names none."""
    if not m["p"] and (not m["a"] or spaced(m["a"]) == "the"):
        return None
    unit, shift = spaced(m["u"]), _SHIFT[_which(m)]
    return _node(m, lambda c: _unit(c.clock.now.date(), unit, shift))


def _weekend(m: Match) -> Node:
    return _node(m, lambda c: picks.weekend(c, _which(m)))


def _month(m: Match) -> Node | None:
    """A month by name; the doubtful ones need a capital, a "last", a year or a preposition before them."""
    name, which = m["m"], _which(m)
    if name.lower() in DOUBTFUL_MONTHS and not (name[0].isupper() or m["p"] or m["y"] or _after_preposition(m)):
        return None
    number = MONTHS[name.lower()]
    if m["y"]:
        return _node(m, lambda _: units.month(date(int(m["y"]), number, 1)), explicit=True)
    return _node(m, lambda c: picks.month(c, number, which), explicit=which == "bare")


_BEFORE_MONTH = re.compile(r"\b(?:in|since|from|until|till|by|of|during|starting)\s+(?:the\s+)?$", re.IGNORECASE)


def _after_preposition(m: Match) -> bool:
    return _BEFORE_MONTH.search(m.string, max(0, m.start() - 16), m.start()) is not None


def _season(m: Match) -> Node | None:
    """A season; without an article or preposition before it, "spring" and "fall" are other words."""
    if not (m["a"] or m["p"] or m["y"] or _after_preposition(m)):
        return None
    quarter, which = SEASONS[m["s"].lower()], _which(m)
    if m["y"]:
        return _node(m, lambda c: units.season(int(m["y"]), quarter, c.southern), explicit=True)
    return _node(m, lambda c: picks.season(c, quarter, which))


def _year(m: Match) -> Node | None:
    """A bare year counts after a preposition of time only: "2015 people" is a number."""
    if not _YEAR_RANGE.match(m.string, m.end()) and not _BEFORE_YEAR.search(m.string, max(0, m.start() - 9), m.start()):
        return None
    return _node(m, lambda _: units.year(int(m["y"])), explicit=True)


def _edge_of_unit(m: Match) -> Node:
    """ "the end of the month" is its last day, "the start of" its first."""
    last = m["e"].lower() == "end"
    if m["m"]:
        inner: Callable[[Context], units.Span] = lambda c: picks.month(c, MONTHS[m["m"].lower()], "bare")  # noqa: E731 - a value among closures
    else:
        shift = _SHIFT[_which(m)]
        inner = lambda c: _unit(c.clock.now.date(), spaced(m["u"]), shift)  # noqa: E731

    def named(context: Context) -> units.Span:
        whole = inner(context)
        return units.day((whole.until - timedelta(days=1) if last else whole.start).date())

    return _node(m, named)


def _nth_weekday(m: Match) -> Node:
    """ "the last Sunday of this month", "the first Tuesday of May"."""
    weekday, ordinal = WEEKDAYS[m["w"].lower()], spaced(m["o"])

    def named(context: Context) -> units.Span | None:
        if m["m"]:
            whole = picks.month(context, MONTHS[m["m"].lower()], "bare")
        else:
            shift = _SHIFT[_which(m)]
            whole = _unit(context.clock.now.date(), "month", shift)
        days = [whole.start.date() + timedelta(days=i) for i in range((whole.until - whole.start).days)]
        hits = [d for d in days if d.weekday() == weekday]
        index = -1 if ordinal == "last" else ORDINALS[ordinal] - 1
        return units.day(hits[index]) if index < len(hits) else None

    return _node(m, named)


def _holiday(m: Match) -> Node:
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


def _of_day(m: Match) -> Node | None:
    """ "the week of 9 June", "the weekend of the tenth"."""
    inner = parse_day(m.string, m.end())
    if inner is None:
        return None

    def named(context: Context) -> units.Span | None:
        whole = inner.named(context)
        return None if whole is None else _unit(whole.start.date(), spaced(m["u"]), 0)

    return Node(inner.end, "day", named, inner.explicit)


def _beside_day(m: Match) -> Node | None:
    """ "the week before 9 June", "the Tuesday after Easter", "the day after the 3rd"."""
    inner = parse_day(m.string, m.end())
    if inner is None:
        return None
    sign = -1 if m["s"].lower() == "before" else 1
    unit = spaced(m["u"])

    def named(context: Context) -> units.Span | None:
        whole = inner.named(context)
        if whole is None:
            return None
        reference = (whole.start if sign < 0 else whole.until - timedelta(days=1)).date()
        if unit not in WEEKDAYS:
            return _unit(reference, unit, sign)
        distance = (sign * (WEEKDAYS[unit] - reference.weekday()) - 1) % 7 + 1
        return units.day(reference + timedelta(days=sign * distance))

    return Node(inner.end, "day", named, inner.explicit)


_NOUN = (
    r"(?!\s+(?:floor|grade|time|place|birthday|year|century|street|avenue|edition|half|row|one|anniversary|quarter"
    r"|week|day|month|attempt|round|try|thing|person|part|person|child|kid|baby|season|game|match|class)s?\b)"
)
_NO_NOUN = (
    r"(?=\s*(?:$|[^\w\s])|\s+(?:at|and|but|so|because|with|for|in|to|instead|not|now|after|before|or|it|we|i|they|he|she|is"
    r"|was|then|if|when|as|until|till|through)\b)"
)
"""An ordinal word is a date only where no counted noun can follow ("the first attempt" is none)."""
_YEAR_RANGE = re.compile(rf"\s?[-–]\s?{YEAR}(?!\w)")
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|from|until|till|by|of|during|to|through|and|between)\s+|-|–)$", re.IGNORECASE
)
_BEFORE_DATE = re.compile(
    r"(?:\b(?:on|by|until|till|til|since|from|to|of|for|as of|before|after|is|was|not|never|and|between|through)|'s|’s)\s+$",
    re.IGNORECASE,
)
_THE = r"(?:the\s+)?"
_P = rf"(?P<p>{_WHICH})\s+"
_UNITS = "week|weekend|month|year|day"

_RULES: tuple[Rule, ...] = (
    (compiled(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"), _iso),
    (compiled(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4})"), _numeric),
    (
        compiled(
            rf"{_THE}(?P<d>{DAY_NUMBER})\s*(?:-|–|to)\s*(?P<e>{DAY_NUMBER})\s+(?:of\s+)?(?P<m>{MONTH})(?:,?\s+(?P<y>{YEAR}))?"
        ),
        _date_range,
    ),
    (
        compiled(
            rf"(?:(?:{WEEKDAY}),?\s+)?{_THE}(?P<d>{DAY_NUMBER})\s+(?:of\s+)?(?P<m>{MONTH})(?:,?\s+(?P<y>{YEAR}))?"
        ),
        _date,
    ),
    (
        compiled(
            rf"(?:(?:{WEEKDAY}),?\s+)?(?P<m>{MONTH})\.?\s+{_THE}(?P<d>{DAY_NUMBER})(?![\d:])(?:,?\s+(?P<y>{YEAR}))?"
        ),
        _date,
    ),
    (compiled(rf"(?P<w>{WEEKDAY}),?\s+(?:the\s+)?(?:(?P<d>\d{{1,2}}(?:st|nd|rd|th))|(?P<e>{ORDINAL}))"), _day_of_month),
    (
        compiled(
            rf"{_THE}(?P<o>first|second|third|fourth|last)\s+(?P<w>{WEEKDAY})\s+(?:of|in)\s+(?:(?:(?:(?P<p>{_WHICH})|the)\s+)?(?P<u>month)|(?P<m>{MONTH}))"
        ),
        _nth_weekday,
    ),
    (
        compiled(
            rf"{_THE}(?:very\s+)?(?P<e>end|start|beginning|first|1st)\s+of\s+(?:(?:(?P<p>{_WHICH})|the)\s+(?P<u>month|year|week)|(?P<m>{MONTH}))"
        ),
        _edge_of_unit,
    ),
    (compiled(rf"the\s+(?P<u>{_UNITS}|night|{WEEKDAY}|{SEASON})\s+(?P<s>before last|after next)"), _two_away),
    (
        compiled(
            r"the day before yesterday|the day after tomorrow|earlier today|later today|yesterday|today|tomorrow|tmrw|right now|now on|here on|now"
        ),
        _near_day,
    ),
    (re.compile(rf"{_THE}(?P<u>{_UNITS}|{WEEKDAY})\s+(?P<s>before|after)\s+", re.IGNORECASE), _beside_day),
    (re.compile(rf"{_THE}(?P<u>week|weekend)\s+(?:of|commencing|beginning|starting)\s+", re.IGNORECASE), _of_day),
    (compiled(rf"(?P<w>{WEEKDAY})\s+(?:of\s+)?{_P}week"), _weekday_of_week),
    (compiled(rf"a week (?:on|from)\s+(?P<w>{WEEKDAY})"), _week_after_weekday),
    (compiled(rf"(?P<w>{WEEKDAY})\s+week"), _week_after_weekday),
    (
        compiled(
            rf"{_THE}(?:(?P<c>(?<=the\s)(?:coming|upcoming)|this\s+(?:coming|upcoming))\s+|{_P})?(?P<w>{WEEKDAY})(?!\s+(?:of\s+the\b|after(?:\s+(?-i:[A-Z])|\s*$)))"
        ),
        _weekday,
    ),
    (compiled(rf"(?:all\s+|the whole\s+|the\s+)?(?:{_P})?weekend"), _weekend),
    (compiled(rf"(?P<a>all\s+(?:of\s+)?|the whole\s+|the\s+)?(?:{_P})?(?P<u>week|month|year|day)"), _relative_unit),
    (
        compiled(
            rf"(?:{_P}|early (?:in\s+)?|late (?:in\s+)?|mid[- ]|all\s+)?(?P<m>{MONTH})(?:,?\s+(?:of\s+)?(?P<y>{YEAR}))?"
        ),
        _month,
    ),
    (
        compiled(rf"(?P<a>the\s+|all\s+|early\s+|late\s+)?(?:{_P})?(?P<s>{SEASON})(?:\s+(?:of\s+)?(?P<y>{YEAR}))?"),
        _season,
    ),
    (compiled(rf"(?P<h>{one_of([*FIXED_DAYS, *EASTER_DAYS])})(?:\s+(?P<y>{YEAR}))?"), _holiday),
    (
        compiled(rf"(?P<w>(?!))?the\s+(?:(?P<d>\d{{1,2}}(?:st|nd|rd|th)){_NOUN}|(?P<e>{ORDINAL}){_NO_NOUN})"),
        _day_of_month,
    ),
    (compiled(rf"(?P<y>{YEAR})"), _year),
)

FIRST_WORDS = frozenset(
    w.split()[0].split("'")[0]
    for table in (WEEKDAYS, MONTHS, SEASONS, ORDINALS, FIXED_DAYS, EASTER_DAYS, WHICH)
    for w in table
) | {"the", "a", "all", "today", "yesterday", "tomorrow", "tmrw", "earlier", "later", "right", "now", "here", "early",
     "late", "mid", "week", "weekend", "coming", "upcoming", "end", "start", "beginning"}  # fmt: skip
_FIRST_WORD = re.compile(r"[^\W\d_]+|\d", re.UNICODE)


def parse_day(text: str, position: int) -> Node | None:
    """The day phrase that starts exactly at ``position``, or None. The first rule that fits wins: they are ordered."""
    first = _FIRST_WORD.match(text, position)
    if first is None or not (first[0].isdigit() or first[0].lower() in FIRST_WORDS):
        return None
    for pattern, make in _RULES:
        match = pattern.match(text, position)
        if match is not None:
            node = make(match)
            if node is not None:
                return node
    return None
