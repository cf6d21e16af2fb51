"""A space as a scope sees it (the note): the definition of section 4 over what was said, and asserted, inside it.

An event is inside when all its sources are. An edge needs both ends inside (``naive``); ``scoped`` also drops it when
at least one producer says what it read, and all that do name something outside. Edges of analysts, and those nobody
says the origin of, stay. Supersessions are edges too: an update that was authored outside supersedes nothing inside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache, cached_property

import msgspec

from schemas.edges import Edge
from schemas.ids import MessageKey

from .memo import Memo
from .order import Spot
from .reader import Messages, MessageText, SpaceReader
from .rows import EdgeRow, EventRow
from .spec import Rules


class Scoped(Rules):
    """``SpaceReader`` and ``Messages`` of the part of a space that a scope sees.

    Args:
        whole: the space, cut.
        texts: its messages, cut alike.
        conversations: inside.
        naive: edges are judged by their ends alone.
    """

    def __init__(self, whole: SpaceReader, texts: Messages, conversations: Collection[str], *, naive: bool) -> None:
        self.memo = Memo()
        self._whole = whole
        self._texts = texts
        self._inside = frozenset(conversations)
        self._naive = naive
        found = (whole.event(event_id) for event_id in whole.event_ids())
        self._rows = {row.event.id: row for row in found if row is not None and self._holds(row)}
        self._edges = {event_id: [e for e in whole.edges_of(event_id) if self._keeps(e)] for event_id in self._rows}
        super().__init__(
            {event_id: row.event for event_id, row in self._rows.items()},
            {event_id: [row.edge for row in rows] for event_id, rows in self._edges.items()},
        )
        self.event = cache(self._event)

    def _holds(self, row: EventRow) -> bool:
        if row.event.sources:
            return all(source.conversation_id in self._inside for source in row.event.sources)
        return self._is_inside([self._whole.batch_slice(session) for session in row.session_ids])

    def _keeps(self, row: EdgeRow) -> bool:
        if row.edge.src not in self._rows or row.edge.dst not in self._rows:
            return False
        return self._naive or row.accepted or self._is_inside(self._whole.slices(row.edge.id))

    def _is_inside(self, slices: Iterable[Sequence[str]]) -> bool:
        """Nobody says what it was made from, or somebody made it from what is inside."""
        known = [one for one in slices if one]
        return not known or any(self._inside.issuperset(one) for one in known)

    def _event(self, event_id: str) -> EventRow | None:
        row = self._rows.get(event_id)
        if row is None:
            return None
        return msgspec.structs.replace(row, **self.derived(event_id))

    def event_ids(self) -> Sequence[str]:
        """See ``SpaceReader``."""
        return sorted(self._rows)

    def events_of_message(self, message: MessageKey) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._only(self._whole.events_of_message(message))

    def events_of_participant(self, name: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._only(self._whole.events_of_participant(name))

    @cached_property
    def _people(self) -> Sequence[str]:
        return sorted({name for row in self._rows.values() for name in row.event.participants})

    def participants(self) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._people

    def events_of_session(self, session_id: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._only(self._whole.events_of_session(session_id))

    def edges_of(self, event_id: str) -> Sequence[EdgeRow]:
        """See ``SpaceReader``."""
        return [
            msgspec.structs.replace(row, effective=self.effective(row.edge), invalid_from=self.invalid_from(row.edge))
            for row in self._edges.get(event_id, ())
        ]

    def theme_of(self, session_id: str) -> str | None:
        """See ``SpaceReader``."""
        return self._whole.theme_of(session_id)

    def sessions_of_theme(self, theme_id: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._whole.sessions_of_theme(theme_id)

    def slices(self, edge_id: str) -> Sequence[Sequence[str]]:
        """See ``SpaceReader``."""
        return self._whole.slices(edge_id)

    def batch_slice(self, session_id: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._whole.batch_slice(session_id)

    def message(self, key: MessageKey) -> MessageText | None:
        """See ``Messages``."""
        return self._texts.message(key) if key.conversation_id in self._inside else None

    def messages(self, keys: Iterable[MessageKey]) -> Sequence[MessageText]:
        """See ``Messages``."""
        return self._texts.messages([key for key in keys if key.conversation_id in self._inside])

    def spot(self, key: MessageKey) -> Spot | None:
        """See ``Messages``."""
        return self._texts.spot(key) if key.conversation_id in self._inside else None

    def sees(self, edge: Edge) -> bool:
        """Whether both ends of an edge that is ruled out are inside."""
        return edge.src in self._rows and edge.dst in self._rows

    def _only(self, event_ids: Iterable[str]) -> Sequence[str]:
        return [event_id for event_id in event_ids if event_id in self._rows]
