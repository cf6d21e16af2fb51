"""Ordered key-value tables under one atomic commit: what the view is stored in, and its in-memory twin.

Both implementations are held to the same contract test, so using memory in unit tests is honest.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, get_args

TableName = Literal[
    "events",
    "edges",
    "sets",
    "messages",
    "control",
    "rulings",
    "pending",
    "themes",
    "parked",
    "positions",
    "history",
    "clocks",
]
TABLES: tuple[TableName, ...] = get_args(TableName)

Write = tuple[TableName, bytes, bytes | None]
"""(table, key, value); a value of None deletes."""


class Tables(Protocol):
    """Named tables of bytes. Reads see committed writes only."""

    def get(self, table: TableName, key: bytes) -> bytes | None: ...
    def scan(self, table: TableName, prefix: bytes, start: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Every pair whose key starts with the prefix, from ``prefix + start`` on, in key order; a consistent cut as
        of the call."""
        ...

    def commit(self, writes: Iterable[Write]) -> None:
        """All writes or none; later writes of a key win."""
        ...

    def close(self) -> None: ...


class MemoryTables:
    """Tables in memory, for tests and for cuts of the view."""

    def __init__(self) -> None:
        self._values: dict[TableName, dict[bytes, bytes]] = {name: {} for name in TABLES}
        self._keys: dict[TableName, list[bytes]] = {name: [] for name in TABLES}

    def get(self, table: TableName, key: bytes) -> bytes | None:
        """The value of a key, None when absent."""
        return self._values[table].get(key)

    def scan(self, table: TableName, prefix: bytes, start: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """See ``Tables.scan``."""
        keys = self._keys[table]
        found: list[tuple[bytes, bytes]] = []
        for key in keys[bisect_left(keys, prefix + start) :]:
            if not key.startswith(prefix):
                break
            found.append((key, self._values[table][key]))
        return iter(found)

    def commit(self, writes: Iterable[Write]) -> None:
        """See ``Tables.commit``."""
        for table, key, value in writes:
            values, keys = self._values[table], self._keys[table]
            if value is None:
                if key in values:
                    del values[key]
                    del keys[bisect_left(keys, key)]
            else:
                if key not in values:
                    insort(keys, key)
                values[key] = value

    def close(self) -> None:
        """Nothing to release."""
