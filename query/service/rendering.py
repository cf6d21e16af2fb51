"""Results to JSON: structs to plain dictionaries, instants to RFC 3339. Pure.

Inside, an instant is an integer like any other; this table is the one place that says which integers are instants.
Replies and the OpenAPI description are both made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from query.api import Citation, QueryResult, StateEntry, StateResult
from schemas.events import Anchor, Event, Stated
from schemas.times import format_time

INSTANTS: Mapping[type, frozenset[str]] = {
    Event: frozenset({"valid_from", "ends_at", "expected_until"}),
    Stated: frozenset({"sent_at"}),
    Anchor: frozenset({"start", "until"}),
    Citation: frozenset({"sent_at"}),
    StateEntry: frozenset({"valid_from", "valid_until"}),
    StateResult: frozenset({"as_of", "known_at"}),
    QueryResult: frozenset({"as_of", "known_at"}),
}
"""Fields in microseconds UTC, by type."""

_NONE: frozenset[str] = frozenset()


def to_json(value: object) -> Any:
    """A result as dictionaries, lists and scalars. ``Stated`` becomes an object with its field names."""
    if isinstance(value, msgspec.Struct):
        return _fields(value, value.__struct_fields__)
    if isinstance(value, Stated):
        return _fields(value, Stated._fields)
    if isinstance(value, tuple):
        return [to_json(item) for item in cast("tuple[object, ...]", value)]
    return value


def _fields(value: object, names: tuple[str, ...]) -> dict[str, Any]:
    instants = INSTANTS.get(type(value), _NONE)
    rendered: dict[str, Any] = {}
    for name in names:
        item: object = getattr(value, name)
        is_instant = name in instants and isinstance(item, int)
        rendered[name] = format_time(cast(int, item)) if is_instant else to_json(item)
    return rendered


def encode(value: object) -> bytes:
    """JSON of a result."""
    return msgspec.json.encode(to_json(value))
