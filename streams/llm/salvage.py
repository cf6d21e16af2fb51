"""From a reply to the objects in it, each whole and of its type; what is cut off or wrong is told apart and named.

A reply is JSON, never prose: it is read by a JSON decoder from its first brace on, which also reads what stands in a
code fence. Where the whole does not parse, the objects of its list are read one by one until the text breaks off.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, Generic, TypeVar, cast

import msgspec

T = TypeVar("T")

_decoder = json.JSONDecoder()
_BLANK = " \t\r\n"
_LONG = re.compile(r"(['\"]).{40,}\1", re.DOTALL)
"""A wrong value in an error, which the model is told: a word, or an instruction that somebody led it to repeat."""
_HALF = re.compile("[\ud800-\udfff]")


class Salvaged(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Objects of a reply.

    Attributes:
        items: those of the wanted type, in order.
        wrong: what is wrong with the others, a line each.
        whole: the reply is one complete JSON object with the wanted list.
        problem: why it is not whole; empty when it is.
    """

    items: tuple[T, ...]
    wrong: tuple[str, ...]
    whole: bool
    problem: str


def salvage(text: str, field: str, kind: type[T]) -> Salvaged[T]:
    """The objects of the list ``field`` of a reply.

    Args:
        text: the reply.
        field: the one property of its object.
        kind: what each object must be. Wrong as well are numbers that are no numbers (NaN, infinity) and text that no
            record can hold (half of a pair of surrogates), anywhere in it.
    """
    found, problem = _objects(text, field)
    items: list[T] = []
    wrong: list[str] = []
    for number, value in enumerate(found):
        try:
            _check(value)
            items.append(msgspec.convert(value, kind))
        except (msgspec.ValidationError, RecursionError) as error:
            wrong.append(f"{field}[{number}]: {_LONG.sub('…', str(error))}")
    return Salvaged(items=tuple(items), wrong=tuple(wrong), whole=not problem, problem=problem)


def _objects(text: str, field: str) -> tuple[Sequence[Any], str]:
    """The values of the list, and why the text is not whole (empty when it is)."""
    start = text.find("{")
    if start < 0:
        return (), "no JSON object in it"
    try:
        value, _ = _decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _one_by_one(text, field, start), "the JSON is cut off or broken"
    listed = cast("dict[str, Any]", value).get(field)
    if not isinstance(listed, list):
        return (), f"the object has no list {field!r}"
    return cast("list[Any]", listed), ""


def _one_by_one(text: str, field: str, start: int) -> list[Any]:
    at = text.find(f'"{field}"', start)
    at = text.find("[", at) + 1 if at >= 0 else 0
    found: list[Any] = []
    while at > 0:
        while at < len(text) and text[at] in _BLANK + ",":
            at += 1
        if at >= len(text) or text[at] != "{":
            break
        try:
            value, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found


def _check(value: Any) -> None:
    """Python's decoder takes more than JSON has. Raises ``msgspec.ValidationError`` for that, at any depth."""
    if isinstance(value, float) and not math.isfinite(value):
        raise msgspec.ValidationError("a number that is not finite")
    if isinstance(value, str) and _HALF.search(value):
        raise msgspec.ValidationError("text that is not Unicode")
    if isinstance(value, dict):
        for name, one in cast("dict[str, Any]", value).items():
            _check(name)
            _check(one)
    if isinstance(value, list):
        for one in cast("list[Any]", value):
            _check(one)
