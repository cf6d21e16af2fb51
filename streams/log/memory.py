"""The log in memory: for tests, under the same contract test as the durable one."""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from schemas.ids import SpaceKey
from schemas.topics import TopicName

from .partition import partition_of
from .protocol import Batch, LogEntry


class MemoryTable:
    """An ordered map of bytes."""

    def __init__(self) -> None:
        self._values: dict[bytes, bytes] = {}
        self._keys: list[bytes] = []

    def get(self, key: bytes) -> bytes | None:
        """The value, or None."""
        return self._values.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        """Insert or replace."""
        if key not in self._values:
            insort(self._keys, key)
        self._values[key] = value

    def delete(self, key: bytes) -> None:
        """Remove; a missing key is no error."""
        if self._values.pop(key, None) is not None:
            del self._keys[bisect_left(self._keys, key)]

    def scan(self, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Pairs with ``start <= key < stop``, as of the call."""
        keys = self._keys[bisect_left(self._keys, start) : bisect_left(self._keys, stop)]
        return iter([(key, self._values[key]) for key in (reversed(keys) if reverse else keys)])


class _MemoryBatch:
    def __init__(self, log: MemoryLog) -> None:
        self.ends: dict[tuple[TopicName, int], int] = {}
        self.entries: list[LogEntry] = []
        self.replaced: list[LogEntry] = []
        self.changes: list[tuple[str, bytes, bytes | None]] = []
        self._log = log

    def append(self, topic: TopicName, space: SpaceKey, value: bytes, now: int) -> int:
        partition = partition_of(space, self._log.partitions)
        offset = self.ends.get((topic, partition))
        if offset is None:
            offset = self._log.end(topic, partition)
        self.ends[topic, partition] = offset + 1
        self.entries.append(
            LogEntry(
                topic=topic,
                partition=partition,
                offset=offset,
                time_us=now,
                tenant=space.tenant,
                space=space.space,
                value=value,
            )
        )
        return offset

    def replace(self, entry: LogEntry, value: bytes) -> None:
        self.replaced.append(msgspec.structs.replace(entry, value=value))

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self.changes.append((table, key, value))

    def delete(self, table: str, key: bytes) -> None:
        self.changes.append((table, key, None))


class MemoryLog:
    """``protocol.Log`` without a disk: everything is gone with the object."""

    def __init__(self, partitions: int = 1, cluster_id: str = "memory") -> None:
        self.partitions = partitions
        self.cluster_id = cluster_id
        self._lock = threading.RLock()
        self._entries: dict[tuple[TopicName, int], list[LogEntry]] = {}
        self._tables: dict[str, MemoryTable] = {}

    @contextmanager
    def batch(self, *, sync: bool = False) -> Generator[Batch]:
        """See ``Log.batch``; ``sync`` changes nothing here."""
        with self._lock:
            batch = _MemoryBatch(self)
            yield batch
            for entry in batch.entries:
                self._entries.setdefault((entry.topic, entry.partition), []).append(entry)
            for entry in batch.replaced:
                self._entries[entry.topic, entry.partition][entry.offset] = entry
            for table, key, value in batch.changes:
                rows = self._tables.setdefault(table, MemoryTable())
                if value is None:
                    rows.delete(key)
                else:
                    rows.put(key, value)

    def read(self, topic: TopicName, partition: int, offset: int, limit: int) -> Sequence[LogEntry]:
        with self._lock:
            return self._entries.get((topic, partition), [])[offset : offset + limit]

    def read_space(self, topic: TopicName, space: SpaceKey, offset: int = 0) -> Iterator[LogEntry]:
        with self._lock:
            found = self._entries.get((topic, partition_of(space, self.partitions)), [])[offset:]
        return iter([entry for entry in found if (entry.tenant, entry.space) == space])

    def end(self, topic: TopicName, partition: int) -> int:
        with self._lock:
            return len(self._entries.get((topic, partition), []))

    def get(self, table: str, key: bytes) -> bytes | None:
        with self._lock:
            return self._tables[table].get(key) if table in self._tables else None

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        with self._lock:
            return self._tables[table].scan(start, stop, reverse=reverse) if table in self._tables else iter(())

    def spaces(self, tenant: str) -> Sequence[str]:
        with self._lock:
            return sorted(
                {e.space for entries in self._entries.values() for e in entries if e.tenant == tenant},
                key=lambda name: name.encode("utf-8"),
            )

    def flush(self) -> None:
        """Nothing to force to a disk."""

    def forget(self, space: SpaceKey, tables: Sequence[str]) -> None:
        """What was replaced is gone already."""

    def close(self) -> None:
        """Nothing to release."""
