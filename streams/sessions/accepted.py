"""What the edge would have refused is refused here too: producers may write to ``messages`` themselves.

It also bounds a session: so many messages, each of so many bytes at most (``session_max_bytes``).
"""

from __future__ import annotations

from schemas.codec import BadRecordError
from schemas.messages import MessageEdited, MessagePosted, MessageRecord
from schemas.times import MAX_US, MIN_US

from ..checks import MAX_ID_BYTES, RefusedError, check_content, check_id, check_zone
from ..message_in import MAX_SEQ
from .definition import SessionLimits

_DAY_MIN = 24 * 60

_MESSAGE_BYTES = 512
"""Of a message in a session beside its texts: the names of ten fields and their numbers take 210 at the most."""

_SESSION_BYTES = 8 * 1024
"""Of a session beside its messages: tenant, space, conversation and session id, this one percent-encoded."""


def check_message(record: MessageRecord, limits: SessionLimits) -> None:
    """Raises ``BadRecordError`` for a message that the edge would not have taken, with the field that is wrong."""
    try:
        match record:
            case MessagePosted():
                _check_posted(record, limits)
            case MessageEdited():
                check_content("content", record.content, limits.max_content_bytes)
            case _:
                pass  # names a message that must be known
    except RefusedError as error:
        raise BadRecordError(str(error)) from error


def _check_posted(record: MessagePosted, limits: SessionLimits) -> None:
    check_id("message_id", record.message_id)
    check_id("conversation_id", record.conversation_id)
    check_id("speaker", record.speaker)
    check_content("content", record.content, limits.max_content_bytes)
    for field, name in (("session_id", record.session_id), ("speaker_id", record.speaker_id)):
        if name is not None:
            check_id(field, name)
    if record.tz is not None:
        check_zone("tz", record.tz)
    if not MIN_US <= record.sent_at <= MAX_US:
        raise RefusedError("bad_time", "outside the years 1 to 9999", "sent_at")
    if abs(record.utc_offset_min) > _DAY_MIN:
        raise RefusedError("bad_time", "more than a day", "utc_offset_min")
    if abs(record.seq) > MAX_SEQ:
        raise RefusedError("bad_seq", f"must be between -{MAX_SEQ} and {MAX_SEQ}", "seq")


def session_max_bytes(limits: SessionLimits) -> int:
    """The most bytes a record of a session can have: full, every message as large as it may be.

    Content is limited in bytes of UTF-8, so 4-byte characters make it no larger.
    """
    names = 4 * MAX_ID_BYTES  # message id, speaker, speaker id, zone
    return _SESSION_BYTES + limits.max_messages * (limits.max_content_bytes + names + _MESSAGE_BYTES)
