"""Steps: what a stage decided, as records of a topic of its own, ``steps-<stage>``.

A step holds the state changes, the outputs and the input positions of one batch. It is decided once, when the broker
has it; the outputs are written after that, and the local state follows. Whoever takes the partition over folds the
steps it has not seen, writes the outputs of the last one again (the same bytes) and goes on. Nothing is ever decided
twice: no clock read again, no model asked again, no other interleaving of two inputs.

Every part of a step names the offset its writer expected (``base`` + ``index``). A part that lies elsewhere was written
by somebody who did not know what stands before it, so it does not count, for its writer as for everybody else. That is
the whole fence between two processes that both believe to own a partition; it also makes a part that a client sent
twice harmless.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import get_args

import msgspec

from schemas.codec import encode
from schemas.topics import TopicName
from schemas.transport import Headers, record_key

from ..ports import Output

PART_BYTES = 4 * 1024 * 1024
"""Of one record of a step: half of what the topic takes."""

_PREFIX = "steps-"


class Out(msgspec.Struct, frozen=True, array_like=True):
    """One record to write to a topic, in the step's own partition."""

    topic: TopicName
    key: bytes
    value: bytes
    headers: Headers


def out_of(output: Output) -> Out:
    """A stage's output as it is written."""
    return Out(output.topic, record_key(output.record), encode(output.record), [])


class Step(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One decision.

    Attributes:
        positions: of every input, the offset of the next record; all of them, also those that did not move.
        changes: rows of the stage's state; None deletes.
        outputs: in the order they are written.
    """

    positions: dict[TopicName, int]
    changes: Sequence[tuple[bytes, bytes | None]]
    outputs: Sequence[Out]


class _Part(msgspec.Struct, frozen=True, array_like=True):
    base: int
    index: int
    count: int
    data: bytes


_encode = msgspec.msgpack.Encoder().encode
_step = msgspec.msgpack.Decoder(Step)
_part = msgspec.msgpack.Decoder(_Part)


def steps_topic(prefix: str, stage: str) -> str:
    """Name of a stage's steps on the broker."""
    return f"{prefix}{_PREFIX}{stage}"


def split_step(step: Step, base: int, part_bytes: int = PART_BYTES) -> list[bytes]:
    """The step as values of records, the first of them meant for offset ``base``."""
    packed = zlib.compress(_encode(step), level=1)
    pieces = [packed[at : at + part_bytes] for at in range(0, len(packed), part_bytes)]
    return [_encode(_Part(base, index, len(pieces), piece)) for index, piece in enumerate(pieces)]


class StepReader:
    """Puts steps together from the records of a partition, in order. What is no part in its place is passed over."""

    def __init__(self) -> None:
        self._base = -1
        self._pieces: list[bytes] = []

    def feed(self, offset: int, value: bytes) -> Step | None:
        """Take the next record; returns a step when it completes one."""
        part = _read_part(value)
        if part is None or offset != part.base + part.index:
            return None
        if part.index == 0:
            self._base, self._pieces = part.base, []
        if part.base != self._base or part.index != len(self._pieces):
            return None
        self._pieces.append(part.data)
        if len(self._pieces) < part.count:
            return None
        self._base = -1
        return _step.decode(zlib.decompress(b"".join(self._pieces)))


def _read_part(value: bytes) -> _Part | None:
    try:
        return _part.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # not written by a stage; its place alone counts


_TOPICS: tuple[TopicName, ...] = get_args(TopicName)
assert all(not topic.startswith(_PREFIX) for topic in _TOPICS), "steps need names of their own"
