"""From bytes to a record a consumer can fold; what cannot be used is parked with its untouched bytes."""

from __future__ import annotations

from typing import Protocol

import msgspec

from .codec import decode
from .dead_letters import DeadLetter
from .entry import Entry
from .topics import TopicName


class Raw(Protocol):
    """A record as it lies in a log: bytes, where they are, and the space its key names (empty when it names none)."""

    @property
    def topic(self) -> TopicName: ...
    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def tenant(self) -> str: ...
    @property
    def space(self) -> str: ...
    @property
    def value(self) -> bytes: ...


def decoded(raw: Raw) -> Entry:
    """The record with its place. Raises ``BadRecordError``: park it, or pass over what another consumer has parked."""
    record = decode(raw.topic, raw.value)
    return Entry(topic=raw.topic, partition=raw.partition, offset=raw.offset, record=record)


def dead_letter(stage: str, raw: Raw, error: str, now: int) -> DeadLetter:
    """The parked form of a record a consumer could not use.

    Args:
        stage: who could not use it.
        raw: the record.
        error: why, for people.
        now: microseconds UTC.
    """
    about = _about(raw.value)
    return DeadLetter(
        tenant=raw.tenant, space=raw.space, stage=stage, topic=raw.topic, partition=raw.partition,
        offset=raw.offset, error=error, payload=raw.value, conversation_id=about.conversation_id,
        message_id=about.message_id, parked_at=now,
    )  # fmt: skip


class _About(msgspec.Struct, frozen=True, kw_only=True):
    """The message a record is about, as far as its bytes tell."""

    conversation_id: str | None = None
    message_id: str | None = None


def _about(value: bytes) -> _About:
    try:
        return msgspec.msgpack.decode(value, type=_About)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # the last: msgspec's guard against nesting
        return _About()
