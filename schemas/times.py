"""Time: instants as microseconds since 1970 UTC, half-open intervals, precisions, RFC 3339 in and out."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Literal

import msgspec

Precision = Literal["minute", "hour", "day", "week", "month", "season", "year"]
"""How exactly a time phrase names a time; the length of the anchor interval follows from it."""

US_PER_SECOND = 1_000_000
US_PER_MINUTE = 60 * US_PER_SECOND
US_PER_HOUR = 60 * US_PER_MINUTE
US_PER_DAY = 24 * US_PER_HOUR

MIN_US = -62_135_596_800 * US_PER_SECOND
"""0001-01-01T00:00:00Z, the first instant the standard library can print."""
MAX_US = 253_402_300_799 * US_PER_SECOND
"""9999-12-31T23:59:59Z, the last."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_1 = datetime.min  # noqa: DTZ901 - calendar times are naive
_DAY_MIN = 24 * 60
_MICROSECOND = timedelta(microseconds=1)


class NaiveTimeError(ValueError):
    """A time without a zone. The caller must send an offset, or an importer must be given ``--tz``."""


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Half-open ``[start, until)`` in microseconds UTC."""

    start: int
    until: int


def to_us(moment: datetime) -> int:
    """An aware datetime as microseconds UTC. Raises ``NaiveTimeError`` for a naive one."""
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise NaiveTimeError("time has no zone; send an offset such as +01:00 or Z")
    return (moment - _EPOCH) // _MICROSECOND


def from_us(us: int, utc_offset_min: int = 0) -> datetime:
    """Microseconds UTC as an aware datetime at the given offset (minutes east of UTC)."""
    return (_EPOCH + timedelta(microseconds=us)).astimezone(timezone(timedelta(minutes=utc_offset_min)))


def parse_time(text: str) -> tuple[int, int]:
    """RFC 3339 text as (microseconds UTC, offset in minutes).

    Raises:
        NaiveTimeError: no offset in the text.
        ValueError: not a time, or outside the years 1 to 9999, in UTC or on the sender's own calendar.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"not an RFC 3339 time: {text!r}") from error
    offset = moment.utcoffset()
    if offset is None:
        raise NaiveTimeError(f"time has no zone: {text!r}; send an offset such as +01:00 or Z")
    us = to_us(moment)
    if not MIN_US <= us <= MAX_US:
        raise ValueError(f"time is outside the years 1 to 9999: {text!r}")
    minutes = round(offset / timedelta(minutes=1))
    if abs(minutes) >= _DAY_MIN or not MIN_US <= us + minutes * US_PER_MINUTE <= MAX_US:
        raise ValueError(f"time cannot be told at its own offset: {text!r}")
    return us, minutes


def parse_moment(text: str, zone: tzinfo = UTC) -> int:
    """What somebody asks about, in microseconds UTC: RFC 3339, or a bare date.

    A date means its last microsecond in ``zone``: "as of 1 March" includes what began on 1 March, and nothing that
    began on the 2nd.

    Raises:
        ValueError: see ``parse_time``.
    """
    if _DATE.fullmatch(text) is None:
        return parse_time(text)[0]
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"not a date: {text!r}") from error
    end = to_us(datetime.combine(day, time.max, tzinfo=zone).replace(fold=1))
    return min(max(end, MIN_US), MAX_US)


def calendar_time(us: int, utc_offset_min: int = 0) -> datetime:
    """An instant as the calendar shows it at an offset (minutes east of UTC), naive; defined for every instant.

    What is derived from a time may lie outside the years 1 to 9999 (the day in which somebody spoke, an hour before its
    time zone's new year); it is shown as the first or last of them.
    """
    local = min(max(us + utc_offset_min * US_PER_MINUTE, MIN_US), MAX_US)
    return _YEAR_1 + timedelta(microseconds=local - MIN_US)


def format_time(us: int) -> str:
    """Microseconds UTC as RFC 3339 with ``Z``; fractions only where there are any. See ``calendar_time``."""
    return calendar_time(us).isoformat() + "Z"
