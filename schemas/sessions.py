"""Topic ``sessions``: gap-bounded runs of messages, whole, at a revision."""

from __future__ import annotations

import msgspec

from .messages import Role
from .record import Record


class SessionMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message inside a session, with its current content. ``offset`` is its position in ``messages``."""

    message_id: str
    speaker: str
    speaker_id: str | None
    role: Role
    content: str
    sent_at: int
    utc_offset_min: int
    tz: str | None
    seq: int
    offset: int


class SessionRevised(Record, frozen=True, kw_only=True, tag="session_revised"):
    """The whole session so far, in order (sent_at, seq, message id). Replaces every lower revision.

    ``revision`` = 2 × offset of the last ``messages`` record that touched the session, + 1 when closed: it grows with
    what was read and needs no counter. ``messages`` is empty when the session was merged into another one or all its
    messages were retracted. ``covers``: all ``messages`` records of the partition below this offset are in some
    published session. ``learned_at``: transaction time of the newest message in it (microseconds UTC).
    """

    conversation_id: str
    session_id: str
    revision: int
    open: bool
    messages: tuple[SessionMessage, ...]
    covers: int
    learned_at: int
