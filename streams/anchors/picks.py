"""Choosing the occurrence of a repeating calendar unit: the last, this, the next, or the one the tense points to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal

from . import units
from .nodes import Context
from .units import Span

Which = Literal["last", "this", "next", "bare"]


def weekday(context: Context, number: int, which: Which) -> date:
    """A day of the week. Last: strictly before today. This and next: in the current or next Monday-to-Sunday week."""
    today = context.clock.now.date()
    in_week = today + timedelta(days=number - today.weekday())
    if which == "this":
        return in_week
    if which == "next":
        return in_week + timedelta(days=7)
    if which == "last" or context.back:
        return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
    return coming(today, number)


def coming(today: date, number: int) -> date:
    """The nearest such day strictly after today."""
    return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)


def weekend(context: Context, which: Which) -> Span:
    """Saturday and Sunday; looking back from a weekday, "the" and "this" weekend are those of the former week."""
    today = context.clock.now.date()
    shift = {"last": -7, "this": 0, "next": 7, "bare": 0}[which]
    if which in ("bare", "this") and context.back and today.weekday() < 5:
        shift = -7
    return units.weekend(today + timedelta(days=shift))


def month(context: Context, number: int, which: Which) -> Span:
    """A month by name. Last and next exclude the current one; so does looking back without "last"."""
    today = context.clock.now.date()
    year = today.year
    if which == "last" or (which == "bare" and context.back):
        year -= number >= today.month
    elif which == "next":
        year += number <= today.month
    elif which == "bare":
        year += number < today.month
    return units.month(date(year, number, 1))


def season(context: Context, quarter: int, which: Which) -> Span:
    """A season by name. Last: the latest that is over; next: the first not begun; this: the one that holds today."""
    now = context.clock.now
    around = [units.season(now.year + d, quarter, context.southern) for d in (-2, -1, 0, 1, 2)]
    begun = [s for s in around if s.start <= now]
    open_ = [s for s in around if s.until > now]
    if which == "last":
        return [s for s in around if s.until <= now][-1]
    if which == "next":
        return next(s for s in around if s.start > now)
    return begun[-1] if context.back else open_[0]


def day_of_month(context: Context, number: int, month_number: int | None, on_weekday: int | None = None) -> date | None:
    """The latest such date up to today when looking back, else the earliest from today on.

    ``on_weekday``: it must fall on that day of the week ("Sunday the 27th"). None when there is none within a year.
    """
    today = context.clock.now.date()
    step = -1 if context.back else 1
    for candidate in _dates(today, number, month_number, step):
        if (candidate - today).days * step >= 0 and on_weekday in (None, candidate.weekday()):
            return candidate
    return None


def _dates(today: date, number: int, month_number: int | None, step: int) -> Iterator[date]:
    """Dates with that day, month by month (or year by year) from the current one; five years cover 29 February."""
    for i in range(-1 if month_number else 0, 6 if month_number else 12):
        first = (
            units.add_months(today, step * i) if month_number is None else date(today.year + step * i, month_number, 1)
        )
        if (units.add_months(first, 1) - first).days >= number >= 1:
            yield first.replace(day=number)


def holiday(context: Context, dates: tuple[date, ...]) -> date:
    """Of the dates of three years, the latest before today when looking back, else the earliest from today on."""
    today = context.clock.now.date()
    if context.back:
        return [d for d in dates if d <= today][-1]
    return next(d for d in dates if d >= today)
