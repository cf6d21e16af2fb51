"""Sessions for tests, with everything that does not matter filled in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from schemas.sessions import SessionMessage, SessionRevised


def said(n: int, sent_at: int, content: str, speaker: str = "Ada", **changes: Any) -> SessionMessage:
    """The message number ``n`` of a session, sent at an instant."""
    fields: dict[str, Any] = {
        "message_id": f"m{n}",
        "speaker": speaker,
        "speaker_id": None,
        "role": "user",
        "content": content,
        "sent_at": sent_at,
        "utc_offset_min": 0,
        "tz": None,
        "seq": n,
        "offset": n,
    }
    return SessionMessage(**(fields | changes))


def revised(messages: Iterable[SessionMessage], **changes: Any) -> SessionRevised:
    """A revision of a session: the first one, closed, unless changed."""
    fields: dict[str, Any] = {
        "tenant": "t",
        "space": "s",
        "conversation_id": "c",
        "session_id": "x",
        "revision": 1,
        "open": False,
        "messages": tuple(messages),
        "covers": 1,
        "learned_at": 1,
    }
    return SessionRevised(**(fields | changes))
