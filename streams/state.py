"""State of a stage over a table of the log: reads see the step's own changes, the batch gets them all at once."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from .log.memory import MemoryTable
from .log.protocol import TableReader, TableWriter


class MemoryState(MemoryTable):
    """``ports.StageState`` in memory, for tests: durable at once, gone with the object."""

    def copy(self) -> MemoryState:
        """The same contents, independent of later changes."""
        other = MemoryState()
        for key, value in self.scan(b"", b"\xff" * 64):
            other.put(key, value)
        return other


class OverlayState:
    """``ports.StageState`` as changes over the rows of a table whose keys start with a prefix.

    One step, or several: nothing is written before ``write_to``. A step that fails is undone by ``rollback`` to the
    last ``mark``, so that a parked record leaves no trace. Not thread-safe: one stage, one thread. While it is in
    use, nobody else may write rows of this prefix.

    Args:
        log: where the committed rows are.
        table: its table.
        prefix: of this stage's rows; end it with a separator, so that no stage's prefix starts another's.
    """

    def __init__(self, log: TableReader, table: str, prefix: bytes) -> None:
        self._log = log
        self._table = table
        self._prefix = prefix
        self._changes: dict[bytes, bytes | None] = {}
        self._changed: list[bytes] = []
        self._undo: list[tuple[bytes, bool, bytes | None]] = []

    def get(self, key: bytes) -> bytes | None:
        """The value as this step sees it."""
        if key in self._changes:
            return self._changes[key]
        return self._log.get(self._table, self._prefix + key)

    def put(self, key: bytes, value: bytes) -> None:
        """Insert or replace."""
        self._change(key, value)

    def delete(self, key: bytes) -> None:
        """Remove; a missing key is no error."""
        self._change(key, None)

    def _change(self, key: bytes, value: bytes | None) -> None:
        known = key in self._changes
        self._undo.append((key, known, self._changes.get(key)))
        if not known:
            insort(self._changed, key)
        self._changes[key] = value

    def scan(self, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Pairs with ``start <= key < stop``, changes and committed rows merged. Changes made while it runs are not
        seen by it."""
        head = len(self._prefix)
        found = self._log.scan(self._table, self._prefix + start, self._prefix + stop, reverse=reverse)
        base = ((key[head:], value) for key, value in found)
        keys = self._changed[bisect_left(self._changed, start) : bisect_left(self._changed, stop)]
        if not keys:
            return base
        changes = [(key, self._changes[key]) for key in (reversed(keys) if reverse else keys)]
        return _merged(base, changes, reverse=reverse)

    def mark(self) -> None:
        """The changes so far stay; ``rollback`` undoes what comes after."""
        self._undo.clear()

    def rollback(self) -> None:
        """Undo every change since the last ``mark`` (or since the start)."""
        for key, known, value in reversed(self._undo):
            if known:
                self._changes[key] = value
            else:
                del self._changes[key]
                del self._changed[bisect_left(self._changed, key)]
        self._undo.clear()

    def write_to(self, batch: TableWriter) -> None:
        """Put the changes into the batch. Call ``clear`` when it was committed."""
        for key in self._changed:
            value = self._changes[key]
            if value is None:
                batch.delete(self._table, self._prefix + key)
            else:
                batch.put(self._table, self._prefix + key, value)

    def clear(self) -> None:
        """Forget the changes: they were committed, or are given up."""
        self._changes.clear()
        self._changed.clear()
        self._undo.clear()


def _merged(
    base: Iterator[tuple[bytes, bytes]], changes: list[tuple[bytes, bytes | None]], *, reverse: bool
) -> Iterator[tuple[bytes, bytes]]:
    """Merge two ordered runs; of equal keys the change counts, and None hides the row."""
    row = next(base, None)
    for key, value in changes:
        while row is not None and row[0] != key and (row[0] > key) == reverse:
            yield row
            row = next(base, None)
        if row is not None and row[0] == key:
            row = next(base, None)
        if value is not None:
            yield key, value
    while row is not None:
        yield row
        row = next(base, None)
