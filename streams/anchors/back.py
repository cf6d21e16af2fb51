"""Phrases that point back at a time named before in the same message: "that evening", "the Monday after".

They name no time alone. Without a day before them they are not resolved: the day of the message would be a guess.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from schemas.events import Anchor

from . import picks, units
from .nodes import Context
from .units import Span
from .words import PARTS, WEEKDAYS

_PART = "morning|afternoon|evening|night"
_DAY = "|".join(day for day in WEEKDAYS if day.endswith("day"))
_LONGEST_DAYS = 3
"""What lasts longer is no day that an evening could belong to."""

_SAME = re.compile(rf"\b(?:that|the)\s+same\s+(?P<part>{_PART}|day)\b|\bthat\s+(?P<part2>{_PART}|day)\b", re.IGNORECASE)
_NEXT = re.compile(
    rf"\bthe\s+(?:next|following)\s+(?P<unit>day|{_PART}|week|month|{_DAY})\b"
    rf"|\bthe\s+(?P<unit2>day|week|month|{_DAY})\s+after(?:\s+that)?(?=\s*(?:[,.;!?)]|$))",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\bthe\s+(?P<unit>day|week|month)\s+before(?:\s+that)?(?=\s*(?:[,.;!?)]|$))", re.IGNORECASE)


def refer_back(text: str, last: Anchor, context: Context) -> Anchor | None:
    """The first such phrase of a clause as an anchor, counted from the time named last; None where there is none.

    Args:
        text: the clause.
        last: what the message named before, relative or explicit.
        context: the message's clock.
    """
    clock = context.clock
    first, after = clock.local(last.start).date(), clock.local(last.until - 1).date()
    for pattern, sign in ((_SAME, 0), (_NEXT, 1), (_BEFORE, -1)):
        match = pattern.search(text)
        if match is None:
            continue
        unit = next(group for group in match.groups() if group is not None).lower()
        if (after - first).days >= _LONGEST_DAYS and unit not in ("week", "month"):
            return None
        day = after if sign > 0 else first
        span = _span(unit, day, sign)
        return Anchor(
            start=clock.instant(span.start), until=clock.instant(span.until), precision=span.precision,
            phrase=match[0], resolution="relative",
        )  # fmt: skip
    return None


def _span(unit: str, day: date, sign: int) -> Span:
    """The unit ``sign`` away from the day, or the next such weekday after it."""
    if unit in WEEKDAYS:
        return units.day(picks.coming(day, WEEKDAYS[unit]))
    if unit == "week":
        return units.week(day + timedelta(days=7 * sign))
    if unit == "month":
        return units.month(units.add_months(day, sign))
    moved = day + timedelta(days=sign)
    return units.hours(moved, *PARTS[unit]) if unit in PARTS else units.day(moved)
