"""The tables of a replica: the view's, and a list of what the node's own search index has still to look at.

A mark is written in the commit that changed the view, so that after kill -9 the index knows exactly what it missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

import msgspec

from schemas.control import ConversationErased, MessageErased, SpaceErased
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record
from views.state import ViewState, space_prefix
from views.store import Families, RocksTables
from views.tables import TABLES, TableName, Write

MARKS = "unindexed"
FAMILIES = (*TABLES, MARKS)
"""Column families of a replica's database."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """A message or an event that may have changed. ``conversation_id`` is empty for an event."""

    tenant: str
    space: str
    kind: Literal["note", "event"]
    conversation_id: str
    ref: str

    @property
    def key(self) -> SpaceKey:
        """Its space."""
        return SpaceKey(self.tenant, self.space)


def note_mark(space: SpaceKey, message: MessageKey) -> Mark:
    """A message."""
    return Mark(space.tenant, space.space, "note", message.conversation_id, message.message_id)


def event_mark(space: SpaceKey, event_id: str) -> Mark:
    """An event."""
    return Mark(space.tenant, space.space, "event", "", event_id)


def notes_of(record: Record, state: ViewState) -> Iterator[Mark]:
    """The messages whose text a record may have changed. ``state``: the view, which knows those of a conversation."""
    match record:
        case MessagePosted() | MessageEdited() | MessageRetracted():
            yield note_mark(record.key, record.message)
        case MessageErased():
            yield note_mark(record.key, MessageKey(record.conversation_id, record.message_id))
        case ConversationErased() | SpaceErased():
            only = record.conversation_id if isinstance(record, ConversationErased) else None
            for _, cell in state.messages.scan(space_prefix(record.key)):
                if cell.posted is not None and only in {None, cell.posted.conversation_id}:
                    yield note_mark(record.key, cell.posted.message)
        case _:
            return


_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Mark)


class MarkedTables:
    """``Tables`` of a replica. Whoever commits, marks or clears holds the replica's lock.

    Args:
        families: the database, with ``FAMILIES``.
        marking: False keeps no marks: somebody else fills the search index.
    """

    def __init__(self, families: Families, *, marking: bool) -> None:
        self._families = families
        self._tables = RocksTables(families)
        self._marking = marking
        found = families.scan(MARKS, b"", b"\xff" * 64)
        stored = sorted((int.from_bytes(value, "big"), key) for key, value in found)
        self._marks = {key: sequence for sequence, key in stored}
        self._next = 1 + (stored[-1][0] if stored else 0)
        self._new: dict[bytes, int] = {}

    def get(self, table: TableName, key: bytes) -> bytes | None:
        """See ``Tables``."""
        return self._tables.get(table, key)

    def scan(self, table: TableName, prefix: bytes, start: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """See ``Tables``."""
        return self._tables.scan(table, prefix, start)

    def mark(self, marks: Iterable[Mark]) -> None:
        """With the next commit. What was marked before stands behind everything marked before it, again."""
        if self._marking:
            for mark in marks:
                self._new[_encode(mark)] = self._next

    def commit(self, writes: Iterable[Write]) -> None:
        """See ``Tables``; the new marks are part of it."""
        changes: list[tuple[str, bytes, bytes | None]] = list(writes)
        changes += [(MARKS, key, sequence.to_bytes(8, "big")) for key, sequence in self._new.items()]
        if changes:
            self._families.write(changes, sync=False)
        for key, sequence in self._new.items():
            self._marks.pop(key, None)
            self._marks[key] = sequence
        self._new.clear()
        self._next += 1

    @property
    def sequence(self) -> int:
        """Grows with every commit."""
        return self._next

    @property
    def marked(self) -> int:
        """How many marks there are."""
        return len(self._marks)

    @property
    def indexed_below(self) -> int:
        """Whatever was marked below this ``sequence`` has been looked at."""
        return next(iter(self._marks.values()), self._next)

    def oldest(self, limit: int) -> Sequence[tuple[Mark, int]]:
        """The marks that have stood longest, with their sequence."""
        return [(_decoder.decode(key), sequence) for key, sequence in islice(self._marks.items(), limit)]

    def clear(self, looked_at: Iterable[tuple[Mark, int]]) -> None:
        """Remove marks, but not those that were set again meanwhile."""
        keys = [key for mark, sequence in looked_at if self._marks.get(key := _encode(mark)) == sequence]
        self._families.write([(MARKS, key, None) for key in keys], sync=False)
        for key in keys:
            del self._marks[key]

    def close(self) -> None:
        """See ``Tables``."""
        self._tables.close()
