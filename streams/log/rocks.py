"""The durable log in one RocksDB directory."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from schemas.ids import SpaceKey
from schemas.topics import TOPICS, TopicName

from . import keys
from .database import Change, Database
from .errors import BadStoreError, ReadOnlyError
from .partition import partition_of
from .protocol import Batch, LogEntry

FAMILIES = ("log", "by_space", "spaces", "tables", "meta")

FORMAT = 1
"""Number of the on-disk layout. A change of keys or values raises it and says so in the changelog."""


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    """Value of an entry; topic, partition and offset are its key."""

    time_us: int
    tenant: str
    space: str
    value: bytes


class _Meta(msgspec.Struct, frozen=True, kw_only=True):
    """What a store says about itself."""

    format: int
    cluster_id: str
    partitions: int


_encode = msgspec.msgpack.Encoder().encode
_stored = msgspec.msgpack.Decoder(_Stored)
_META = b"store"


class _RocksBatch:
    def __init__(self, log: RocksLog) -> None:
        self.changes: list[Change] = []
        self.ends: dict[tuple[TopicName, int], int] = {}
        self._log = log
        self._spaces: dict[SpaceKey, None] = {}

    def append(self, topic: TopicName, space: SpaceKey, value: bytes, now: int) -> int:
        partition = partition_of(space, self._log.partitions)
        offset = self.ends.get((topic, partition))
        if offset is None:
            offset = self._log.end(topic, partition)
        self.ends[topic, partition] = offset + 1
        stored = _Stored(time_us=now, tenant=space.tenant, space=space.space, value=value)
        self.changes.append(("log", keys.entry(topic, partition, offset), _encode(stored)))
        self.changes.append(("by_space", keys.of_space(topic, space, offset), b""))
        if space not in self._spaces:
            self._spaces[space] = None
            self.changes.append(("spaces", keys.space(space), b""))
        return offset

    def replace(self, entry: LogEntry, value: bytes) -> None:
        stored = _Stored(time_us=entry.time_us, tenant=entry.tenant, space=entry.space, value=value)
        self.changes.append(("log", keys.entry(entry.topic, entry.partition, entry.offset), _encode(stored)))

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self.changes.append(("tables", keys.in_table(table, key), value))

    def delete(self, table: str, key: bytes) -> None:
        self.changes.append(("tables", keys.in_table(table, key), None))


class RocksLog:
    """``protocol.Log`` in a directory.

    A batch is one RocksDB WriteBatch with the write-ahead log on and without fsync (unless ``sync``): kill -9 loses
    nothing, loss of power may lose the last batches, each as a whole. ``flush`` and ``close`` fsync.

    Args:
        directory: made if missing.
        partitions: fixed when the store is made; a later opening ignores it and takes the stored number.
        read_only: beside a running writer; sees what was committed when it was opened, and no more.

    Raises:
        StoreInUseError, NoStoreError, BadStoreError: see ``errors``.
    """

    def __init__(self, directory: Path, *, partitions: int = 1, read_only: bool = False) -> None:
        self._lock = threading.RLock()
        self._db: Database | None = Database(directory, families=FAMILIES, read_only=read_only, mark=("meta", _META))
        try:
            meta = self._meta(partitions)
        except BaseException:
            self.close()
            raise
        self.partitions = meta.partitions
        self.cluster_id = meta.cluster_id
        self._ends: dict[tuple[TopicName, int], int] = {}

    @property
    def _open(self) -> Database:
        assert self._db is not None, "the log was closed"
        return self._db

    def _meta(self, partitions: int) -> _Meta:
        db = self._open
        raw = db.get("meta", _META)
        if raw is None:
            if db.read_only:
                raise BadStoreError(f"{db.directory} holds no log of ours: check --store")
            meta = _Meta(format=FORMAT, cluster_id=uuid.uuid4().hex, partitions=partitions)
            db.write([("meta", _META, _encode(meta))], sync=True)
            return meta
        try:
            meta = msgspec.msgpack.decode(raw, type=_Meta)
        except msgspec.DecodeError as error:
            raise BadStoreError(f"{db.directory} does not say which format it has ({error})") from error
        if meta.format != FORMAT:
            raise BadStoreError(
                f"{db.directory} has format {meta.format}, this release reads format {FORMAT}: use the release that "
                "wrote it, or import again into another directory with --store"
            )
        return meta

    @contextmanager
    def batch(self, *, sync: bool = False) -> Generator[Batch]:
        """See ``Log.batch``. Raises ``ReadOnlyError`` on a log opened for reading."""
        with self._lock:
            db = self._open
            if db.read_only:
                raise ReadOnlyError(f"{db.directory} was opened for reading only")
            batch = _RocksBatch(self)
            yield batch
            for (topic, partition), end in batch.ends.items():
                batch.changes.append(("meta", keys.end(topic, partition), end.to_bytes(8, "big")))
            if batch.changes or sync:
                db.write(batch.changes, sync=sync)
            self._ends.update(batch.ends)

    def read(self, topic: TopicName, partition: int, offset: int, limit: int) -> Sequence[LogEntry]:
        first, stop = keys.entry(topic, partition, offset), keys.entry(topic, partition, offset + limit)
        return [self._entry(topic, partition, key, raw) for key, raw in self._open.scan("log", first, stop)]

    def read_space(self, topic: TopicName, space: SpaceKey, offset: int = 0) -> Iterator[LogEntry]:
        partition = partition_of(space, self.partitions)
        first = keys.of_space(topic, space, offset)
        stop = keys.of_space(topic, space, self.end(topic, partition))
        for key, _ in self._open.scan("by_space", first, stop):
            at = keys.entry(topic, partition, int.from_bytes(key[-8:], "big"))
            raw = self._open.get("log", at)
            assert raw is not None, "an indexed entry is missing"
            yield self._entry(topic, partition, at, raw)

    @staticmethod
    def _entry(topic: TopicName, partition: int, key: bytes, raw: bytes) -> LogEntry:
        stored = _stored.decode(raw)
        return LogEntry(
            topic=topic,
            partition=partition,
            offset=int.from_bytes(key[-8:], "big"),
            time_us=stored.time_us,
            tenant=stored.tenant,
            space=stored.space,
            value=stored.value,
        )

    def end(self, topic: TopicName, partition: int) -> int:
        known = self._ends.get((topic, partition))
        if known is None:
            known = int.from_bytes(self._open.get("meta", keys.end(topic, partition)) or b"", "big")
            with self._lock:
                known = self._ends.setdefault((topic, partition), known)
        return known

    def get(self, table: str, key: bytes) -> bytes | None:
        return self._open.get("tables", keys.in_table(table, key))

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        head = len(keys.in_table(table, b""))
        rows = self._open.scan("tables", keys.in_table(table, start), keys.in_table(table, stop), reverse=reverse)
        return ((key[head:], value) for key, value in rows)

    def spaces(self, tenant: str) -> Sequence[str]:
        prefix = keys.tenant(tenant)
        found = self._open.scan("spaces", prefix, keys.after_prefix(prefix))
        return [key[len(prefix) :].decode("utf-8") for key, _ in found]

    def forget(self, space: SpaceKey, tables: Sequence[str]) -> None:
        partition = partition_of(space, self.partitions)
        for topic in TOPICS:
            end = self.end(topic, partition)
            first, stop = keys.of_space(topic, space, 0), keys.of_space(topic, space, end)
            for key, _ in self._open.scan("by_space", first, stop):
                lowest = int.from_bytes(key[-8:], "big")
                self._open.forget("log", keys.entry(topic, partition, lowest), keys.entry(topic, partition, end))
                break
        for table in tables:
            prefix = keys.in_table(table, b"")
            self._open.forget("tables", prefix, keys.after_prefix(prefix))
        self._open.forget_files()

    def flush(self) -> None:
        if not self._open.read_only:
            self._open.flush()

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self.flush()
                self._db.close()
                self._db = None
