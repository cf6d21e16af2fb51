"""The durable log: topics × partitions of entries, and the small tables that commit together with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from schemas.ids import SpaceKey
from schemas.topics import TopicName


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One appended value, still as bytes.

    Attributes:
        offset: dense from 0 within (topic, partition).
        time_us: when it was appended, microseconds UTC, as given by the caller.
        value: the encoded record (``schemas.codec``).
    """

    topic: TopicName
    partition: int
    offset: int
    time_us: int
    tenant: str
    space: str
    value: bytes


class TableReader(Protocol):
    """Ordered reads of a named table. Keys sort as bytes."""

    def get(self, table: str, key: bytes) -> bytes | None: ...
    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Pairs with ``start <= key < stop``, in key order or backwards. A long scan is not a snapshot: it may see
        commits made while it runs."""
        ...


class TableWriter(Protocol):
    """Changes of named tables."""

    def put(self, table: str, key: bytes, value: bytes) -> None: ...
    def delete(self, table: str, key: bytes) -> None: ...


class Batch(TableWriter, Protocol):
    """Appends and table changes that are committed together or not at all. Not visible to reads before that."""

    def append(self, topic: TopicName, space: SpaceKey, value: bytes, now: int) -> int:
        """Add an entry to the space's partition of the topic; returns the offset it will have. ``now`` in
        microseconds UTC."""
        ...

    def replace(self, entry: LogEntry, value: bytes) -> None:
        """Give a committed entry another value; its place, space and time stay. For erasures alone: records are
        immutable otherwise. ``Log.forget`` takes the former value out of the files."""
        ...


class Log(TableReader, Protocol):
    """One writer, any number of readers; thread-safe.

    Durability: a committed batch survives the death of the process (kill -9) whole. Loss of power may lose the last
    batches, but always a tail of whole batches: entries and the positions stored with them go together, so stages
    resume consistently. ``batch(sync=True)``, ``flush`` and ``close`` force everything so far to the disk.
    """

    partitions: int
    cluster_id: str

    def batch(self, *, sync: bool = False) -> AbstractContextManager[Batch]:
        """Open the batch; leaving the ``with`` block commits it, an exception discards it.

        The batch holds the writer's lock: do slow work before opening it.
        """
        ...

    def read(self, topic: TopicName, partition: int, offset: int, limit: int) -> Sequence[LogEntry]:
        """Up to ``limit`` entries from ``offset`` on, in order."""
        ...

    def read_space(self, topic: TopicName, space: SpaceKey, offset: int = 0) -> Iterator[LogEntry]:
        """The space's own entries from ``offset`` on, in order, those committed by now. Costs by the space's size."""
        ...

    def end(self, topic: TopicName, partition: int) -> int:
        """The offset the next entry will have."""
        ...

    def spaces(self, tenant: str) -> Sequence[str]:
        """Names of the tenant's spaces that were ever appended to, sorted."""
        ...

    def flush(self) -> None: ...
    def forget(self, space: SpaceKey, tables: Sequence[str]) -> None:
        """Returns when no file holds a former value of the space's entries or of a row of the tables: what was
        replaced or deleted is gone for good. Costs by how much of the log lies between the space's entries."""
        ...

    def close(self) -> None:
        """Release the directory. Idempotent; the log cannot be used afterwards."""
        ...
