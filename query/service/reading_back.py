"""The inverse of ``rendering``: a reply's JSON back to the struct it was made from, for clients of ours. Pure."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import inspect

from schemas.times import parse_time

from .rendering import INSTANTS

T = TypeVar("T")


def decode(raw: bytes, kind: type[T]) -> T:
    """A reply as its type.

    Raises:
        msgspec.DecodeError, ValueError: it is not one; another version answered, or another program.
    """
    return msgspec.convert(_plain(msgspec.json.decode(raw), _info(kind)), kind)


@cache
def _info(kind: type) -> inspect.Type:
    return inspect.type_info(kind)


def _plain(value: Any, info: inspect.Type) -> Any:
    """JSON as ``msgspec.convert`` wants it: instants as integers, named tuples as lists."""
    match info:
        case _ if value is None:
            return None
        case inspect.StructType():
            instants = INSTANTS.get(info.cls, frozenset[str]())
            types = {field.name: field.type for field in info.fields}
            given = cast("dict[str, Any]", value)
            return {n: _us(v) if n in instants else _plain(v, types[n]) for n, v in given.items() if n in types}
        case inspect.NamedTupleType():
            instants = INSTANTS.get(info.cls, frozenset[str]())
            given = cast("dict[str, Any]", value)
            return [_us(given[f.name]) if f.name in instants else _plain(given[f.name], f.type) for f in info.fields]
        case inspect.VarTupleType() | inspect.ListType():
            return [_plain(item, info.item_type) for item in value]
        case inspect.TupleType():
            return [_plain(item, kind) for item, kind in zip(value, info.item_types, strict=True)]
        case inspect.UnionType():
            kinds = [kind for kind in info.types if not isinstance(kind, inspect.NoneType)]
            return _plain(value, kinds[0]) if len(kinds) == 1 else value
        case _:
            return value


def _us(text: str | None) -> int | None:
    return None if text is None else parse_time(text)[0]
