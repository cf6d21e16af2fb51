"""Reading the view: the protocols the query service programs against. ``snapshot.Snapshot`` implements both.

A reader is one consistent cut, of what is known now or of what was known at a transaction time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from schemas.ids import MessageKey

from .memo import Memo
from .order import Spot
from .rows import EdgeRow, EventRow


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """What a read reflects. All accepted messages of the space below ``messages`` are applied.

    ``waiting``: accepted messages of the space not yet read; ``parked``: dead-lettered ones.
    """

    partition: int
    messages: int
    waiting: int
    parked: int


class MessageAccount(msgspec.Struct, frozen=True, kw_only=True):
    """Where the space's accepted messages are. The four add up to ``accepted``.

    ``statements_left_out``: of messages that state more than is kept of one (``EventsDistilled.left_out``).
    """

    accepted: int
    source_of_event: int
    read_yielded_none: int
    waiting: int
    parked: int
    statements_left_out: int = 0


class SpaceReader(Protocol):
    """One space, one consistent cut. Ids come back sorted; unknown ids are left out, not errors."""

    @property
    def memo(self) -> Memo:
        """What was worked out from this cut before."""
        ...

    def event(self, event_id: str) -> EventRow | None: ...
    def event_ids(self) -> Sequence[str]:
        """All live events."""
        ...

    def events_of_message(self, message: MessageKey) -> Sequence[str]:
        """Live events that have the message among their sources (Eq. 13: N(e))."""
        ...

    def events_of_participant(self, name: str) -> Sequence[str]:
        """Live events of a participant; the name is matched case-folded and through the alias table."""
        ...

    def participants(self) -> Sequence[str]:
        """Canonical names."""
        ...

    def events_of_session(self, session_id: str) -> Sequence[str]: ...
    def edges_of(self, event_id: str) -> Sequence[EdgeRow]:
        """Live edges at the event, either direction, sorted by edge id."""
        ...

    def slices(self, edge_id: str) -> Sequence[Sequence[str]]:
        """What each assertion of a live edge was made from, as its producer says; empty where it says nothing."""
        ...

    def batch_slice(self, session_id: str) -> Sequence[str]:
        """The conversations the producer of a batch names; empty for a session, and where it names none."""
        ...

    def theme_of(self, session_id: str) -> str | None: ...
    def sessions_of_theme(self, theme_id: str) -> Sequence[str]: ...


class MessageText(msgspec.Struct, frozen=True, kw_only=True):
    """A note: a message as it stands now (edits applied)."""

    conversation_id: str
    message_id: str
    speaker: str
    role: str
    content: str
    sent_at: int
    utc_offset_min: int
    seq: int
    retracted: bool


class Messages(Protocol):
    """Source messages of a space, by key."""

    def message(self, key: MessageKey) -> MessageText | None: ...
    def messages(self, keys: Iterable[MessageKey]) -> Sequence[MessageText]: ...
    def spot(self, key: MessageKey) -> Spot | None:
        """Where it stands among what was said in its conversation; None when it is retracted or unknown."""
        ...
