"""The period a question names ("in March 2024", "on 2024-03-05", "last year"), resolved against when it is asked.

Explicit dates, month names, years, last/this year, month or week, and yesterday: a question with a subtler phrase is
answered from the current state, and its dates are left to whoever reads the context.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from schemas.times import US_PER_DAY, Interval, from_us, to_us

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_LEAD = r"\b(?P<lead>before|prior to|until|till|since|after|from|following)?\s*(?:the\s+)?"
_ISO = re.compile(_LEAD + r"(?P<y>\d{4})-(?P<m>\d\d)(?:-(?P<d>\d\d))?\b", re.I)
_DAY_MONTH = re.compile(
    _LEAD + rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m>{_MONTH})\b\.?,?(?:\s+(?P<y>\d{{4}}))?", re.I
)
_MONTH_DAY = re.compile(_LEAD + rf"(?P<m>{_MONTH})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y>\d{{4}}))?", re.I)
_MONTH_YEAR = re.compile(_LEAD + rf"(?P<m>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y>\d{{4}})\b", re.I)
_BARE_MONTH = re.compile(
    r"\b(?:(?P<lead>before|until|since|after)|in|during|last|of)\s+"
    rf"(?P<m>{'|'.join(_MONTHS)})\b",
    re.I,
)
_YEAR = re.compile(r"\b(?:(?P<lead>before|until|since|after)|in|during|of)\s+(?P<y>(?:19|20)\d\d)\b", re.I)
_LAST = re.compile(r"\b(?P<which>last|this)\s+(?P<unit>year|month|week)\b", re.I)
_EARLIEST, _LATEST = datetime(1, 1, 15, tzinfo=UTC), datetime(9999, 12, 24, tzinfo=UTC)
"""Between them the weeks before and after lie in the calendar."""
_YESTERDAY = re.compile(r"\byesterday\b", re.I)
_BEFORE = ("before", "prior to", "until", "till")
_OPEN_ENDED = ("since", "after", "from", "following")


def period_of(question: str, asked_at: int) -> Interval | None:
    """The period the question is about, in UTC, or None: no date, or an open-ended one ("since 2023").

    "Before X" is the last day before X. A month without a year is the latest one that has begun when asked.
    """
    asked = from_us(asked_at)
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY, _MONTH_YEAR, _BARE_MONTH, _YEAR):
        match = pattern.search(question)
        if match is None:
            continue
        parts = match.groupdict()
        lead = (parts.get("lead") or "").lower()
        if lead in _OPEN_ENDED:
            return None
        named = _named(parts, asked)
        if named is None:
            return None
        return _day_before(named) if lead in _BEFORE else named
    if _YESTERDAY.search(question):
        return None if asked < _EARLIEST else _day_before(_span(asked.year, asked.month, asked.day))
    match = _LAST.search(question)
    if match is None:
        return None
    try:
        return _relative(match["which"].lower() == "last", match["unit"].lower(), asked)
    except ValueError:  # asked in the first or last year of the calendar
        return None


def is_date_word(word: str) -> bool:
    """Whether a case-folded word of a question with a period belongs to its date rather than to its subject."""
    return word in _MONTHS or word.isdigit() or word in ("last", "year", "month", "week", "yesterday")


def _named(parts: dict[str, str | None], asked: datetime) -> Interval | None:
    month = _month_number(parts.get("m"))
    day_text = parts.get("d")
    day = int(day_text) if day_text else None
    year_text = parts.get("y")
    if year_text is None and month is None:
        return None
    year = int(year_text) if year_text else asked.year
    try:
        if not year_text and datetime(year, month or 1, day or 1, tzinfo=UTC) > asked:
            year -= 1
        return _span(year, month, day)
    except ValueError:  # the 31st of February is not a period
        return None


def _month_number(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isdigit():
        return int(text)
    return next(i for i, name in enumerate(_MONTHS, start=1) if name.startswith(text.lower()))


def _span(year: int, month: int | None, day: int | None) -> Interval:
    if month is None:
        return _between(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
    if day is None:
        later = (year + 1, 1) if month == 12 else (year, month + 1)
        return _between(datetime(year, month, 1, tzinfo=UTC), datetime(*later, 1, tzinfo=UTC))
    start = to_us(datetime(year, month, day, tzinfo=UTC))
    return Interval(start=start, until=start + US_PER_DAY)


def _between(start: datetime, until: datetime) -> Interval:
    return Interval(start=to_us(start), until=to_us(until))


def _day_before(named: Interval) -> Interval:
    return Interval(start=named.start - US_PER_DAY, until=named.start)


def _relative(last: bool, unit: str, asked: datetime) -> Interval:
    if unit == "year":
        return _span(asked.year - (1 if last else 0), None, None)
    if unit == "week":
        if not _EARLIEST <= asked < _LATEST:
            raise ValueError("a week that is not in the calendar")
        monday = _span(asked.year, asked.month, asked.day).start - (asked.weekday() + 7 * last) * US_PER_DAY
        return Interval(start=monday, until=monday + 7 * US_PER_DAY)
    if not last:
        return _span(asked.year, asked.month, None)
    return _span(asked.year - 1, 12, None) if asked.month == 1 else _span(asked.year, asked.month - 1, None)
