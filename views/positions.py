"""Positions of the inputs: stored with the state, in the same commit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from schemas.topics import TopicName

from .tables import Tables, Write

What = Literal["next", "covers"]
"""``next``: offset of the next record to fold. ``covers``: accepted messages below it are applied, by this topic."""

Place = tuple[What, TopicName, int]


class Positions:
    """By what it says, topic and partition. One that was never set is 0."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[Place, int] = {}
        self._moved: dict[Place, None] = {}

    def get(self, place: Place) -> int:
        """A position."""
        at = self._known.get(place)
        if at is None:
            raw = self._tables.get("positions", msgspec.msgpack.encode(place))
            at = self._known[place] = 0 if raw is None else msgspec.msgpack.decode(raw, type=int)
        return at

    def put(self, place: Place, at: int) -> None:
        """Move a position, with the next commit."""
        self._known[place] = at
        self._moved[place] = None

    def drain(self) -> Iterator[Write]:
        """The writes since the last drain."""
        for place in self._moved:
            yield "positions", msgspec.msgpack.encode(place), msgspec.msgpack.encode(self._known[place])
        self._moved.clear()

    def forget(self) -> None:
        """Drop what is not committed."""
        self._known.clear()
        self._moved.clear()
