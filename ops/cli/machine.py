"""Results as JSON for machines: the result types of ``query.api`` field by field, instants as RFC 3339 UTC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from query.api import Citation, QueryResult, StateEntry, StateResult
from schemas.events import Anchor, Event, Stated
from schemas.times import format_time

from .world import World

INSTANTS: dict[type, tuple[str, ...]] = {
    StateResult: ("as_of", "known_at"),
    StateEntry: ("valid_from", "valid_until"),
    QueryResult: ("as_of", "known_at"),
    Citation: ("sent_at",),
    Event: ("valid_from", "ends_at", "expected_until"),
    Anchor: ("start", "until"),
    Stated: ("sent_at",),
}
"""Fields that hold microseconds UTC, per type: ``start`` is an instant in an anchor and a character in a source."""


def print_json(world: World, result: object) -> None:
    """One JSON document and a line end on standard output."""
    world.say(msgspec.json.format(msgspec.json.encode(plain(result)), indent=2).decode("utf-8"))


def plain(value: object) -> object:
    """A result as dicts, lists and scalars, instants as text."""
    if isinstance(value, msgspec.Struct):
        return {name: _field(value, name, getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Stated):
        return {name: _field(value, name, getattr(value, name)) for name in value._fields}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in cast("Sequence[object]", value)]
    return value


def _field(owner: object, name: str, value: object) -> object:
    if name in INSTANTS.get(type(owner), ()) and isinstance(value, int):
        return format_time(value)
    return plain(value)
