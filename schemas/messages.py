"""Topic ``messages``: what producers say. The source of everything else."""

from __future__ import annotations

from typing import Literal

from .ids import MessageKey
from .record import Record

Role = Literal["user", "assistant", "system", "tool", "analyst"]


class MessagePosted(Record, frozen=True, kw_only=True, tag="message_posted"):
    """A message as accepted at the edge.

    ``sent_at`` and ``received_at`` are microseconds UTC; ``received_at`` is the transaction time, never earlier than
    that of the message accepted before it in the space. ``utc_offset_min`` is the offset the message was sent with and
    ``tz`` the IANA zone when known: relative phrases are resolved in them. ``seq`` orders messages of equal
    ``sent_at``.
    ``time_assumed`` says that the zone was assumed by an importer. ``ends_session`` closes the session after it.
    """

    conversation_id: str
    message_id: str
    session_id: str | None
    speaker: str
    speaker_id: str | None
    role: Role
    content: str
    sent_at: int
    utc_offset_min: int
    tz: str | None
    seq: int
    received_at: int
    time_assumed: bool
    ends_session: bool

    @property
    def message(self) -> MessageKey:
        """The message it is about."""
        return MessageKey(self.conversation_id, self.message_id)


class MessageEdited(Record, frozen=True, kw_only=True, tag="message_edited"):
    """New content for an accepted message; what was distilled from the old content is no longer live."""

    conversation_id: str
    message_id: str
    content: str
    received_at: int

    @property
    def message(self) -> MessageKey:
        """The message it is about."""
        return MessageKey(self.conversation_id, self.message_id)


class MessageRetracted(Record, frozen=True, kw_only=True, omit_defaults=True, tag="message_retracted"):
    """The message is withdrawn: nothing that rests on it is live.

    ``erased``: it is also to be forgotten, by a record of ``erasures`` that covers this one as well. From here on its
    id stands for nothing, and may be posted anew.
    """

    conversation_id: str
    message_id: str
    received_at: int
    erased: bool = False

    @property
    def message(self) -> MessageKey:
        """The message it is about."""
        return MessageKey(self.conversation_id, self.message_id)


MessageRecord = MessagePosted | MessageEdited | MessageRetracted
