"""The refs of notes in the index. An event's ref is its id."""

from __future__ import annotations

from functools import lru_cache
from json.encoder import encode_basestring

import msgspec

from schemas.ids import MessageKey

REMEMBERED = 65_536
"""Every question meets the same few hundred notes of its space: about 15 MB each way."""


@lru_cache(maxsize=REMEMBERED)
def note_ref(key: MessageKey) -> str:
    """The ref of a note: ``["conversation id","message id"]``, compact JSON."""
    return f"[{encode_basestring(key.conversation_id)},{encode_basestring(key.message_id)}]"


@lru_cache(maxsize=REMEMBERED)
def note_key(ref: str) -> MessageKey:
    """The message of a note's ref."""
    conversation_id, message_id = msgspec.json.decode(ref, type=tuple[str, str])
    return MessageKey(conversation_id, message_id)
