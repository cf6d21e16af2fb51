"""JSON Schema of a reply, from its msgspec type, in the form that strict structured output takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec

_DROPPED = frozenset({"title", "description", "default", "minimum", "maximum", "maxItems", "minItems", "maxLength"})
"""Keywords that some servers refuse in strict mode; what they would say is checked when the reply is read."""


@lru_cache(maxsize=16)
def reply_schema(kind: type) -> str:
    """The schema of a type's JSON, as text with a fixed order of keys.

    Strict mode wants every property required and none besides them, at every level; a value that may be missing is
    null. The root must be an object itself; what is in it stays a reference into ``$defs``.
    """
    schema = _strict(msgspec.json.schema(kind))
    definitions = schema["$defs"]
    root = definitions.pop(schema["$ref"].removeprefix("#/$defs/"))
    return json.dumps(root | {"$defs": definitions}, ensure_ascii=False, separators=(",", ":"))


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in cast("list[Any]", node)]
    if not isinstance(node, Mapping):
        return node
    whole = cast("Mapping[str, Any]", node)
    kept = {key: _strict(value) for key, value in whole.items() if key not in _DROPPED}
    if "enum" in kept:
        kept = {"type": "string"} | kept
    properties = whole.get("properties")
    if isinstance(properties, Mapping):
        named = cast("Mapping[str, Any]", properties)
        kept["properties"] = {name: _strict(value) for name, value in named.items()}
        kept["required"] = list(named)
        kept["additionalProperties"] = False
    return kept
