"""Times as people type and read them: RFC 3339 or a bare date in, days out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from schemas.times import MAX_US, MIN_US, US_PER_DAY, calendar_time, from_us
from schemas.times import parse_moment as moment_in

from .world import CommandError

if TYPE_CHECKING:
    from query.api import Citation

TIME_HELP = "RFC 3339 (2026-03-01T09:00:00+01:00) or a date, which means the end of that day in --zone"

Zone = ZoneInfo | None
"""The zone a user asked for; None shows every time as in the message it comes from, and reads bare dates in UTC."""


def parse_moment(text: str | None, option: str, zone: Zone) -> int | None:
    """A time from the command line as microseconds UTC; None stays None. See ``schemas.times.parse_moment``.

    Raises:
        CommandError: not a time, or a time without an offset; names the option.
    """
    if text is None:
        return None
    try:
        return moment_in(text, zone or UTC)
    except ValueError as error:
        raise CommandError(f"{option}: {error}") from error


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
    return _local(us, zone).date().isoformat()


def show_minute(us: int, zone: Zone) -> str:
    """Day and minute of an instant in a zone."""
    return _local(us, zone or UTC).isoformat(sep=" ", timespec="minutes")


def _local(us: int, zone: tzinfo) -> datetime:
    """What clocks show there, without a zone; the first and last days of the calendar take the offset of those beside
    them, since no datetime can be moved out of it."""
    inside = from_us(min(max(us, MIN_US + US_PER_DAY), MAX_US - US_PER_DAY)).astimezone(zone)
    offset = inside.utcoffset() or timedelta()
    return calendar_time(us + offset // timedelta(microseconds=1))
