"""Typed cells over byte tables: decoded, cached within bounds, written back in one commit, former versions kept.

A cell is stored with the transaction time since which it reads as it does. Where a table keeps history, putting another
value first hands the former one, with the times it was true for, to ``Versions``: history costs only what changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import msgspec

from .tables import TableName, Tables, Write
from .versions import Versions

CACHED_BYTES = 8_000_000
"""Encoded bytes a table keeps decoded, in each of two generations; decoded they take about four times as much. The ten
tables that grow with a view so hold at most 640 MB, and the half of it as long as the view is small."""

FIRST_MEAN = 500
"""Bytes of a cell, until the table has seen some."""

SAMPLE = 50
"""Written cells of a commit whose size is looked at."""

T = TypeVar("T")


class Moment:
    """The transaction time at which a group of tables is being changed; microseconds UTC."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at = 0


class Form(Generic[T]):
    """How a table's cells become bytes and back: pairs of the time since which a cell reads so, and the cell."""

    def __init__(self, decode: Callable[[bytes], tuple[int, T]], encode: Callable[[tuple[int, T]], bytes]) -> None:
        self.decode = decode
        self.encode = encode


def plain(kind: type[T]) -> Form[T]:
    """Cells that are stored as they are."""
    decoder = msgspec.msgpack.Decoder(tuple[int, kind])  # pyright: ignore[reportUnknownVariableType, reportInvalidTypeForm]  # a type made at run time
    return Form(decoder.decode, msgspec.msgpack.Encoder(order="deterministic").encode)


class Cells(Generic[T]):
    """One table, decoded. Reads see writes at once; ``drain`` yields them for the commit.

    The cache has two generations: what is read moves to the young one, and when that is full the old one is dropped.
    So what was used last stays, at the price of a dictionary.

    Args:
        tables: where it is stored.
        table: which one.
        form: how cells are stored.
        empty: what an absent cell reads as; putting it removes the cell.
        moment: transaction time of the change in hand; None for a table without history.
        versions: takes the former cells; needed with ``moment``.
        shown: the part of a cell that a read at a transaction time shows, compared by identity; None = nothing shown.
            Where only the rest changed there is no new version. Default: all of it.
    """

    def __init__(
        self,
        tables: Tables,
        table: TableName,
        form: Form[T],
        empty: T,
        *,
        moment: Moment | None = None,
        versions: Versions | None = None,
        shown: Callable[[T], object | None] | None = None,
    ) -> None:
        self.tables = tables
        self.table: TableName = table
        self._decode = form.decode
        self._encode = form.encode
        self._empty = empty
        self._nothing = (0, empty)
        self._moment = moment
        self._versions = versions
        self._shown = shown
        self._young: dict[bytes, tuple[int, T]] = {}
        self._old: dict[bytes, tuple[int, T]] = {}
        self._dirty: dict[bytes, tuple[int, T]] = {}
        self._bytes, self._cells = FIRST_MEAN, 1
        self._most = CACHED_BYTES // FIRST_MEAN

    def get(self, key: bytes) -> T:
        """The cell, or the empty value."""
        entry = self._young.get(key)
        return entry[1] if entry is not None else self._find(key)[1]

    def since(self, key: bytes) -> int:
        """Since which transaction time it reads so, as far as reads of the past show; 0 of an absent one."""
        return (self._young.get(key) or self._find(key))[0]

    def _find(self, key: bytes) -> tuple[int, T]:
        """A cell that is not in the young generation, and now is."""
        entry = self._old.get(key) or self._dirty.get(key)
        if entry is None:
            raw = self.tables.get(self.table, key)
            if raw is None:
                entry = self._nothing
            else:
                entry = self._decode(raw)
                self._bytes += len(raw)
                self._cells += 1
        self._young[key] = entry
        if len(self._young) > self._most:
            self._old, self._young = self._young, {}
            self._most = CACHED_BYTES * self._cells // self._bytes
        return entry

    def put(self, key: bytes, cell: T) -> None:
        """Replace the cell; the empty value removes it."""
        entry = self._young.get(key) or self._find(key)
        since, moment = entry[0], self._moment
        if moment is not None and since < moment.at:
            if entry is self._nothing and self._shown is None:
                since = moment.at
            else:
                since = self._succeed(key, since, entry[1], cell)
        self._young[key] = self._dirty[key] = self._nothing if cell == self._empty else (since, cell)

    def amend(self, key: bytes, cell: T) -> None:
        """Replace the cell by one that differs in what no read of the past shows: it is as old as the former."""
        since, _ = self._young.get(key) or self._find(key)
        self._young[key] = self._dirty[key] = self._nothing if cell == self._empty else (since, cell)

    def put_from(self, key: bytes, cell: T, at: int) -> None:
        """Let the cell read so since a transaction time, whatever it was said to be after that."""
        since, _ = self._young.get(key) or self._find(key)
        if since > at:
            assert self._versions is not None, "only tables with history have versions"
            self._versions.end(self.table, key, at)
            self._young[key] = self._dirty[key] = (at, cell)
        else:
            self.put(key, cell)

    def _succeed(self, key: bytes, since: int, old: T, cell: T) -> int:
        """Keep the former version where a read would show it; returns since when the new one is true."""
        assert self._moment is not None, "only tables with history have versions"
        assert self._versions is not None, "only tables with history have versions"
        if self._shown is None:
            kept = old != self._empty
        else:
            before = self._shown(old)
            if before is self._shown(cell):
                return since
            kept = before is not None
        if kept:
            self._versions.add(self.table, key, self._moment.at, self._encode((since, old)))
        return self._moment.at

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, T]]:
        """Non-empty cells whose key starts with the prefix, in key order, this step's writes included.

        What is read for a scan is not kept: a scan of a large space would drive everything else out.
        """
        found = dict(self.tables.scan(self.table, prefix))
        written = [key for key in self._dirty if key.startswith(prefix)]
        keys = sorted({*found, *written}) if written else found
        for key in keys:
            entry = self._dirty.get(key) or self._young.get(key) or self._old.get(key) or self._decode(found[key])
            if entry is not self._nothing:
                yield key, entry[1]

    def clear(self, prefix: bytes) -> None:
        """Remove every cell whose key starts with the prefix, and leave no version behind."""
        for key, _ in list(self.scan(prefix)):
            self._young[key] = self._dirty[key] = self._nothing

    def drain(self) -> list[Write]:
        """The writes since the last drain."""
        if not self._dirty:
            return []
        table, encode, nothing = self.table, self._encode, self._nothing
        writes: list[Write] = [
            (table, key, None if entry is nothing else encode(entry)) for key, entry in self._dirty.items()
        ]
        some = [len(raw) for _, _, raw in writes[:SAMPLE] if raw is not None]
        self._bytes += sum(some)
        self._cells += len(some)
        self._dirty.clear()
        return writes

    def unwritten(self, prefix: bytes) -> Iterator[bytes]:
        """Keys that begin with the prefix and were put since the last drain."""
        return (key for key in self._dirty if key.startswith(prefix))

    def forget(self) -> None:
        """Drop uncommitted writes and the cache."""
        self._young.clear()
        self._old.clear()
        self._dirty.clear()
