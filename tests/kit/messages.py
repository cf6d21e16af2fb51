"""Messages for tests, with everything that does not matter filled in."""

from __future__ import annotations

from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from streams.ports import Entry

SPACE = SpaceKey("t", "s")


def posted(
    message_id: str,
    sent_at: int,
    *,
    space: SpaceKey = SPACE,
    conversation: str = "c",
    given: str | None = None,
    ends: bool = False,
    seq: int = 0,
    content: str | None = None,
    received_at: int = 0,
    speaker: str = "Ada",
) -> MessagePosted:
    """A posted message; its content names it unless there is one."""
    return MessagePosted(
        tenant=space.tenant,
        space=space.space,
        conversation_id=conversation,
        message_id=message_id,
        session_id=given,
        speaker=speaker,
        speaker_id=None,
        role="user",
        content=f"content of {message_id}" if content is None else content,
        sent_at=sent_at,
        utc_offset_min=0,
        tz=None,
        seq=seq,
        received_at=received_at,
        time_assumed=False,
        ends_session=ends,
    )


def edit(
    message_id: str, content: str, *, space: SpaceKey = SPACE, conversation: str = "c", received_at: int = 0
) -> MessageEdited:
    """New content of a message."""
    return MessageEdited(
        tenant=space.tenant,
        space=space.space,
        conversation_id=conversation,
        message_id=message_id,
        content=content,
        received_at=received_at,
    )


def retract(
    message_id: str, *, space: SpaceKey = SPACE, conversation: str = "c", received_at: int = 0
) -> MessageRetracted:
    """A withdrawn message."""
    return MessageRetracted(
        tenant=space.tenant,
        space=space.space,
        conversation_id=conversation,
        message_id=message_id,
        received_at=received_at,
    )


def entry(offset: int, record: MessagePosted | MessageEdited | MessageRetracted, partition: int = 0) -> Entry:
    """A record at its place in ``messages``."""
    return Entry(topic="messages", partition=partition, offset=offset, record=record)
