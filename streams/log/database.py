"""One RocksDB with every handle in one place: of the log, and, handed in by the composition root, of the view.

rocksdict 0.3.29 releases RocksDB's lock only when every handle and iterator is gone, so nothing of it leaves this
class: scans read in slices and keep no iterator between them. Its ``set_iterate_lower_bound`` does not work in raw mode
(measured: it hides rows that are in range); the upper bound does. An iterator that meets a damaged block looks as if it
had come to its end (measured: ``items`` just stops), so its status is asked whenever it ends.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from rocksdict import (
    AccessType,
    BottommostLevelCompaction,
    Cache,
    CompactOptions,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
    WriteOptions,
)

from .errors import BadStoreError, NoStoreError
from .tuning import block_cache, options_of
from .writer_lock import WriterLock, lock

_FIRST_SLICE, _LAST_SLICE = 8, 1024
Change = tuple[str, bytes, bytes | None]

OPEN_TRIES = 5
"""Opening beside a writer can meet a file it has just removed (measured: once in ten, beside one that compacts all the
time); the next look finds what took its place."""

_FILE_GONE = "No such file"

_NOTHING = b"nothing"
"""A key of the family that every RocksDB has and that we keep nothing in."""


def peek(directory: Path, family: str, key: bytes) -> bytes | None:
    """One value of a database whatever its other families are; None where there is none. For looking at its layout.

    Raises:
        BadStoreError: it cannot be opened.
    """
    if not (directory / "CURRENT").exists():
        return None
    try:
        if family not in Rdict.list_cf(str(directory)):
            return None
        options = options_of(Cache(0))
        families, access = {family: options}, AccessType.read_only(False)
        db = Rdict(str(directory), options, column_families=families, access_type=access)
        try:
            return cast("bytes | None", db.get_column_family(family).get(key))
        finally:
            db.close()
    except Exception as error:
        if not _reported(error):
            raise
        raise BadStoreError(f"{directory} cannot be opened: {error}") from error


def _reported(error: Exception) -> bool:
    """Whether it is RocksDB or the disk that complains. rocksdict has no class of its own for what RocksDB reports, and
    writes a file of its own at every opening, a reader's too: on a disk that takes no more that is an ``OSError``."""
    return type(error) is Exception or isinstance(error, OSError)


