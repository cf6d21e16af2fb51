"""Checks of what comes in, each naming the field that is wrong."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from schemas.ids import SpaceKey, name_problem
from schemas.times import NaiveTimeError, format_time, parse_time
from schemas.wire import Problem

MAX_ID_BYTES = 256
"""Ids and names become parts of keys; 256 bytes hold every id scheme we have met."""

_MAX_TIME_CHARS = 64
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class RefusedError(ValueError):
    """Input that cannot be taken; ``problem`` names the field. The sender must change it and send it again."""

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message if field is None else f"{field}: {message}")
        self.problem = Problem(code=code, message=message, field=field)


def check_space(space: SpaceKey) -> None:
    """Tenant and space, by the rule of ``schemas.ids.name_problem``."""
    for field, name in (("tenant", space.tenant), ("space", space.space)):
        problem = name_problem(name)
        if problem is not None:
            raise RefusedError("bad_name", problem, field)


def check_text(field: str, text: str) -> str:
    """Text that can be stored: no half of a surrogate pair, which has no UTF-8."""
    if _SURROGATE.search(text):
        raise RefusedError("bad_text", "must not contain an unpaired surrogate", field)
    return text


def mended(text: str) -> str:
    """Halves of surrogate pairs replaced by U+FFFD, the sign for what could not be read: what people said is kept."""
    return _SURROGATE.sub("\ufffd", text)


def check_content(field: str, text: str, max_bytes: int) -> str:
    """Text with something in it, of at most ``max_bytes`` of UTF-8."""
    size = len(check_text(field, text).encode("utf-8"))
    if size > max_bytes:
        raise RefusedError("too_large", f"has {size} bytes, the limit is {max_bytes}", field)
    if not text.strip():
        raise RefusedError("empty", "must not be empty", field)
    return text


def check_id(field: str, text: str) -> str:
    """An id or a name: not empty, at most ``MAX_ID_BYTES`` of UTF-8, no control characters."""
    check_content(field, text, MAX_ID_BYTES)
    if _CONTROL.search(text):
        raise RefusedError("bad_text", "must not contain control characters", field)
    return text


@lru_cache(maxsize=256)
def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        return None


def check_zone(field: str, name: str) -> ZoneInfo:
    """An IANA time zone such as ``Europe/Paris``."""
    zone = _zone(name) if len(name) <= MAX_ID_BYTES else None
    if zone is None:
        raise RefusedError("bad_zone", f"not an IANA time zone: {name[:_MAX_TIME_CHARS]!r}", field)
    return zone


def check_time(field: str, text: str) -> tuple[int, int]:
    """RFC 3339 text with an offset as (microseconds UTC, offset in minutes)."""
    if len(text) > _MAX_TIME_CHARS:
        raise RefusedError("bad_time", f"longer than any time: {text[:_MAX_TIME_CHARS]!r}…", field)
    if _is_date(text):
        raise RefusedError("bad_time", f"a date without a time: {text!r}", field)
    try:
        return parse_time(text)
    except NaiveTimeError as error:
        raise RefusedError("naive_time", str(error), field) from error
    except (ValueError, OverflowError) as error:
        raise RefusedError("bad_time", f"not an RFC 3339 time: {text!r}", field) from error


def check_local_time(field: str, text: str, zone: ZoneInfo) -> tuple[int, int, bool]:
    """As ``check_time``, taking a time without an offset as local time of ``zone``; the last says that it did.

    A local time that occurs twice (clocks set back) is the first of the two; one that is skipped is read with the
    offset before the change.
    """
    try:
        return *check_time(field, text), False
    except RefusedError as refused:
        if refused.problem.code != "naive_time":
            raise
    try:
        moment = datetime.fromisoformat(text).replace(tzinfo=zone).isoformat()
    except OverflowError as error:
        raise RefusedError("bad_time", f"outside the years 1 to 9999: {text!r}", field) from error
    return *check_time(field, moment), True


def check_span(field: str, start: int | None, until: int | None) -> None:
    """A half-open interval must not end before it starts; None is open."""
    if start is not None and until is not None and until <= start:
        raise RefusedError("bad_interval", f"must be later than {format_time(start)}", field)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
