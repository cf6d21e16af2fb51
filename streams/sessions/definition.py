"""What the sessions of a conversation are: a function of the set of its messages, never of their arrival.

``stage`` keeps the same result incrementally; a property test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

import msgspec

from schemas.ids import SpaceKey, session_id
from schemas.messages import MessageEdited, MessagePosted, MessageRecord, MessageRetracted
from schemas.sessions import SessionMessage
from schemas.times import US_PER_HOUR, US_PER_SECOND


class SessionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Where sessions are cut, and when an open one is published.

    Attributes:
        gap_us: silence in ``sent_at`` that is longer ends a session; the same silence of arrivals closes an idle one.
        max_messages: a longer run is split at every ``max_messages``-th message.
        publish_after: unpublished records of a session that publish it, open.
        quiet_us: a changed session is published at once where it was not published for so long, else when that is
            over. So what is said after a pause is not kept waiting, and a busy chat is published so often at most.
        max_content_bytes: of a message's content, UTF-8; a longer one is parked.
    """

    gap_us: int = US_PER_HOUR
    max_messages: int = 100
    publish_after: int = 20
    quiet_us: int = 2 * US_PER_SECOND
    max_content_bytes: int = 64 * 1024


class SaidMessage(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A message as it stands now, with what decides about its session. ``given``: the session its producer named;
    ``edited_at``: when the edit was received that made it what it is, microseconds UTC."""

    message: SessionMessage
    given: str | None
    ends_session: bool
    edited_at: int = 0


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session by definition: its id and its messages in order."""

    id: str
    messages: tuple[SessionMessage, ...]


def order(message: SessionMessage) -> tuple[int, int, str]:
    """Messages are ordered by what they say about themselves, not by when they came."""
    return message.sent_at, message.seq, message.message_id


def given_session_id(conversation_id: str, given: str, chunk: int) -> str:
    """Id of a session its producer named: unique in the space, and readable.

    "conversation/given", and "#2", "#3", … for the further parts of a long one. Characters that would make two
    such ids equal (``/ # % :``, and white space) are percent-encoded. ``chunk`` counts from 0.
    """
    safe = "@+,;=!$&'()*"
    name = f"{quote(conversation_id, safe)}/{quote(given, safe)}"
    return name if chunk == 0 else f"{name}#{chunk + 1}"


def said(record: MessagePosted, offset: int) -> SaidMessage:
    """A posted message with its position in ``messages``."""
    message = SessionMessage(
        message_id=record.message_id,
        speaker=record.speaker,
        speaker_id=record.speaker_id,
        role=record.role,
        content=record.content,
        sent_at=record.sent_at,
        utc_offset_min=record.utc_offset_min,
        tz=record.tz,
        seq=record.seq,
        offset=offset,
    )
    return SaidMessage(message=message, given=record.session_id, ends_session=record.ends_session)


def edited(message: SaidMessage, edit: MessageEdited) -> SaidMessage:
    """The same message with the content of an edit; one that was received before the last edit changes nothing.

    Edits come in the order in which they were received, but for one that was parked and re-driven late.
    """
    if edit.received_at < message.edited_at:
        return message
    return msgspec.structs.replace(
        message,
        message=msgspec.structs.replace(message.message, content=edit.content),
        edited_at=edit.received_at,
    )


def current_messages(records: Iterable[tuple[int, MessageRecord]]) -> list[SaidMessage]:
    """The messages of one conversation after these (offset, record) in log order.

    The first posting of an id counts, then the edit received last; a retraction is final, unless it is erased as well:
    then the next posting is the first.
    """
    found: dict[str, SaidMessage | None] = {}
    for offset, record in records:
        known = found.get(record.message_id)
        match record:
            case MessagePosted():
                if record.message_id not in found:
                    found[record.message_id] = said(record, offset)
            case MessageEdited():
                if known is not None:
                    found[record.message_id] = edited(known, record)
            case MessageRetracted():
                if record.erased:
                    found.pop(record.message_id, None)
                elif known is not None:
                    found[record.message_id] = None
    return [message for message in found.values() if message is not None]


def sessions_of(
    space: SpaceKey, conversation_id: str, messages: Iterable[SaidMessage], limits: SessionLimits
) -> list[Session]:
    """The sessions of a conversation, by id.

    Messages with a given session form that session. The others form runs: a run ends before a gap in ``sent_at``, and
    after a message that ends its session. Whatever is longer than ``max_messages`` is split there.
    """
    ordered = sorted(messages, key=lambda one: order(one.message))
    sessions: list[Session] = []
    for given in sorted({one.given for one in ordered if one.given is not None}):
        whole = [one.message for one in ordered if one.given == given]
        for chunk, part in enumerate(_parts(whole, limits.max_messages)):
            sessions.append(Session(id=given_session_id(conversation_id, given, chunk), messages=tuple(part)))
    for run in _runs([one for one in ordered if one.given is None], limits.gap_us):
        for part in _parts(run, limits.max_messages):
            name = session_id(space, conversation_id, part[0].message_id)
            sessions.append(Session(id=name, messages=tuple(part)))
    return sorted(sessions, key=lambda session: session.id)


def _runs(ordered: Sequence[SaidMessage], gap_us: int) -> list[list[SessionMessage]]:
    runs: list[list[SessionMessage]] = []
    ended = True
    for one in ordered:
        if ended or one.message.sent_at - runs[-1][-1].sent_at > gap_us:
            runs.append([])
        runs[-1].append(one.message)
        ended = one.ends_session
    return runs


def _parts(run: Sequence[SessionMessage], size: int) -> list[Sequence[SessionMessage]]:
    return [run[at : at + size] for at in range(0, len(run), size)]
