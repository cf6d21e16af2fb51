"""Calendar intervals in naive local time: half-open, weeks from Monday, meteorological seasons."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from schemas.times import Precision


class Span(NamedTuple):
    """A local interval ``[start, until)`` with the precision it was named at."""

    start: datetime
    until: datetime
    precision: Precision


def at_midnight(day: date) -> datetime:
    """The first moment of a local day."""
    return datetime.combine(day, time())


def day(d: date, days: int = 1) -> Span:
    """``days`` local days from ``d``."""
    return Span(at_midnight(d), at_midnight(d + timedelta(days=days)), "day")


def week(d: date) -> Span:
    """The Monday-to-Sunday week that holds ``d``."""
    monday = d - timedelta(days=d.weekday())
    return Span(at_midnight(monday), at_midnight(monday + timedelta(days=7)), "week")


def weekend(d: date) -> Span:
    """Saturday and Sunday of the week that holds ``d``; precision day."""
    return day(d - timedelta(days=d.weekday()) + timedelta(days=5), 2)


def add_months(d: date, months: int) -> date:
    """The first day of the month ``months`` after that of ``d``."""
    index = d.year * 12 + d.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def month(d: date) -> Span:
    """The month that holds ``d``."""
    return Span(at_midnight(d.replace(day=1)), at_midnight(add_months(d, 1)), "month")


def year(number: int) -> Span:
    """A calendar year."""
    return Span(at_midnight(date(number, 1, 1)), at_midnight(date(number + 1, 1, 1)), "year")


def season(start_year: int, quarter: int, southern: bool) -> Span:
    """Three months from March (quarter 0), June, September or December, shifted by half a year in the south."""
    first = date(start_year, (3 + 3 * quarter + (6 if southern else 0) - 1) % 12 + 1, 1)
    return Span(at_midnight(first), at_midnight(add_months(first, 3)), "season")


def hours(d: date, first: int, last: int) -> Span:
    """Local hours ``[first, last)`` of a day; precision hour."""
    midnight = at_midnight(d)
    return Span(midnight + timedelta(hours=first), midnight + timedelta(hours=last), "hour")


def easter(number: int) -> date:
    """Western Easter Sunday (the anonymous Gregorian computus)."""
    a, b, c = number % 19, number // 100, number % 100
    d, e, g = b // 4, b % 4, (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    m = (a + 11 * h) // 319
    rest = (2 * e + 2 * (c // 4) - c % 4 - h + m + 32) % 7
    month_number = (h - m + rest + 90) // 25
    return date(number, month_number, (h - m + rest + month_number + 19) % 32)
