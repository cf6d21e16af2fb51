"""Results to JSON: structs to plain dictionaries, instants to RFC 3339. Pure.

Inside, an instant is an integer like any other; this table is the one place that says which integers are instants.
Replies and the OpenAPI description are both made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

import msgspec

from query.api import (
    AliasEntry,
    ChangeEntry,
    ChangesResult,
    Citation,
    EdgeEntry,
    QueryResult,
    RulingEntry,
    StateEntry,
    StateResult,
)
from schemas.events import Anchor, Event, Stated
from schemas.times import format_time

INSTANTS: Mapping[type, frozenset[str]] = {
    Event: frozenset({"valid_from", "ends_at", "expected_until"}),
    Stated: frozenset({"sent_at"}),
    Anchor: frozenset({"start", "until"}),
    Citation: frozenset({"sent_at"}),
    StateEntry: frozenset({"valid_from", "valid_until"}),
    StateResult: frozenset({"as_of", "known_at"}),
    ChangeEntry: frozenset({"at"}),
    ChangesResult: frozenset({"since", "until"}),
    QueryResult: frozenset({"as_of", "known_at"}),
    EdgeEntry: frozenset({"invalid_from"}),
    AliasEntry: frozenset({"at"}),
    RulingEntry: frozenset({"at"}),
}
"""Fields in microseconds UTC, by type."""

_SCALARS = frozenset({str, int, float, bool, type(None)})


def to_json(value: object) -> Any:
    """A result as dictionaries, lists and scalars.

    ``Stated`` becomes an object with its field names; any other tuple, a ``MessageKey`` too, is a list. A mapping is an
    object of its values, whose keys are text.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return {name: to_json(item) for name, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, tuple | list) and kind is not Stated:
        return [to_json(item) for item in cast("Sequence[object]", value)]
    return {
        name: _time(getattr(value, name)) if is_instant else to_json(getattr(value, name))
        for name, is_instant in _plan(kind)
    }


@cache
def _plan(kind: type) -> tuple[tuple[str, bool], ...]:
    """The fields of a type, and whether each is an instant."""
    names: tuple[str, ...] = (
        Stated._fields if kind is Stated else tuple(field.name for field in msgspec.structs.fields(kind))
    )
    instants = INSTANTS.get(kind, frozenset[str]())
    return tuple((name, name in instants) for name in names)


def _time(us: int | None) -> str | None:
    return None if us is None else format_time(us)


def encode(value: object) -> bytes:
    """JSON of a result."""
    return msgspec.json.encode(to_json(value))
