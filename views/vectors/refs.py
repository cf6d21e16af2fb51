"""The refs of notes in the index. An event's ref is its id."""

from __future__ import annotations

import json

import msgspec

from schemas.ids import MessageKey


def note_ref(key: MessageKey) -> str:
    """The ref of a note: ``["conversation id","message id"]``, compact JSON."""
    return json.dumps([key.conversation_id, key.message_id], ensure_ascii=False, separators=(",", ":"))


def note_key(ref: str) -> MessageKey:
    """The message of a note's ref."""
    conversation_id, message_id = msgspec.json.decode(ref, type=tuple[str, str])
    return MessageKey(conversation_id, message_id)
