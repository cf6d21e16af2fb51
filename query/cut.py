"""One query's cut of a space: the reader and the messages it was handed, each row looked up once."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.ids import MessageKey
from views.reader import Messages, MessageText, SpaceReader
from views.rows import EdgeRow, EventRow


class Cut:
    """``unmarked``: see ``markers.unmarked_since``; asked for at every turn. ``is_kept``: others may read it after us.

    The reader is already cut at ``known_at`` by the caller. What was looked up is in the memo of the cut, for the
    next query as well: every question meets the same few hundred rows.
    """

    def __init__(self, reader: SpaceReader, messages: Messages, *, is_kept: bool = True) -> None:
        self.reader = reader
        self.is_kept = is_kept
        self.memo = reader.memo
        self._messages = messages
        self._rows: dict[str, EventRow | None] = self.memo.of_cut("row")
        self._edges: dict[str, Sequence[EdgeRow]] = self.memo.of_cut("edges")
        self._sources: dict[str, tuple[MessageKey, ...]] = self.memo.of_cut("sources")
        self._texts: dict[MessageKey, MessageText | None] = self.memo.of_cut("text")
        self.unmarked: dict[str, int | None] = self.memo.of_events("unmarked")
        self._told: dict[MessageKey, Sequence[EventRow]] = self.memo.of_cut("told")
        self._ids: dict[MessageKey, Sequence[str]] = self.memo.of_cut("ids")

    def row(self, event_id: str) -> EventRow | None:
        """A live event, or None."""
        known = self._rows
        if event_id in known:
            return known[event_id]
        found = known[event_id] = self.reader.event(event_id)
        return found

    def rows(self, event_ids: Sequence[str]) -> list[EventRow]:
        """The live ones among them, in the order given."""
        known = self._rows
        found = [known[event_id] if event_id in known else self.row(event_id) for event_id in event_ids]
        return [row for row in found if row is not None]

    def events_of(self, keys: Sequence[MessageKey]) -> list[Sequence[str]]:
        """The events that rest on each of some messages, by id."""
        known, look = self._ids, self.reader.events_of_message
        return [known[key] if key in known else known.setdefault(key, look(key)) for key in keys]

    def told_by(self, key: MessageKey) -> Sequence[EventRow]:
        """The live events that rest on a message, by id."""
        found = self._told.get(key)
        if found is None:
            found = self._told[key] = self.rows(self.reader.events_of_message(key))
        return found

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
        found = self._edges.get(event_id)
        if found is None:
            found = self._edges[event_id] = self.reader.edges_of(event_id)
        return found

    def note(self, key: MessageKey) -> MessageText | None:
        """A message that may be shown: known at this cut and not retracted."""
        known = self._texts
        if key in known:
            return known[key]
        text = self._messages.message(key)
        found = known[key] = None if text is None or text.retracted else text
        return found
