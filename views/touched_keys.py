"""Which cells of a space were written since somebody last looked: what a kept cut is brought up to date by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from .tables import TableName

if TYPE_CHECKING:
    from .tables import Write

KEYS_MOST = 100_000
"""Written cells past which a space is read anew: remembering more would cost more than it saves."""

_SHOWN: frozenset[TableName] = frozenset({"events", "edges", "messages", "themes", "sets"})
"""Tables whose cells a cut is made of. On ``control`` everything may depend; parked records are always looked at."""


class TouchedKeys(msgspec.Struct, kw_only=True):
    """Keys by table. ``is_all``: what steers the space changed, or too many keys did: all of it must be read anew."""

    events: set[bytes] = msgspec.field(default_factory=set[bytes])
    edges: set[bytes] = msgspec.field(default_factory=set[bytes])
    messages: set[bytes] = msgspec.field(default_factory=set[bytes])
    themes: set[bytes] = msgspec.field(default_factory=set[bytes])
    sets: set[bytes] = msgspec.field(default_factory=set[bytes])
    count: int = 0
    is_all: bool = False

    def add(self, table: TableName, key: bytes) -> None:
        """A cell was written."""
        if table == "control":
            self.is_all = True
        elif table in _SHOWN and not self.is_all:
            getattr(self, table).add(key)
            self.count += 1
            self.is_all = self.count > KEYS_MOST


class Journal:
    """What is written to the spaces somebody watches. Not thread-safe: whoever maintains the view holds its lock."""

    def __init__(self) -> None:
        self._watched: dict[bytes, TouchedKeys] = {}

    def watch(self, prefix: bytes) -> None:
        """Begin anew with a space: nothing is touched."""
        self._watched[prefix] = TouchedKeys()

    def unwatch(self, prefix: bytes) -> None:
        """Nobody looks at the space any more."""
        self._watched.pop(prefix, None)

    def touched(self, prefix: bytes) -> TouchedKeys | None:
        """What was written since ``watch``; None for a space that is not watched."""
        return self._watched.get(prefix)

    def note(self, writes: Iterable[Write]) -> None:
        """Cells were written. The first two bytes of a key tell how long its space's prefix is (``held``)."""
        watched = self._watched
        if not watched:
            return
        for table, key, _ in writes:
            keys = watched.get(key[: 2 + int.from_bytes(key[:2], "big")])
            if keys is not None:
                keys.add(table, key)
