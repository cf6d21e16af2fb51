"""The OpenAPI 3.1 description, made from the routes and the types; nothing of it is written twice. Pure."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from schemas.events import Stated
from schemas.wire import ErrorOut, MessageIn

from .rendering import INSTANTS
from .route import Parameter, Route
from .routes import ROUTES

VERSION = "1"
TIME: dict[str, Any] = {"type": "string", "format": "date-time"}

_KINDS: dict[str, dict[str, Any]] = {
    "text": {"type": "string", "minLength": 1},
    "time": {"anyOf": [TIME, {"type": "string", "format": "date"}]},
    "count": {"type": "integer", "minimum": 0},
    "position": {"type": "integer", "minimum": -1},
}
_REFUSALS = {
    400: "The request is wrong; says where",
    404: "There is no such thing",
    409: "It contradicts what is known; says how",
    413: "The body is too large",
    415: "The body is not application/json",
    500: "A fault of the service",
    503: "Not ready",
    504: "The offset was not applied in time",
}


_UNIT = re.compile(r",? (in )?microseconds UTC")
"""What docstrings say about instants inside; outside they are text."""


def openapi() -> dict[str, Any]:
    """The description as a document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "StillTrue",
            "version": VERSION,
            "summary": "Which of the things people said are still true, since when, and how do we know?",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {"schemas": components()},
    }
    return msgspec.json.decode(msgspec.json.encode(document))  # as JSON has it: defaults are tuples in the types


def components() -> dict[str, Any]:
    """Schemas of all bodies and replies, with instants as RFC 3339 text, as ``rendering`` writes them."""
    named = (k for r in ROUTES for k in (r.body, *r.bodies, r.reply, r.refused_as))
    types = {kind for kind in named if kind is not None}
    ordered = sorted(types | {ErrorOut, MessageIn}, key=lambda kind: kind.__name__)
    _, schemas = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    schemas["MessagesIn"]["properties"]["messages"]["items"] = {"$ref": "#/components/schemas/MessageIn"}
    schemas["Stated"] = _stated(schemas["Stated"])
    for kind, names in INSTANTS.items():
        schema = schemas[kind.__name__]
        schema["description"] = _UNIT.sub("", schema["description"])
        properties = schema["properties"]
        for name in names:
            properties[name] = _as_time(properties[name])
    return dict(sorted(schemas.items()))


def _stated(array: dict[str, Any]) -> dict[str, Any]:
    """``Stated`` is a tuple inside and an object outside."""
    return {
        "title": array["title"],
        "description": array["description"],
        "type": "object",
        "properties": dict(zip(Stated._fields, array["prefixItems"], strict=True)),
        "required": list(Stated._fields),
    }


def _as_time(schema: dict[str, Any]) -> dict[str, Any]:
    """An integer's schema as that of the text it is written as."""
    if schema.get("type") == "integer":
        return TIME
    return schema | {"anyOf": [_as_time(choice) for choice in schema["anyOf"]]} if "anyOf" in schema else schema


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {"operationId": route.name, "summary": route.summary}
    if route.parameters:
        operation["parameters"] = [_parameter(parameter) for parameter in route.parameters]
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": _content(_ref(route.body))}
    if route.bodies:
        choices: dict[str, Any] = {"oneOf": [_ref(kind) for kind in route.bodies]}
        operation["requestBody"] = {"required": True, "content": _content(choices)}
    success = {"type": "string"} if route.reply is None else _ref(route.reply)
    operation["responses"] = {"200": {"description": "Done", "content": _content(success, route.media_type)}}
    for status in (*route.refusals, 500):
        refused = _ref(ErrorOut)
        if route.refused_as is not None and status in {400, 404}:
            refused = {"anyOf": [_ref(route.refused_as), refused]}
        operation["responses"][str(status)] = {"description": _REFUSALS[status], "content": _content(refused)}
    return operation


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.where,
        "required": parameter.required,
        "description": parameter.description,
        "schema": _KINDS[parameter.kind],
    }


def _content(schema: dict[str, Any], media_type: str = "application/json") -> dict[str, Any]:
    return {media_type: {"schema": schema}}


def _ref(kind: type) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
