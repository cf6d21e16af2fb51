"""A question as the body of a request, in the dialects that OpenAI-compatible endpoints speak. No I/O here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from schemas.asking import ChatMessage, Prompt

from .settings import Format, Limit

BodyFormat = Literal["json_schema", "json_object", "plain"]
LimitName = Literal["max_tokens", "max_completion_tokens"]

_BESIDE = "\n\nThe answer must keep to this JSON Schema:\n"


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How an endpoint is spoken to."""

    format: BodyFormat
    limit: LimitName


BATCH = Dialect(format="json_schema", limit="max_completion_tokens")
"""What a provider's batch takes when the settings do not say otherwise."""

PROBE = Prompt(
    model="",
    messages=(ChatMessage(role="user", content='Answer with the JSON object {"ok": true} and nothing else.'),),
    schema_name="probe",
    schema='{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}',
    reply_max_tokens=1_024,
)
"""The limit leaves room for a model that thinks first: cut off in its thoughts it would seem to know no schema."""


def dialects(form: Format, limit: Limit) -> Iterator[Dialect]:
    """What to try, best first; one when the settings decide."""
    forms: tuple[BodyFormat, ...] = ("json_schema", "json_object", "plain") if form == "auto" else (form,)
    limits: tuple[LimitName, ...] = ("max_tokens", "max_completion_tokens") if limit == "auto" else (limit,)
    for one in forms:
        for name in limits:
            yield Dialect(format=one, limit=name)


def batch_dialect(form: Format, limit: Limit) -> Dialect:
    """For files: nobody can be tried there."""
    return Dialect(format=BATCH.format if form == "auto" else form, limit=BATCH.limit if limit == "auto" else limit)


def body(prompt: Prompt, dialect: Dialect) -> dict[str, Any]:
    """The request. Where the server is not held to the schema, the first message tells it."""
    schema = json.loads(prompt.schema)
    messages = [{"role": message.role, "content": message.content} for message in prompt.messages]
    whole: dict[str, Any] = {"model": prompt.model, "messages": messages, dialect.limit: prompt.reply_max_tokens}
    if dialect.limit == "max_tokens":
        whole["temperature"] = 0
    if dialect.format == "json_schema":
        named = {"name": prompt.schema_name, "schema": schema, "strict": True}
        return whole | {"response_format": {"type": "json_schema", "json_schema": named}}
    messages[0]["content"] += _BESIDE + prompt.schema
    if dialect.format == "json_object":
        return whole | {"response_format": {"type": "json_object", "schema": schema}}
    return whole


def keeps_to_probe(text: str) -> bool:
    """Whether an answer to ``PROBE`` is the JSON that was asked for."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("ok"), bool)  # pyright: ignore[reportUnknownMemberType]
