"""Topic ``dead-letters``: records a stage could not use, with their untouched bytes."""

from __future__ import annotations

from .record import Record


class DeadLetter(Record, frozen=True, kw_only=True, tag="dead_letter"):
    """A parked record. ``tenant`` and ``space`` are empty when the bytes do not tell.

    ``conversation_id`` and ``message_id`` name the message it is about, when known. ``parked_at``: microseconds UTC.
    """

    stage: str
    topic: str
    partition: int
    offset: int
    error: str
    payload: bytes
    conversation_id: str | None
    message_id: str | None
    parked_at: int


DeadLetterRecord = DeadLetter
