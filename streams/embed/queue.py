"""What is decided and not yet done: points to set, as rows of the stage's state, first in, first out.

A row goes in with the record that led to it, in one step, and out with the step that follows the deed. So a death in
between does the deed again, and nothing is ever done for a record that was not decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from schemas.ids import SpaceKey
from schemas.topics import TopicName

from ..ports import StageState

ROW_NAMES = 256
"""Points of a row; a record that names more makes several."""

_TODO, _AGAIN, _COUNTS = b"todo/", b"again/", b"counts"


class Waiting(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Points to set, and the record that led to it (``schemas.parking.Raw``): what is parked if one is refused.

    ``value`` is empty where no record did: an index that is new is filled from the state.
    """

    topic: TopicName
    partition: int
    offset: int
    tenant: str
    space: str
    value: bytes
    names: tuple[bytes, ...]

    @property
    def key(self) -> SpaceKey:
        """The space."""
        return SpaceKey(self.tenant, self.space)


class _Counts(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """``following``: number of the next row. ``waiting``: rows that were never done."""

    following: int = 0
    waiting: int = 0


class Row(msgspec.Struct, frozen=True):
    """A row and its key."""

    at: bytes
    waiting: Waiting


class Queue:
    """The rows in a state. Cheap to make; make one for each step."""

    def __init__(self, state: StageState) -> None:
        self._state = state

    @property
    def waiting(self) -> int:
        """Rows that were never done."""
        return self._counts().waiting

    def put(self, waiting: Waiting) -> None:
        """Behind all others."""
        counts = self._counts()
        pieces = [waiting.names[at : at + ROW_NAMES] for at in range(0, len(waiting.names), ROW_NAMES)]
        for number, names in enumerate(pieces, start=counts.following):
            row = msgspec.structs.replace(waiting, names=names)
            self._state.put(_TODO + number.to_bytes(8, "big"), msgspec.msgpack.encode(row))
        self._write(counts.following + len(pieces), counts.waiting + len(pieces))

    def take(self, names: int, now: int) -> Sequence[Row]:
        """Rows to do now, at least one where there is one, at most so many points; they stay in until ``done``."""
        taken: list[Row] = []
        room = names
        for row in self._due(now):
            room -= len(row.waiting.names)
            if taken and room < 0:
                break
            taken.append(row)
        return taken

    def done(self, row: Row, again_at: int | None = None) -> None:
        """A row's points are set; ``again_at``: once more then (microseconds UTC)."""
        self._state.delete(row.at)
        if again_at is not None:
            key = _AGAIN + again_at.to_bytes(8, "big") + row.at[-8:]
            self._state.put(key, msgspec.msgpack.encode(row.waiting))
        if row.at.startswith(_TODO):
            counts = self._counts()
            self._write(counts.following, counts.waiting - 1)

    def _due(self, now: int) -> Iterator[Row]:
        for start, stop in ((_AGAIN, _AGAIN + now.to_bytes(8, "big")), (_TODO, _TODO + b"\xff" * 8)):
            for key, value in self._state.scan(start, stop):
                yield Row(key, msgspec.msgpack.decode(value, type=Waiting))

    def _counts(self) -> _Counts:
        raw = self._state.get(_COUNTS)
        return _Counts() if raw is None else msgspec.msgpack.decode(raw, type=_Counts)

    def _write(self, following: int, waiting: int) -> None:
        self._state.put(_COUNTS, msgspec.msgpack.encode(_Counts(following=following, waiting=waiting)))
