"""Topic ``dead-letters``: records a stage could not use, with their untouched bytes, and which were re-driven since."""

from __future__ import annotations

from .record import Record

ERASED = "(erased)"
"""The error of a letter whose record was about what is erased: its bytes are cleaned, or gone."""


class DeadLetter(Record, frozen=True, kw_only=True, omit_defaults=True, tag="dead_letter"):
    """A parked record. ``tenant`` and ``space`` are those its key names, empty when it names none.

    It is identified by (stage, topic, partition, offset); a crash can leave the same one twice.
    ``conversation_id`` and ``message_id`` name the message it is about, when known. ``parked_at``: microseconds UTC.
    ``left_bytes``: of a record too large to be carried, its length; ``payload`` is empty, and the bytes lie only where
    the record was.
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
    left_bytes: int = 0


class RedriveBegun(Record, frozen=True, kw_only=True, tag="redrive_begun"):
    """The record parked at (topic, partition, offset) is about to be appended again: on a broker, which cannot append
    to two topics at once.

    ``to_end``: where ``to_partition`` of its topic ended. A copy lies from there on, or was not written. ``at``:
    microseconds UTC.
    """

    topic: str
    partition: int
    offset: int
    to_partition: int
    to_end: int
    at: int


class LetterRedriven(Record, frozen=True, kw_only=True, tag="letter_redriven"):
    """The record parked at (topic, partition, offset), by whichever stages, was appended to its topic again.

    From here on it is the copy that is waiting, read, or parked: by a letter of its own. ``repaired``: the copy's bytes
    are others. ``at``: microseconds UTC.
    """

    topic: str
    partition: int
    offset: int
    to_partition: int
    to_offset: int
    repaired: bool
    at: int


DeadLetterRecord = DeadLetter | RedriveBegun | LetterRedriven
