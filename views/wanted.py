"""What a vector index shall hold, folded from records alone: the view's own rules, without its edges.

Which events are live, and what they say, depends on messages, sets of events, the active producers and erasures, and on
nothing else. So whoever keeps this needs neither the view nor its deltas, and is equal to it in any order of topics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from schemas.control import ConversationErased, MessageErased, SpaceErased
from schemas.deltas import EventChanged
from schemas.entry import Entry
from schemas.events import Event, EventsAsserted, EventsDistilled
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record

from .reader import MessageText
from .state import ViewState, message_part, space_prefix
from .tables import TableName, Tables
from .texts import stored_text
from .validity import apply

Name = bytes
"""A note (``n`` and the message's key) or an event (``e`` and its id), within a space."""

_NOTE, _EVENT = b"n", b"e"


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """What a record is about. ``changed``: may be another point now. ``own``: the events it states itself."""

    changed: tuple[Name, ...]
    own: tuple[Name, ...]


class Wanted:
    """Folds into tables, which it commits to after each record. One thread at a time.

    Nothing is remembered between calls, so the tables may be another partition's at the next one.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._state = ViewState(tables, history=False)

    def fold(self, entry: Entry) -> Named:
        """Fold a record of ``messages``, ``events``, ``producers`` or ``erasures``."""
        state, record = self._state, entry.record
        try:
            deltas = apply(state, entry)
            notes = [note_name(key) for key in self._messages_of(record)]
            self._tables.commit(state.drain())
        finally:
            state.forget()
        events = [event_name(delta.event_id) for delta in deltas if isinstance(delta, EventChanged)]
        stated = record.events if isinstance(record, EventsDistilled | EventsAsserted) else ()
        return Named(changed=(*notes, *events), own=tuple(event_name(event.id) for event in stated))

    def contents(
        self, space: SpaceKey, names: Collection[Name]
    ) -> tuple[dict[MessageKey, MessageText | None], dict[str, Event | None]]:
        """What the named points are to be now; None for what is not wanted (or retracted, as the text says)."""
        notes: dict[MessageKey, MessageText | None] = {}
        events: dict[str, Event | None] = {}
        prefix = space_prefix(space)
        for name in names:
            if name.startswith(_NOTE):
                key = _message_key(name[1:])
                notes[key] = stored_text(self._state, space, key)
            else:
                row = self._state.events.get(prefix + name[1:]).row
                events[name[1:].decode()] = None if row is None else row.event
        self._state.forget()
        return notes, events

    def all(self) -> Iterator[tuple[SpaceKey, Name]]:
        """Every message and event ever named, live or not."""
        kinds: tuple[tuple[TableName, bytes], ...] = (("messages", _NOTE), ("events", _EVENT))
        for table, kind in kinds:
            for key, _ in self._tables.scan(table, b""):
                end = 2 + int.from_bytes(key[:2], "big")
                tenant, _, space = key[2:end].decode().partition("/")
                yield SpaceKey(tenant, space), kind + key[end:]

    def _messages_of(self, record: Record) -> list[MessageKey]:
        """Messages whose text the record may have changed."""
        match record:
            case MessagePosted() | MessageEdited() | MessageRetracted():
                return [record.message]
            case MessageErased():
                return [MessageKey(record.conversation_id, record.message_id)]
            case ConversationErased():
                return self._posted(record.key, record.conversation_id)
            case SpaceErased():
                return self._posted(record.key, None)
            case _:
                return []

    def _posted(self, space: SpaceKey, conversation_id: str | None) -> list[MessageKey]:
        prefix = space_prefix(space)
        keys = [_message_key(key[len(prefix) :]) for key, _ in self._state.messages.scan(prefix)]
        return [key for key in keys if conversation_id in (None, key.conversation_id)]


def note_name(key: MessageKey) -> Name:
    """The name of a message's note."""
    return _NOTE + message_part(key)


def event_name(event_id: str) -> Name:
    """The name of an event."""
    return _EVENT + event_id.encode()


def _message_key(part: bytes) -> MessageKey:
    return MessageKey(*msgspec.msgpack.decode(part, type=tuple[str, str]))
