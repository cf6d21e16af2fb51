"""Former versions of cells, by the transaction time that ended them: what a read of the past needs besides the present.

A version is kept when its successor is put, under ``space · until · table · rest of the cell's key``, with the cell as
it was stored (since when it was true, and its value). A space at a time K is then: the cells true since K or before,
and of those that came later the versions with ``since <= K < until``. Reading costs the space and what changed after K;
what never changes costs nothing to keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from .tables import TableName, Tables, Write

VERSIONED: tuple[TableName, ...] = ("events", "edges", "sets", "messages", "control", "themes", "parked")
"""Tables with history. A table's place here is its code in keys: append only."""

_CODES = {table: bytes([code]) for code, table in enumerate(VERSIONED)}
_since = msgspec.msgpack.Decoder(tuple[int, msgspec.Raw])


class Version(NamedTuple):
    """A former cell: true for transaction times in ``[since, until)``."""

    table: TableName
    key: bytes
    since: int
    until: int
    raw: bytes


class Versions:
    """Versions waiting for the commit, and those that are stored."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._waiting: dict[bytes, bytes | None] = {}

    def add(self, table: TableName, key: bytes, until: int, raw: bytes) -> None:
        """Keep a version that ends now."""
        cut = 2 + (key[0] << 8 | key[1])
        self._waiting[key[:cut] + until.to_bytes(8, "big") + _CODES[table] + key[cut:]] = raw

    def scan(self, prefix: bytes, after: int) -> Iterator[Version]:
        """Versions of a space that ended after a transaction time, by when they ended.

        Raises:
            AssertionError: something is not committed yet.
        """
        assert not self._waiting, "versions are read between commits"
        cut = len(prefix)
        for name, raw in self._tables.scan("history", prefix, max(0, after + 1).to_bytes(8, "big")):
            until, table = int.from_bytes(name[cut : cut + 8], "big"), VERSIONED[name[cut + 8]]
            yield Version(table, prefix + name[cut + 9 :], since_of(raw), until, raw)

    def end(self, table: TableName, key: bytes, at: int) -> None:
        """Of one cell, no version is true from a transaction time on. Costs what changed of the space after that."""
        cut = 2 + (key[0] << 8 | key[1])
        prefix, ours = key[:cut], _CODES[table] + key[cut:]
        start = prefix + (at + 1).to_bytes(8, "big")
        ended = dict(self._tables.scan("history", prefix, start[cut:]))
        ended |= {name: raw for name, raw in self._waiting.items() if name.startswith(prefix) and name >= start}
        for name, raw in ended.items():
            if raw is not None and name[cut + 8 :] == ours:
                self._waiting[name] = None
                if since_of(raw) < at:
                    self.add(table, key, at, raw)

    def clear(self, prefix: bytes) -> None:
        """Remove every version of a space, also those not committed yet."""
        stored = [name for name, _ in self._tables.scan("history", prefix)]
        waiting = [name for name in self._waiting if name.startswith(prefix)]
        self._waiting.update(dict.fromkeys((*stored, *waiting)))

    def drain(self) -> list[Write]:
        """The writes since the last drain."""
        writes: list[Write] = [("history", name, raw) for name, raw in self._waiting.items()]
        self._waiting.clear()
        return writes

    def forget(self) -> None:
        """Drop what is not committed."""
        self._waiting.clear()


def since_of(raw: bytes) -> int:
    """Since which transaction time a stored cell is true."""
    return _since.decode(raw)[0]
