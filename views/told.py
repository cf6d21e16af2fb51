"""What the batch was made of whose deltas are being written: noted before that, so that a kill repeats the same batch.

From the same committed state the same records in the same order lead to the same deltas. Cut differently, or with the
inputs in another order, they need not: an edge that a first attempt told of may have ended before it began in the
second, which then says nothing of it, and the last word on it would be the first one's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from schemas.topics import TopicName

from .tables import Tables

NOTE = msgspec.msgpack.encode(("told",))
"""In the table ``positions``."""


class Range(msgspec.Struct, frozen=True, array_like=True):
    """Records ``[first, end)`` of a partition."""

    topic: TopicName
    partition: int
    first: int
    end: int


_decoder = msgspec.msgpack.Decoder(tuple[Range, ...])


def note(tables: Tables, ranges: Sequence[Range]) -> None:
    """Write down, at once, what the next commit is made of, in order."""
    tables.commit([("positions", NOTE, msgspec.msgpack.encode(ranges))])


def uncommitted(tables: Tables, position: Callable[[TopicName, int], int]) -> Sequence[Range]:
    """The batch that was noted and never committed; empty when the last one was."""
    raw = tables.get("positions", NOTE)
    ranges = () if raw is None else _decoder.decode(raw)
    begun = all(position(one.topic, one.partition) == one.first for one in ranges)
    return ranges if begun else ()
