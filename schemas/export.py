"""JSON Schema of every record, one document per topic, and of the wire types: what other languages build from."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from . import wire
from .topics import TOPICS, Topic

DIALECT = "https://json-schema.org/draft/2020-12/schema"

WIRE_TYPES: tuple[type, ...] = (
    wire.MessageIn,
    wire.MessagesIn,
    wire.EditIn,
    wire.AssertionsIn,
    wire.QueryIn,
    wire.PostedOut,
    wire.RefusedOut,
    wire.AssertedOut,
    wire.ErrorOut,
)
"""What producers send and get back; the types they hold follow by reference."""


def documents() -> dict[str, str]:
    """File name to content, for every topic and for ``wire.json``. Equal types give equal text."""
    files = {f"{name}.json": _text(topic_schema(topic)) for name, topic in TOPICS.items()}
    return files | {"wire.json": _text(wire_schema())}


def topic_schema(topic: Topic) -> dict[str, Any]:
    """Schema of a topic's records: MessagePack maps of the same shape (``bytes`` stand as base64 text in JSON)."""
    head = {"$schema": DIALECT, "title": f"Records of topic {topic.name}"}
    return head | msgspec.json.schema(topic.records)


def wire_schema() -> dict[str, Any]:
    """Schemas of the wire types under ``$defs``."""
    _, definitions = msgspec.json.schema_components(WIRE_TYPES)
    definitions["MessagesIn"]["properties"]["messages"]["items"] = {"$ref": "#/$defs/MessageIn"}
    return {"$schema": DIALECT, "title": "What producers send over HTTP and get back", "$defs": definitions}


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
