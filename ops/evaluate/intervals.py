"""Gold dates as half-open intervals of their precision, and 95 % intervals of shares. Pure."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta

MICROS = 1_000_000
DECEMBER = 12


def day_us(day: date) -> int:
    """The start of a UTC day, microseconds."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * MICROS


def unit_around(day: date, precision: str) -> tuple[int, int]:
    """The calendar unit of this precision that holds the day, microseconds UTC; "session" and "weekend" are days."""
    match precision:
        case "year":
            first, after = date(day.year, 1, 1), date(day.year + 1, 1, 1)
        case "month":
            first, after = day.replace(day=1), _next_month(day)
        case "week":
            first = day - timedelta(days=day.weekday())
            after = first + timedelta(days=7)
        case _:
            first, after = day, day + timedelta(days=1)
    return day_us(first), day_us(after)


def widened(start: date, until: date, precision: str) -> tuple[int, int]:
    """``[start − 1 unit, until + 1 unit)`` of the precision, microseconds UTC."""
    match precision:
        case "year":
            first, last = start.replace(year=start.year - 1), until.replace(year=until.year + 1)
        case "month":
            before = start.replace(day=1) - timedelta(days=1)
            first, last = before.replace(day=1), _next_month(until)
        case "season":
            first, last = start - timedelta(days=92), until + timedelta(days=92)
        case "week":
            first, last = start - timedelta(days=7), until + timedelta(days=7)
        case _:
            first, last = start - timedelta(days=1), until + timedelta(days=1)
    return day_us(first), day_us(last)


def wilson(hits: int, total: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson); (0, 1) when nothing was counted."""
    if total == 0:
        return 0.0, 1.0
    z, share = 1.959964, hits / total
    centre = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def _next_month(day: date) -> date:
    if day.month == DECEMBER:
        return date(day.year + 1, 1, 1)
    return date(day.year, day.month + 1, 1)
