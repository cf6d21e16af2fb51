"""Grammar of distances from now or from a day ("two hours ago", "in a fortnight", "a week from Friday")."""

from __future__ import annotations

import re
from datetime import timedelta

from schemas.times import US_PER_HOUR, US_PER_MINUTE

from . import picks, units
from .day_grammar import parse_day
from .nodes import Context, Node
from .patterns import NUMBER, SEASON, UNIT, WEEKDAY, compiled, number, spaced
from .units import Span
from .words import SEASONS, WEEKDAYS

Match = re.Match[str]
_HALF = r"half (?:a|an)"
_COUNT = rf"(?P<n>{NUMBER}|{_HALF})\s+(?:(?:and )?a half\s+)?"
_AND_A_HALF = r"(?P<x>\s+and a half)?"
_AGO = compiled(rf"{_COUNT}(?P<u>{UNIT}|{WEEKDAY}|{SEASON})s?{_AND_A_HALF}\s+(?:ago|back)")
_FROM_NOW = compiled(rf"{_COUNT}(?P<u>{UNIT}|{WEEKDAY})s?{_AND_A_HALF}\s+from\s+now")
_IN = compiled(
    rf"in\s+(?:about\s+|exactly\s+|just\s+|only\s+)?{_COUNT}(?P<u>{UNIT})(?:s|['’]s|s['’])?{_AND_A_HALF}(?:\s+time)?"
)
_TO_THE_DAY = compiled(rf"(?P<n>{NUMBER})\s+(?P<u>week|month|year)s?\s+ago\s+(?P<w>today|yesterday|{WEEKDAY})")
_FROM_DAY = re.compile(rf"(?P<n>{NUMBER})\s+(?P<u>day|week|month|year)s?\s+(?P<s>from|after|before)\s+", re.IGNORECASE)
_FOR = compiled(
    r"(?:for|in|over|these|(?:for |in |over )?the (?:last|past))\s+(?:about\s+|almost\s+|nearly\s+|over\s+)?"
    rf"{_COUNT}(?P<u>{UNIT})s?{_AND_A_HALF}(?:\s+now)?"
)


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
