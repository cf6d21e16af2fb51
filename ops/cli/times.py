"""Times as people type and read them: RFC 3339 or a bare date in, days out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from schemas.times import MAX_US, MIN_US, US_PER_DAY, from_us, parse_time, to_us

from .world import CommandError

if TYPE_CHECKING:
    from query.api import Citation

TIME_HELP = "RFC 3339 (2026-03-01T09:00:00+01:00) or a date, which means the end of that day in --zone"

Zone = ZoneInfo | None
"""The zone a user asked for; None shows every time as in the message it comes from, and reads bare dates in UTC."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def parse_moment(text: str | None, option: str, zone: Zone) -> int | None:
    """A time from the command line as microseconds UTC; None stays None.

    A bare date means the last microsecond of that day in ``zone``: "as of 1 March" includes what began on 1 March,
    and nothing that began on the 2nd.

    Raises:
        CommandError: not a time, or a time without an offset; names the option.
    """
    if text is None:
        return None
    try:
        return _day_end(text, zone) if _DATE.fullmatch(text) else parse_time(text)[0]
    except ValueError as error:
        raise CommandError(f"{option}: {error}") from error


def _day_end(text: str, zone: Zone) -> int:
    day = date.fromisoformat(text)
    if not date(1, 1, 2) <= day <= date(9999, 12, 29):
        raise ValueError(f"date is outside the years 1 to 9999: {text!r}")
    return to_us(datetime.combine(day + timedelta(days=1), time.min, tzinfo=zone or UTC)) - 1


def local_zone(citations: Sequence[Citation], zone: Zone) -> tzinfo:
    """Where a statement's days are printed: the zone asked for, else the offset its first message was sent with."""
    if zone is not None:
        return zone
    return timezone(timedelta(minutes=citations[0].utc_offset_min)) if citations else UTC


def zone_name(zone: Zone) -> str:
    """The zone of times that come from no message."""
    return "UTC" if zone is None else zone.key


def show_day(us: int, zone: tzinfo) -> str:
    """The day of an instant in a zone."""
    return _local(us, zone).strftime("%Y-%m-%d")


def show_minute(us: int, zone: Zone) -> str:
    """Day and minute of an instant in a zone."""
    return _local(us, zone or UTC).strftime("%Y-%m-%d %H:%M")


def _local(us: int, zone: tzinfo) -> datetime:
    # One day inside what datetime can hold, so that no zone leads out of it.
    return from_us(min(max(us, MIN_US + US_PER_DAY), MAX_US - US_PER_DAY)).astimezone(zone)
