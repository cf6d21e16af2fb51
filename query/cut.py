"""One query's cut of a space: the reader and the messages it was handed, each row decoded once."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.ids import MessageKey
from views.reader import Messages, MessageText, SpaceReader
from views.rows import EdgeRow, EventRow


class Cut:
    """Remembers what was read for the length of one query. The reader is already cut at ``known_at`` by the caller."""

    def __init__(self, reader: SpaceReader, messages: Messages) -> None:
        self.reader = reader
        self.memo = reader.memo
        self._messages = messages
        self._rows: dict[str, EventRow | None] = {}
        self._edges: dict[str, Sequence[EdgeRow]] = {}
        self._sources: dict[str, tuple[MessageKey, ...]] = {}
        self._texts: dict[MessageKey, MessageText | None] = {}

    def row(self, event_id: str) -> EventRow | None:
        """A live event, or None."""
        if event_id not in self._rows:
            self._rows[event_id] = self.reader.event(event_id)
        return self._rows[event_id]

    def rows(self, event_ids: Sequence[str]) -> list[EventRow]:
        """The live ones among them, in the order given."""
        found = (self.row(event_id) for event_id in event_ids)
        return [row for row in found if row is not None]

    def sources(self, event_id: str) -> Sequence[MessageKey]:
        """The messages a live event rests on, each once; none of another."""
        found = self._sources.get(event_id)
        if found is None:
            row = self.row(event_id)
            sources = () if row is None else row.event.sources
            found = tuple(dict.fromkeys(MessageKey(s.conversation_id, s.message_id) for s in sources))
            self._sources[event_id] = found
        return found

    def edges(self, event_id: str) -> Sequence[EdgeRow]:
        """Live edges at an event, sorted by id."""
        if event_id not in self._edges:
            self._edges[event_id] = self.reader.edges_of(event_id)
        return self._edges[event_id]

    def note(self, key: MessageKey) -> MessageText | None:
        """A message that may be shown: known at this cut and not retracted."""
        if key not in self._texts:
            text = self._messages.message(key)
            self._texts[key] = None if text is None or text.retracted else text
        return self._texts[key]
