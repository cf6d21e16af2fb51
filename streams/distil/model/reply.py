"""What the model answers: its form, as types. The JSON Schema it is held to is made from them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from schemas.events import EventType, Modality, Polarity

Name = Annotated[str, msgspec.Meta(max_length=200)]
Grade = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Quoted(msgspec.Struct, frozen=True, kw_only=True):
    """A message by its number in the question, and characters copied from it."""

    message: int
    quote: str


class ModelEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One statement as the model reads it; the fields are explained in the prompt."""

    type: EventType
    subject: Name | None
    participants: Annotated[tuple[Name, ...], msgspec.Meta(max_length=50)]
    modality: Modality
    polarity: Polarity
    attribute: Name | None
    value: str | None
    when: Name | None
    tense: Literal["past", "present", "future"]
    holds: bool
    sources: Annotated[tuple[Quoted, ...], msgspec.Meta(min_length=1, max_length=8)]
    confidence: Grade


class DistilReply(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer."""

    events: tuple[ModelEvent, ...]


FIELD = "events"
