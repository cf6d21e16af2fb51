"""What the rules find in a message, before it is an event."""

from __future__ import annotations

from typing import NamedTuple

from .kinds import Kind
from .subjects import Subject
from .times import Times


class Statement(NamedTuple):
    """A statement found in a message: its place (characters ``[start, end)``), reading and what was made of it."""

    start: int
    end: int
    kind: Kind
    times: Times
    subject: Subject
    people: tuple[str, ...]
    attribute: str | None
    value: str | None
