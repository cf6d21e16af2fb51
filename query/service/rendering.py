"""Results to JSON: structs to plain dictionaries, instants to RFC 3339. Pure.

Inside, an instant is an integer like any other; this table is the one place that says which integers are instants.
Replies and the OpenAPI description are both made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, cast

import msgspec
from msgspec import inspect

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

_Part = Literal["instant", "plain", "walked"]


def to_json(value: object) -> Any:
    """A result as dictionaries, lists and scalars.

    ``Stated`` becomes an object with its field names; any other tuple, a ``MessageKey`` too, is a list. A mapping is an
    object of its values, whose keys are text.
    """
    return msgspec.json.decode(encode(value))


def encode(value: object) -> bytes:
    """JSON of a result."""
    return msgspec.json.encode(_rendered(value))


def _rendered(value: object) -> object:
    """What encodes to the JSON of a result: what holds no instant anywhere is left as it is."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return {name: _rendered(item) for name, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, tuple | list) and kind is not Stated:
        return [_rendered(item) for item in cast("Sequence[object]", value)]
    if _is_plain(kind):
        return value
    return {name: _part(getattr(value, name), how) for name, how in _plan(kind)}


def _part(value: Any, how: _Part) -> object:
    match how:
        case "instant":
            return None if value is None else format_time(value)
        case "plain":
            return value
        case "walked":
            return _rendered(value)


@cache
def _plan(kind: type) -> tuple[tuple[str, _Part], ...]:
    """The fields of a type, and what is to be done with each."""
    fields = {field.name: field.type for field in _fields(kind)}
    names: tuple[str, ...] = Stated._fields if kind is Stated else tuple(fields)
    instants = INSTANTS.get(kind, frozenset[str]())
    return tuple(
        (name, "instant" if name in instants else "plain" if _has_no_instant(fields[name]) else "walked")
        for name in names
    )


@cache
def _is_plain(kind: type) -> bool:
    return _has_no_instant(inspect.type_info(kind))


def _fields(kind: type) -> Sequence[inspect.Field]:
    found = inspect.type_info(kind)
    return found.fields if isinstance(found, inspect.StructType | inspect.NamedTupleType) else ()


def _has_no_instant(kind: inspect.Type) -> bool:
    """Whether msgspec encodes values of a type as we do: it holds no instant, and is no array or tagged object."""
    match kind:
        case inspect.StructType():
            is_bare = not kind.array_like and kind.tag is None and kind.cls not in INSTANTS
            return is_bare and all(_has_no_instant(field.type) for field in kind.fields)
        case inspect.NamedTupleType():
            return kind.cls is not Stated and all(_has_no_instant(field.type) for field in kind.fields)
        case inspect.UnionType():
            return all(_has_no_instant(one) for one in kind.types)
        case inspect.TupleType():
            return all(_has_no_instant(one) for one in kind.item_types)
        case inspect.VarTupleType() | inspect.ListType():
            return _has_no_instant(kind.item_type)
        case _:
            plain = (inspect.IntType, inspect.StrType, inspect.FloatType, inspect.BoolType, inspect.NoneType)
            return isinstance(kind, (*plain, inspect.LiteralType))
