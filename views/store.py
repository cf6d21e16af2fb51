"""The view's tables in RocksDB. State and input positions commit in one WriteBatch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from .tables import TableName, Write


class Families(Protocol):
    """Column families of bytes with an atomic write; the composition root hands in the database."""

    def get(self, family: str, key: bytes) -> bytes | None: ...
    def scan(
        self, family: str, start: bytes, stop: bytes, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]: ...
    def write(self, changes: list[tuple[str, bytes, bytes | None]], *, sync: bool) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class RocksTables:
    """``Tables`` over column families, one for each table.

    A commit is durable against kill -9 at once and against loss of power after ``flush``; the log keeps what a lost
    tail needs to be applied again, and positions are lost together with it.
    """

    def __init__(self, families: Families) -> None:
        self._families = families

    def get(self, table: TableName, key: bytes) -> bytes | None:
        """The value of a key, None when absent."""
        return self._families.get(table, key)

    def scan(self, table: TableName, prefix: bytes, start: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """See ``Tables.scan``; consistent as long as nobody commits meanwhile, which the one writer sees to."""
        return self._families.scan(table, prefix + start, prefix_end(prefix))

    def commit(self, writes: Iterable[Write]) -> None:
        """See ``Tables.commit``."""
        changes: list[tuple[str, bytes, bytes | None]] = list(writes)
        if changes:
            self._families.write(changes, sync=False)

    def close(self) -> None:
        """Make everything durable and let go of the directory."""
        self._families.flush()
        self._families.close()


def prefix_end(prefix: bytes) -> bytes:
    """The smallest key above every key with the prefix."""
    kept = prefix.rstrip(b"\xff")
    if not kept:
        return b"\xff" * (len(prefix) + 64)
    return kept[:-1] + bytes([kept[-1] + 1])
