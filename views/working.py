"""Cells that are worked on in place: read and decoded once, changed by any number of records, encoded at the commit.

Whoever changes a cell says so before (``changing``), and keeps the former version where a read of the past would show
the difference (``touched``): what that is depends on the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from .cells import CACHED_BYTES, FIRST_MEAN
from .tables import TableName, Tables, Write


class Keyed(Protocol):
    """What knows where it is stored."""

    key: bytes


C = TypeVar("C", bound=Keyed)


class Form(Generic[C]):
    """How a table's cells are made for a key, read, and stored; ``encode`` gives None for one that holds nothing."""

    def __init__(
        self,
        new: Callable[[bytes], C],
        decode: Callable[[bytes, bytes], C],
        encode: Callable[[C], bytes | None],
    ) -> None:
        self.new = new
        self.decode = decode
        self.encode = encode


class Working(Generic[C]):
    """One table. Reads see changes at once; ``drain`` gives them for the commit.

    The cache has two generations, as that of ``Cells``. A cell that nobody said to be changing may be forgotten and
    read again: whoever changes cells gets each of them once, and holds it meanwhile.

    Args:
        tables: where it is stored.
        table: which one.
        form: how cells are made and stored.
    """

    def __init__(self, tables: Tables, table: TableName, form: Form[C]) -> None:
        self._read = tables.get
        self.tables = tables
        self.table: TableName = table
        self._new = form.new
        self._decode = form.decode
        self._encode = form.encode
        self._young: dict[bytes, C] = {}
        self._old: dict[bytes, C] = {}
        self._changed: dict[bytes, C] = {}
        self._bytes, self._cells = FIRST_MEAN, 1
        self._most = CACHED_BYTES // FIRST_MEAN

    def get(self, key: bytes) -> C:
        """The cell of a key; one that holds nothing where there is none."""
        cell = self._young.get(key)
        return self._find(key) if cell is None else cell

    def _find(self, key: bytes) -> C:
        """A cell that is not in the young generation, and now is."""
        cell = self._old.get(key) or self._changed.get(key)
        if cell is None:
            raw = self._read(self.table, key)
            if raw is None:
                cell = self._new(key)
            else:
                cell = self._decode(key, raw)
                self._bytes += len(raw)
                self._cells += 1
        self._young[key] = cell
        if len(self._young) > self._most:
            self._old, self._young = self._young, {}
            self._most = CACHED_BYTES * self._cells // self._bytes
        return cell

    def changing(self, cell: C) -> None:
        """A cell, got from here in this step, is about to change: from now on it is the one of its key."""
        key = cell.key
        self._young[key] = self._changed[key] = cell

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, C]]:
        """Cells that hold something and whose key starts with the prefix, in key order; to be read, not changed.

        What is read for a scan is not kept: a scan of a large space would drive everything else out.
        """
        found = dict(self.tables.scan(self.table, prefix))
        changed = {key: self._encode(cell) for key, cell in self._changed.items() if key.startswith(prefix)}
        for key in sorted({*found, *changed}):
            if key not in changed:
                yield key, self._young.get(key) or self._old.get(key) or self._decode(key, found[key])
            elif changed[key] is not None:
                yield key, self._changed[key]

    def clear(self, prefix: bytes) -> None:
        """Remove every cell whose key starts with the prefix."""
        for key in [*(key for key, _ in self.scan(prefix)), *self.unwritten(prefix)]:
            self._young[key] = self._changed[key] = self._new(key)

    def drain(self) -> list[Write]:
        """The writes since the last drain."""
        table, encode, size = self.table, self._encode, 0
        writes: list[Write] = []
        for key, cell in self._changed.items():
            raw = encode(cell)
            writes.append((table, key, raw))
            if raw is None:
                self._young.pop(key, None)  # what comes under the key again has no past
                self._old.pop(key, None)
            else:
                size += len(raw)
        self._bytes += size
        self._cells += len(writes)
        self._changed.clear()
        return writes

    def unwritten(self, prefix: bytes) -> Iterator[bytes]:
        """Keys that begin with the prefix and whose cells were changed since the last drain."""
        return (key for key in self._changed if key.startswith(prefix))

    def forget(self) -> None:
        """Drop uncommitted changes and the cache."""
        self._young.clear()
        self._old.clear()
        self._changed.clear()
