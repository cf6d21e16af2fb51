"""The message's own clock: instants to local calendar time and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schemas.times import from_us, to_us

_SOUTHERN = (
    "Australia/", "Antarctica/", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Fiji", "Pacific/Tongatapu",
    "Pacific/Apia", "Pacific/Noumea", "Africa/Johannesburg", "Africa/Harare", "Africa/Maputo", "Africa/Lusaka",
    "Africa/Windhoek", "Africa/Gaborone", "America/Sao_Paulo", "America/Argentina/", "America/Buenos_Aires",
    "America/Santiago", "America/Montevideo", "America/Asuncion", "America/La_Paz", "America/Lima",
    "Indian/Mauritius", "Indian/Antananarivo", "Asia/Jakarta",
)  # fmt: skip

_SOUTHERN_OFFSETS = frozenset({-180, 570, 600, 630, 660, 720, 765, 780, 825})
"""Minutes east of UTC."""


@lru_cache(maxsize=256)
def zone_of(tz: str | None, utc_offset_min: int) -> tzinfo:
    """The zone to count in: the IANA zone when it exists here, else the fixed offset (minutes east of UTC)."""
    if tz:
        try:
            return ZoneInfo(tz)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            # An unknown name must not lose the message; its offset is right for the day it was sent.
            pass
    if abs(utc_offset_min) >= 24 * 60:
        return UTC
    return timezone(timedelta(minutes=utc_offset_min))


def is_southern(tz: str | None, utc_offset_min: int) -> bool:
    """Whether the zone's seasons are those of the south. Without a zone the offset decides, where it can.

    East of +09:30 nearly everybody lives in Australia or New Zealand, at -03:00 in Brazil, Argentina or Uruguay; every
    other offset counts as northern.
    """
    if tz:
        return tz.startswith(_SOUTHERN)
    return utc_offset_min in _SOUTHERN_OFFSETS


class LocalClock:
    """Local time of one message.

    Attributes:
        sent: the instant it was sent, microseconds UTC.
        now: the same as naive local time.
    """

    def __init__(self, sent_us: int, zone: tzinfo) -> None:
        self.sent = sent_us
        self.zone = zone
        self.now = self.local(sent_us)

    def local(self, us: int) -> datetime:
        """An instant as naive local time. Raises ``OverflowError`` outside the years 1 to 9999."""
        return from_us(us).astimezone(self.zone).replace(tzinfo=None)

    def instant(self, local: datetime) -> int:
        """Naive local time as microseconds UTC; the earlier of two equal wall times when clocks go back."""
        return to_us(local.replace(tzinfo=self.zone))
