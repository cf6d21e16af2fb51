"""What a stage says of a session, in sets that fit a record (``schemas.parts`` says how they are named).

A session is bounded, what is said of it is not: a page of short sentences makes events thirty times its size, and an
event may be compared with eighty others. Parts are cut by what is in them alone, so the same set makes the same parts.
How many a session ever had is kept: a set in fewer parts is written with empty ones for the rest, by whichever
producer, so that no part of a former set is left, and no producer's part counts where another's set does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from schemas.parts import PartKind, part_name

from .keys import state_key
from .ports import Output, StageState


class PartLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What one record may hold of a session.

    Attributes:
        size: bytes of a part: half of what a record may have (``schemas.transport.RECORD_MAX_BYTES``).
        events: of a part. Whoever reads it compares each with the whole space, so this is what one step may cost. A
            hundred messages that say five things each, which is more than people do.
        statements: of one message; what is beyond is left out and told (``EventsDistilled.left_out``), so that a page
            of "I live in Rome." does not hold a stage up for minutes. People do not say two hundred things at once,
            and the message itself stays searchable.
    """

    size: int = 4 * 1024 * 1024
    events: int = 500
    statements: int = 200


PARTS = PartLimits()

T = TypeVar("T")

_encode = msgspec.msgpack.Encoder().encode


def split(items: Sequence[T], size: int, most: int | None = None) -> list[tuple[T, ...]]:
    """The items in order, in parts of so many bytes, and of at most so many; at least one part, which may be empty.

    An item that is larger than a part is one by itself.
    """
    if (most is None or len(items) <= most) and len(_encode(items)) <= size:
        return [tuple(items)]
    parts: list[list[T]] = [[]]
    held = 0
    for item in items:
        own = len(_encode(item))
        if parts[-1] and (held + own > size or len(parts[-1]) == most):
            parts.append([])
            held = 0
        parts[-1].append(item)
        held += own
    return [tuple(part) for part in parts]


def named(
    kind: PartKind, what: str, space: SpaceKey, session_id: str, parts: Sequence[tuple[T, ...]], state: StageState
) -> list[tuple[str, tuple[T, ...]]]:
    """Each part with its name; then, empty, those that the session's set had before and has no more.

    ``what``: names the set in the stage's state. A session that never had two parts leaves no trace there.
    """
    key = state_key("parts", space, what, session_id)
    raw = state.get(key)
    before = 1 if raw is None else int.from_bytes(raw, "big")
    if len(parts) > before:
        state.put(key, len(parts).to_bytes(4, "big"))
    padded = [*parts, *((),) * (before - len(parts))]
    return [(part_name(kind, session_id, number), part) for number, part in enumerate(padded)]


def left_out(outputs: Sequence[Output]) -> int:
    """Statements that the sets of closed sessions leave out; those of open ones would be counted at each revision."""
    records = (output.record for output in outputs)
    return sum(r.left_out for r in records if isinstance(r, EventsDistilled) and r.revision % 2)
