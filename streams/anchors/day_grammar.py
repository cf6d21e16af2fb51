"""The grammar of day phrases: which pattern is read by which rule, in which order."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from . import day_rules as rules
from . import units
from .nodes import Context, Node
from .patterns import DAY_NUMBER, MONTH, ORDINAL, SEASON, WEEKDAY, YEAR, compiled, one_of, spaced
from .words import EASTER_DAYS, FIXED_DAYS, MONTHS, ORDINALS, SEASONS, WEEKDAYS

Match = re.Match[str]
Rule = tuple[re.Pattern[str], Callable[[Match], Node | None]]


def _of_day(m: Match) -> Node | None:
    """ "the week of 9 June", "the weekend of the tenth"."""
    inner = parse_day(m.string, m.end())
    if inner is None:
        return None

    def named(context: Context) -> units.Span | None:
        whole = inner.named(context)
        return None if whole is None else rules.calendar_unit(whole.start.date(), spaced(m["u"]), 0)

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
            return rules.calendar_unit(reference, unit, sign)
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
_THE = r"(?:the\s+)?"
_P = rf"(?P<p>{rules.WHICH_WORDS})\s+"
_UNITS = "week|weekend|month|year|day"

_RULES: tuple[Rule, ...] = (
    (compiled(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"), rules.read_iso),
    (compiled(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4})"), rules.read_numeric),
    (
        compiled(
            rf"{_THE}(?P<d>{DAY_NUMBER})\s*(?:-|–|to)\s*(?P<e>{DAY_NUMBER})\s+(?:of\s+)?(?P<m>{MONTH})(?:,?\s+(?P<y>{YEAR}))?"
        ),
        rules.read_date_range,
    ),
    (
        compiled(
            rf"(?:(?:{WEEKDAY}),?\s+)?{_THE}(?P<d>{DAY_NUMBER})\s+(?:of\s+)?(?P<m>{MONTH})(?:,?\s+(?P<y>{YEAR}))?"
        ),
        rules.read_date,
    ),
    (
        compiled(
            rf"(?:(?:{WEEKDAY}),?\s+)?(?P<m>{MONTH})\.?\s+{_THE}(?P<d>{DAY_NUMBER})(?![\d:])(?:,?\s+(?P<y>{YEAR}))?"
        ),
        rules.read_date,
    ),
    (
        compiled(rf"(?P<w>{WEEKDAY}),?\s+(?:the\s+)?(?:(?P<d>\d{{1,2}}(?:st|nd|rd|th))|(?P<e>{ORDINAL}))"),
        rules.read_day_of_month,
    ),
    (
        compiled(
            rf"{_THE}(?P<o>first|second|third|fourth|last)\s+(?P<w>{WEEKDAY})\s+(?:of|in)\s+(?:(?:(?:(?P<p>{rules.WHICH_WORDS})|the)\s+)?(?P<u>month)|(?P<m>{MONTH}))"
        ),
        rules.read_nth_weekday,
    ),
    (
        compiled(
            rf"{_THE}(?:very\s+)?(?P<e>end|start|beginning|first|1st)\s+of\s+(?:(?:(?P<p>{rules.WHICH_WORDS})|the)\s+(?P<u>month|year|week)|(?P<m>{MONTH}))"
        ),
        rules.read_edge_of_unit,
    ),
    (compiled(rf"the\s+(?P<u>{_UNITS}|night|{WEEKDAY}|{SEASON})\s+(?P<s>before last|after next)"), rules.read_two_away),
    (
        compiled(
            r"the day before yesterday|the day after tomorrow|earlier today|later today|yesterday|today|tomorrow|tmrw"
            r"|right now|now on|here on|now"
        ),
        rules.read_near_day,
    ),
    (re.compile(rf"{_THE}(?P<u>{_UNITS}|{WEEKDAY})\s+(?P<s>before|after)\s+", re.IGNORECASE), _beside_day),
    (re.compile(rf"{_THE}(?P<u>week|weekend)\s+(?:of|commencing|beginning|starting)\s+", re.IGNORECASE), _of_day),
    (compiled(rf"(?P<w>{WEEKDAY})\s+(?:of\s+)?{_P}week"), rules.read_weekday_of_week),
    (compiled(rf"a week (?:on|from)\s+(?P<w>{WEEKDAY})"), rules.read_week_after_weekday),
    (compiled(rf"(?P<w>{WEEKDAY})\s+week"), rules.read_week_after_weekday),
    (
        compiled(
            rf"{_THE}(?:(?P<c>(?<=the\s)(?:coming|upcoming)|this\s+(?:coming|upcoming))\s+|{_P})?(?P<w>{WEEKDAY})(?!\s+(?:of\s+the\b|after(?:\s+(?-i:[A-Z])|\s*$)))"
        ),
        rules.read_weekday,
    ),
    (compiled(rf"(?:all\s+|the whole\s+|the\s+)?(?:{_P})?weekend"), rules.read_weekend),
    (
        compiled(rf"(?P<a>all\s+(?:of\s+)?|the whole\s+|the\s+)?(?:{_P})?(?P<u>week|month|year|day)"),
        rules.read_relative_unit,
    ),
    (
        compiled(
            rf"(?:{_P}|(?P<e>early (?:in\s+)?|late (?:in\s+)?|mid[- ]|all\s+))?(?P<m>{MONTH})"
            rf"(?:,?\s+(?:of\s+)?(?P<y>{YEAR}))?"
        ),
        rules.read_month,
    ),
    (
        compiled(rf"(?P<a>the\s+|all\s+|early\s+|late\s+)?(?:{_P})?(?P<s>{SEASON})(?:\s+(?:of\s+)?(?P<y>{YEAR}))?"),
        rules.read_season,
    ),
    (compiled(rf"(?P<h>{one_of([*FIXED_DAYS, *EASTER_DAYS])})(?:\s+(?P<y>{YEAR}))?"), rules.read_holiday),
    (
        compiled(rf"(?P<w>(?!))?the\s+(?:(?P<d>\d{{1,2}}(?:st|nd|rd|th)){_NOUN}|(?P<e>{ORDINAL}){_NO_NOUN})"),
        rules.read_day_of_month,
    ),
    (compiled(rf"(?P<y>{YEAR})"), rules.read_year),
)

FIRST_WORDS = frozenset(
    w.split()[0].split("'")[0]
    for table in (WEEKDAYS, MONTHS, SEASONS, ORDINALS, FIXED_DAYS, EASTER_DAYS, rules.WHICH)
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
