"""Query parameters and names in the path: strict, since a typing error must not vanish. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from urllib.parse import unquote_to_bytes

import msgspec
from multidict import MultiMapping

from schemas.ids import SpaceKey, name_problem
from schemas.times import parse_moment

from .errors import RequestError

INCLUDES = ("superseded", "contested", "lapsed", "all")
DEFAULT_TENANT = "default"

_LOST_PLUS = re.compile(r"(?<=\d) (?=\d\d:?\d\d$)")
"""In a query string "+01:00" arrives as " 01:00" unless it was escaped."""


def check_target(raw: str) -> None:
    """Refuse a request target whose escapes are not UTF-8: what they mean would be a guess.

    Raises:
        RequestError: 400.
    """
    try:
        unquote_to_bytes(raw).decode("utf-8")
    except UnicodeError as error:
        raise RequestError(400, "bad_url", "the URL's percent escapes are not UTF-8") from error


def check_parameters(query: MultiMapping[str], allowed: Collection[str]) -> dict[str, str]:
    """The parameters by name.

    Raises:
        RequestError: 400; a parameter is not known here, is given twice, is empty, or holds characters that no name
            and no time has.
    """
    known = ", ".join(allowed) if allowed else "none"
    values: dict[str, str] = {}
    for name, value in query.items():
        if name not in allowed:
            raise RequestError(400, "unknown_parameter", f"unknown query parameter; known here: {known}", name)
        if name in values:
            raise RequestError(400, "invalid", "query parameter is given twice", name)
        if not value.strip():
            raise RequestError(400, "invalid", "query parameter is empty; leave it out instead", name)
        if not value.isprintable():
            raise RequestError(400, "invalid", "query parameter holds control characters", name)
        values[name] = value
    return values


def space_key(tenant: str, space: str) -> SpaceKey:
    """The space of a request. Raises ``RequestError`` (400) when a name cannot be one."""
    problem = name_problem(space)
    if problem is not None:
        raise RequestError(400, "invalid", f"space name {problem}", "space")
    return SpaceKey(tenant_named(tenant), space)


def tenant_named(name: str) -> str:
    """The tenant of a request. Raises ``RequestError`` (400) when the name cannot be one."""
    problem = name_problem(name)
    if problem is not None:
        raise RequestError(400, "invalid", f"tenant name {problem}", "X-Tenant")
    return name


def identifier(name: str, value: str) -> str:
    """A message or event id of the path. Raises ``RequestError`` (400) when it holds control characters."""
    if not value.isprintable():
        raise RequestError(400, "invalid", "id holds control characters", name)
    return value


def instant(values: Mapping[str, str | None], name: str) -> int | None:
    """A time parameter in microseconds UTC: RFC 3339, or a date, which means its end in UTC.

    A "+" of an offset that arrived as a space is put back.
    """
    text = values.get(name)
    if text is None:
        return None
    try:
        return parse_moment(_LOST_PLUS.sub("+", text))
    except ValueError as error:
        raise RequestError(400, "invalid", str(error), name) from error


def count(values: Mapping[str, str], name: str) -> int | None:
    """A parameter that is a number of something, 0 or more."""
    text = values.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise RequestError(400, "invalid", f"not a whole number of 0 or more: {text!r}", name)
    return int(text)


class Include(msgspec.Struct, frozen=True, kw_only=True):
    """What a state lists besides what holds."""

    everything: bool
    superseded: bool
    contested: bool
    lapsed: bool


def include(values: Mapping[str, str]) -> Include | None:
    """``include=superseded,contested,lapsed`` or ``all``; None when absent."""
    text = values.get("include")
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in INCLUDES:
            raise RequestError(400, "invalid", f"unknown: {name!r}; known: {', '.join(INCLUDES)}", "include")
    return Include(
        everything="all" in names,
        superseded="superseded" in names,
        contested="contested" in names,
        lapsed="lapsed" in names,
    )
