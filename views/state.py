"""Typed state of the validity view over byte tables: decoded cells, cached, written back in one commit."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Generic, TypeVar

import msgspec

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.control import ProducerActivated
from schemas.edges import Edge
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessageEdited, MessagePosted

from .rows import EdgeRow, EventRow
from .tables import TableName, Tables, Write

CACHED_CELLS = 200_000
"""Decoded cells kept per table between commits; about 1 kB each, so a table stays below 200 MB."""


class EventAssertion(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An event as an active set holds it. ``read_below``: edits from this offset on make it stale."""

    producer: str
    session_id: str
    read_below: int
    event: Event


class EventState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Everything known of an event id. ``row`` is None while it is not live."""

    assertions: tuple[EventAssertion, ...] = ()
    row: EventRow | None = None


class EdgeAssertion(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An edge as an active set holds it."""

    producer: str
    session_id: str
    edge: Edge


class EdgeState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Everything known of an edge id. ``row`` is None while it is not live; ``ruling`` is the analysts' last word."""

    assertions: tuple[EdgeAssertion, ...] = ()
    ruling: EdgeAccepted | EdgeRuledOut | RulingWithdrawn | None = None
    row: EdgeRow | None = None


class MessageState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A message: as first posted (lowest offset), its last edit, its last retraction.

    ``later``: its other postings, by offset. The first one counts unless it is erased; then the first that is not.
    """

    posted: MessagePosted | None = None
    posted_offset: int | None = None
    edited: MessageEdited | None = None
    edited_offset: int | None = None
    retracted_offset: int | None = None
    later: tuple[tuple[int, MessagePosted], ...] = ()

    @property
    def retracted(self) -> bool:
        """Whether it was withdrawn."""
        return self.retracted_offset is not None


class StoredSet(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The best set of a (session, producer): revision, hash of the record, and its encoded record."""

    revision: int = -1
    hash: str = ""
    value: bytes = b""


class AliasRuling(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The last word on an alias; ``canonical`` None after a split."""

    at: int
    hash: str
    canonical: str | None


class Control(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What steers a space: active producer per stage, below which offsets messages are erased, names of people."""

    active: dict[str, ProducerActivated] = {}
    erased_below: int = 0
    erased_conversations: dict[str, int] = {}
    erased_messages: dict[str, int] = {}
    aliases: dict[str, AliasRuling] = {}


T = TypeVar("T")


class Cells(Generic[T]):
    """One table, decoded. Reads see writes at once; ``drain`` yields them for the commit."""

    def __init__(self, tables: Tables, table: TableName, kind: type[T], empty: T) -> None:
        self._tables = tables
        self._table: TableName = table
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._encoder = msgspec.msgpack.Encoder(order="deterministic")
        self._empty = empty
        self._cache: dict[bytes, T] = {}
        self._dirty: dict[bytes, None] = {}
        self._dirty_keys: list[bytes] = []

    def get(self, key: bytes) -> T:
        """The cell, or the empty value."""
        cell = self._cache.get(key)
        if cell is None:
            raw = self._tables.get(self._table, key)
            cell = self._empty if raw is None else self._decoder.decode(raw)
            self._cache[key] = cell
        return cell

    def put(self, key: bytes, cell: T) -> None:
        """Replace the cell; the empty value removes it."""
        self._cache[key] = cell
        if key not in self._dirty:
            self._dirty[key] = None
            insort(self._dirty_keys, key)

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, T]]:
        """Non-empty cells whose key starts with the prefix, in key order, this step's writes included."""
        keys = {key for key, _ in self._tables.scan(self._table, prefix)}
        later = islice(self._dirty_keys, bisect_left(self._dirty_keys, prefix), None)
        keys.update(takewhile(lambda key: key.startswith(prefix), later))
        for key in sorted(keys):
            cell = self.get(key)
            if cell != self._empty:
                yield key, cell

    def clear(self, prefix: bytes) -> None:
        """Remove every cell whose key starts with the prefix."""
        for key, _ in list(self.scan(prefix)):
            self.put(key, self._empty)

    def drain(self) -> Iterator[Write]:
        """The writes since the last drain; also bounds the cache."""
        for key in self._dirty:
            cell = self._cache[key]
            yield self._table, key, None if cell == self._empty else self._encoder.encode(cell)
        self._dirty.clear()
        self._dirty_keys.clear()
        if len(self._cache) > CACHED_CELLS:
            self._cache.clear()

    def forget(self) -> None:
        """Drop uncommitted writes and the cache."""
        self._cache.clear()
        self._dirty.clear()
        self._dirty_keys.clear()


def space_prefix(space: SpaceKey) -> bytes:
    """Prefix of every key of a space. Length first, so that no space's prefix is another's."""
    name = f"{space.tenant}/{space.space}".encode()
    return len(name).to_bytes(2, "big") + name


def message_part(key: MessageKey) -> bytes:
    """A message key inside a space."""
    return msgspec.msgpack.encode((key.conversation_id, key.message_id))


class ViewState:
    """All cells of the view."""

    def __init__(self, tables: Tables) -> None:
        self.events = Cells(tables, "events", EventState, EventState())
        self.edges = Cells(tables, "edges", EdgeState, EdgeState())
        self.adjacency: Cells[tuple[str, ...]] = Cells(tables, "adjacency", tuple[str, ...], ())
        self.sets = Cells(tables, "sets", StoredSet, StoredSet())
        self.messages = Cells(tables, "messages", MessageState, MessageState())
        self.sources: Cells[tuple[str, ...]] = Cells(tables, "sources", tuple[str, ...], ())
        self.control = Cells(tables, "control", Control, Control())

    def cells(self) -> tuple[Cells[object], ...]:
        """Every table, in a fixed order."""
        return (self.events, self.edges, self.adjacency, self.sets, self.messages, self.sources, self.control)  # pyright: ignore[reportReturnType]  # invariance: only drain and forget are used

    def drain(self) -> list[Write]:
        """Writes of all tables since the last drain."""
        return [write for cells in self.cells() for write in cells.drain()]

    def forget(self) -> None:
        """Drop everything that is not committed."""
        for cells in self.cells():
            cells.forget()