class Database:
    """Column families of bytes.

    Args:
        directory: made by a writer if missing.
        families: their names; a writer makes those that are missing.
        read_only: beside a running writer, as of now.
        mark: family and key of a value that is written before anything else, if there is one.

    Raises:
        StoreInUseError: a second writer.
        NoStoreError: opened for reading where nothing is.
        BadStoreError: a RocksDB with other column families than ours, or one that cannot be opened: a damaged file,
            a directory that may not be written.
    """

    def __init__(
        self, directory: Path, *, families: Sequence[str], read_only: bool, mark: tuple[str, bytes] | None = None
    ) -> None:
        self.directory = directory
        self.families = tuple(families)
        self.read_only = read_only
        self._mark = mark
        self._lock: WriterLock | None = None
        exists = (directory / "CURRENT").exists()
        if read_only and not exists:
            raise NoStoreError(f"no store in {directory}: check --store, or import something first")
        if not read_only:
            self._lock = lock(directory)
        try:
            self._refuse_or_open(exists=exists)
        except BaseException:
            self._release_lock()
            raise

    def _refuse_or_open(self, *, exists: bool) -> None:
        for left in reversed(range(OPEN_TRIES)):
            try:
                if exists:
                    self._refuse_other_layout()
                    self._refuse_lost_files()
                self._open()
            except Exception as error:
                if not _reported(error):
                    raise
                if self.read_only and left and _FILE_GONE in str(error):
                    continue
                raise BadStoreError(f"{self.directory} cannot be opened: {error}") from error
            return

    def _refuse_other_layout(self) -> None:
        unknown = sorted(set(Rdict.list_cf(str(self.directory))) - {"default", *self.families})
        if unknown:
            raise BadStoreError(
                f"{self.directory} holds a database of another layout (it has {', '.join(unknown)}): "
                "use the release that wrote it, or another directory with --store"
            )

    def _refuse_lost_files(self) -> None:
        """RocksDB takes a MANIFEST that was cut short for a whole one, and a writer's opening removes every
        file that it does not name (measured): files without the mark must not be opened for writing."""
        if self.read_only or self._mark is None or not any(self.directory.glob("*.sst")):
            return
        if peek(self.directory, *self._mark) is None:
            raise BadStoreError(
                f"{self.directory} holds files, but its MANIFEST does not say what they are: it is damaged. Nothing "
                "was changed; put a backup back with ./stilltrue restore"
            )

    def _open(self) -> None:
        access = AccessType.read_only(False) if self.read_only else AccessType.read_write()
        options = options_of(block_cache())
        families = dict.fromkeys(self.families, options)
        self._db = Rdict(str(self.directory), options, column_families=families, access_type=access)
        self._families = {name: self._db.get_column_family(name) for name in self.families}
        self._handles = {name: self._db.get_column_family_handle(name) for name in self.families}

    def get(self, family: str, key: bytes) -> bytes | None:
        """The value, or None. Raises ``BadStoreError`` when the block it is in is damaged."""
        try:
            return self._families[family].get(key)  # pyright: ignore[reportReturnType]  # raw mode: bytes
        except Exception as error:
            raise self._unreadable(error) from error

    def scan(self, family: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Pairs with ``start <= key < stop``; read in slices of growing size, so that looking at a neighbour is cheap
        and a long scan is fast."""
        size = _FIRST_SLICE
        while start < stop:
            rows = self._slice(family, start, stop, size, reverse=reverse)
            yield from rows
            if len(rows) < size:
                return
            if reverse:
                stop = rows[-1][0]
            else:
                start = rows[-1][0] + b"\0"
            size = min(size * 4, _LAST_SLICE)

    def _slice(self, family: str, start: bytes, stop: bytes, size: int, *, reverse: bool) -> list[tuple[bytes, bytes]]:
        bounds = ReadOptions()
        bounds.set_iterate_upper_bound(stop)
        at = self._families[family].iter(bounds)
        valid, key, value, step = at.valid, at.key, at.value, at.prev if reverse else at.next
        if reverse:
            at.seek_to_last()
        else:
            at.seek(start)
        rows: list[tuple[bytes, bytes]] = []
        while len(rows) < size and valid():
            found = cast(bytes, key())
            if found < start:
                return rows
            rows.append((found, cast(bytes, value())))
            step()
        if len(rows) < size:
            self._check(at)
        return rows

    def _check(self, ended: RdictIter) -> None:
        """Whether an iterator is at the end, or at a block that cannot be read, which it takes for the end."""
        try:
            ended.status()
        except Exception as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> Exception:
        """What to raise for it."""
        return BadStoreError(f"{self.directory} cannot be read: {error}") if _reported(error) else error

    @contextmanager
    def _writing(self) -> Generator[None]:
        """Raises ``BadStoreError`` for a write that the disk does not take: it is full, or was made read-only."""
        try:
            yield
        except Exception as error:
            if not _reported(error):
                raise
            raise BadStoreError(f"{self.directory} cannot be written: {error}") from error

    def everything(self, family: str) -> Iterator[tuple[bytes, bytes]]:
        """Every pair of a family, in key order, by one iterator: nobody may close the database before it ends.

        Raises:
            BadStoreError: a file cannot be read: it is damaged, or the writer beside us has removed it.
        """
        at = self._families[family].iter()
        at.seek_to_first()
        while at.valid():
            yield cast(bytes, at.key()), cast(bytes, at.value())
            at.next()
        self._check(at)

    def write(self, changes: list[Change], *, sync: bool) -> None:
        """Apply (family, key, value; None deletes) in one atomic batch.

        Raises:
            BadStoreError: the disk does not take it. Nothing of it counts; make room and open the store again.
        """
        batch = WriteBatch(raw_mode=True)
        for family, key, value in changes:
            if value is None:
                batch.delete(key, self._handles[family])
            else:
                batch.put(key, value, self._handles[family])
        options = WriteOptions()
        options.sync = sync
        with self._writing():
            self._db.write(batch, options)

    def flush(self) -> None:
        """Force everything written so far to the disk; a reader wrote nothing."""
        if self.read_only:
            return
        with self._writing():
            self._db.flush_wal(True)

    def to_files(self) -> None:
        """Move everything from memory and the write-ahead log to files: all families, for they share that log, and
        RocksDB drops it only when no family needs it."""
        with self._writing():
            for one in self._families.values():
                one.flush(True)

    def forget(self, family: str, start: bytes, stop: bytes) -> None:
        """Returns when no file holds a former value of a key with ``start <= key < stop``, nor a deleted key's value.

        All goes to files first; then those of the range are written anew, the lowest level included.
        """
        self.to_files()
        options = CompactOptions()
        options.set_bottommost_level_compaction(BottommostLevelCompaction.force())
        with self._writing():
            self._families[family].compact_range(start, stop, options)

    def forget_files(self) -> None:
        """Returns when the list of files names none that is gone, nor a key of one: after the last ``forget``.

        The list is written anew with the next change of it, so there must be one.
        """
        with self._writing():
            self._db.put(_NOTHING, b"")
            self._db.flush(True)

    def close(self) -> None:
        """Drop every handle, then the database, then the lock."""
        for family in self._families.values():
            family.close()
        self._families.clear()
        self._handles.clear()
        self._db.close()
        self._release_lock()

    def _release_lock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None
