"""How far an erasure has come: one row of the log's tables, written with what it tells of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from schemas.erasure_wire import ErasureOut, Remains, Removed
from schemas.ids import SpaceKey
from schemas.times import format_time
from streams.erasure import Begun, Extent
from streams.log import Log, partition_of
from streams.log.protocol import TableWriter

_ERASURES, _OPEN = "erasures", "erasing"
"""Every erasure ever asked for, and those that are not finished."""

Step = Literal["recorded", "derived", "purged", "done"]


_SCRUBBED: tuple[Step, ...] = ("purged", "done")


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """An erasure. ``step`` is the last one that is over; ``removed`` counts by (store, what)."""

    space: SpaceKey
    extent: Extent
    begun: Begun
    at: int
    step: Step = "recorded"
    removed: dict[str, dict[str, int]] = {}
    remains: tuple[Remains, ...] = ()
    finished_at: int | None = None

    @property
    def id(self) -> str:
        """Unique in the space: the place of its record."""
        return f"e{self.begun.offset}"

    def counting(self, store: str, what: str, count: int) -> Work:
        """With so many more removed."""
        if not count:
            return self
        of_store = self.removed.get(store, {})
        changed = {**of_store, what: of_store.get(what, 0) + count}
        return msgspec.structs.replace(self, removed={**self.removed, store: changed})


_decoder = msgspec.msgpack.Decoder(Work)


def save(batch: TableWriter, work: Work) -> None:
    """Remember it; a finished one is no longer open."""
    key = _key(work.space, work.id)
    batch.put(_ERASURES, key, msgspec.msgpack.encode(work))
    if work.step == "done":
        batch.delete(_OPEN, key)
    else:
        batch.put(_OPEN, key, b"")


def load(log: Log, space: SpaceKey, erasure_id: str) -> Work | None:
    """The erasure of that id, None when there is none in the space."""
    raw = log.get(_ERASURES, _key(space, erasure_id))
    return None if raw is None else _decoder.decode(raw)


def of_space(log: Log, space: SpaceKey) -> Iterator[Work]:
    """Every erasure of the space."""
    prefix = _key(space, "")
    return (_decoder.decode(raw) for _, raw in log.scan(_ERASURES, prefix, prefix + b"\xff"))


def forgotten(log: Log, space: SpaceKey) -> int:
    """How many ids of events erasures have taken out of the space's records."""
    return sum(work.removed.get("view", {}).get("events", 0) for work in of_space(log, space) if work.step in _SCRUBBED)


def unfinished(log: Log) -> list[Work]:
    """What a killed process left, oldest first."""
    keys = [key for key, _ in log.scan(_OPEN, b"", b"\xff")]
    rows = [_decoder.decode(raw) for raw in (log.get(_ERASURES, key) for key in keys) if raw is not None]
    return sorted(rows, key=lambda work: (partition_of(work.space, log.partitions), work.begun.offset))


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a space was being erased at some moment: by it is told whether what was read then may be written.

    ``begun``: records of ``erasures`` in the space's partition. ``open``: whether one of the space was under way.
    """

    begun: int
    open: bool


def mark_of(log: Log, space: SpaceKey) -> Mark:
    """Take it before reading what is to be written elsewhere."""
    begun = log.end("erasures", partition_of(space, log.partitions))
    prefix = _key(space, "")
    return Mark(begun=begun, open=next(log.scan(_OPEN, prefix, prefix + b"\xff"), None) is not None)


def may_write(log: Log, space: SpaceKey, mark: Mark) -> bool:
    """Whether nothing was erased since a mark, nor when it was taken. Ask within the write."""
    return not mark.open and mark_of(log, space) == mark


def _key(space: SpaceKey, erasure_id: str) -> bytes:
    return f"{space.tenant}/{space.space}/{erasure_id}".encode()


def receipt(work: Work) -> ErasureOut:
    """What the asker is told."""
    extent = work.extent
    scope = "space" if extent.whole_space else "conversation" if extent.message_id is None else "message"
    return ErasureOut(
        id=work.id,
        space=work.space.space,
        scope=scope,
        conversation_id=extent.conversation_id,
        message_id=extent.message_id,
        upto=work.begun.upto,
        messages=work.begun.messages,
        requested_at=format_time(work.at),
        finished_at=None if work.finished_at is None else format_time(work.finished_at),
        removed=tuple(
            Removed(store=store, what=what, count=count)
            for store, counts in sorted(work.removed.items())
            for what, count in sorted(counts.items())
        ),
        remains=work.remains,
    )
