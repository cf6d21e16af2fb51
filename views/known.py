"""Transaction time: whether a record was known at an instant."""

from __future__ import annotations

from schemas.dead_letters import DeadLetter
from schemas.record import Record


def known_by(record: Record, known_at: int) -> bool:
    """Whether the record's transaction time is at or before ``known_at`` (microseconds UTC).

    Messages carry ``received_at``, what is derived from them ``learned_at`` (that of the newest message it rests on),
    rulings and control records ``at``; parked records are known since they were parked.
    """
    if isinstance(record, DeadLetter):
        return record.parked_at <= known_at
    for field in ("received_at", "learned_at", "at"):
        value = getattr(record, field, None)
        if isinstance(value, int):
            return value <= known_at
    raise TypeError(f"{type(record).__name__} has no transaction time")
