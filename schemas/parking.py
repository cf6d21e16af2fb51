"""From bytes to a record a consumer can fold; what cannot be used is parked with its untouched bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

import msgspec

from .codec import BadRecordError, decode
from .dead_letters import DeadLetter
from .entry import Entry
from .events import EventsDistilled
from .ids import name_problem
from .messages import MessageEdited, MessagePosted, MessageRetracted
from .record import Record
from .sessions import SessionRevised
from .topics import TOPICS, TopicName


class Raw(Protocol):
    """A record as it lies in a log: bytes, where they are, and the space its key names (empty when it names none)."""

    @property
    def topic(self) -> TopicName: ...
    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def tenant(self) -> str: ...
    @property
    def space(self) -> str: ...
    @property
    def value(self) -> bytes: ...


def decoded(raw: Raw, decode: Callable[[TopicName, bytes], Record] = decode) -> Entry:
    """The record with its place. ``decode``: another way to the same record.

    Raises:
        BadRecordError: no record of the topic, or not of the space its key names: whoever may write under one tenant's
            key could else write into another's space. Park it, or pass over what another consumer has parked.
    """
    record = decode(raw.topic, raw.value)
    if raw.tenant != record.tenant or raw.space != record.space:
        key = f"{raw.tenant}/{raw.space}" if raw.tenant else "no space"
        raise BadRecordError(f"{raw.topic}: the key names {key}, the record is of {record.key}")
    nobodys = raw.topic == "dead-letters" and not record.tenant  # about a record whose key named no space
    problem = None if nobodys else _space_problem(record.tenant, record.space)
    if problem is not None:
        raise BadRecordError(f"{raw.topic}: {problem}")
    return Entry(topic=raw.topic, partition=raw.partition, offset=raw.offset, record=record)


@lru_cache(maxsize=10_000)
def _space_problem(tenant: str, space: str) -> str | None:
    """What is wrong with the names: a slash in one of them would make two spaces one key."""
    for what, name in (("tenant", tenant), ("space", space)):
        problem = name_problem(name)
        if problem is not None:
            return f"{what} {problem}"
    return None


def dead_letter(stage: str, raw: Raw, error: str, now: int) -> DeadLetter:
    """The parked form of a record a consumer could not use.

    Args:
        stage: who could not use it.
        raw: the record.
        error: why, for people.
        now: microseconds UTC.
    """
    about = _about(raw.value)
    if (about.tenant, about.space) != (raw.tenant, raw.space):
        about = _About()  # the names of another space's messages are nobody's business here
    return DeadLetter(
        tenant=raw.tenant, space=raw.space, stage=stage, topic=raw.topic, partition=raw.partition,
        offset=raw.offset, error=error, payload=raw.value, conversation_id=about.conversation_id,
        message_id=about.message_id, parked_at=now,
    )  # fmt: skip


def is_letter_about_a_letter(raw: Raw) -> bool:
    """Whether the record is a letter about a record of ``dead-letters``: parking it too would never end."""
    if raw.topic != "dead-letters":
        return False
    try:
        record = decode("dead-letters", raw.value)
    except BadRecordError:
        return False
    return isinstance(record, DeadLetter) and record.topic == "dead-letters"


class _About(msgspec.Struct, frozen=True, kw_only=True):
    """The message a record is about, as far as its bytes tell."""

    tenant: str | None = None
    space: str | None = None
    conversation_id: str | None = None
    message_id: str | None = None


def _about(value: bytes) -> _About:
    try:
        return msgspec.msgpack.decode(value, type=_About)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # the last: msgspec's guard against nesting
        return _About()


UNSETTLED = 2**64 - 1
"""No revision settles it."""


class Concerned(msgspec.Struct, frozen=True, kw_only=True):
    """The messages that a parked record is about.

    ``posted``: it posts the message, which is accepted by that, whether or not the view could read it.
    ``settled_from``: a set of events of this revision or a higher one that read a message shows that it got through
    after all: it was posted again, or a later revision of its session was distilled.
    """

    conversation_id: str | None
    message_ids: tuple[str, ...]
    settled_from: int
    posted: bool = False


def concerned(letter: DeadLetter) -> Concerned:
    """Whose messages are parked by it.

    A message by its own record; all of a session by the session's; what a set of events was made from by the set. An
    edit is settled by nothing but its redrive: sets that were made without it tell nothing. Bytes that cannot be
    decoded are about what the letter names.
    """
    named = () if letter.message_id is None else (letter.message_id,)
    match _payload(letter):
        case MessagePosted() | MessageRetracted() as record:
            return Concerned(
                conversation_id=letter.conversation_id, message_ids=named, settled_from=0,
                posted=isinstance(record, MessagePosted),
            )  # fmt: skip
        case MessageEdited():
            return Concerned(conversation_id=letter.conversation_id, message_ids=named, settled_from=UNSETTLED)
        case SessionRevised() as session:
            ids = tuple(message.message_id for message in session.messages)
            return Concerned(conversation_id=letter.conversation_id, message_ids=ids, settled_from=session.revision)
        case EventsDistilled() as events:
            return Concerned(
                conversation_id=letter.conversation_id, message_ids=events.read, settled_from=events.revision
            )
        case _:
            return Concerned(conversation_id=letter.conversation_id, message_ids=named, settled_from=0)


def _payload(letter: DeadLetter) -> object:
    """The parked record, when it is one and of the letter's own space."""
    if letter.topic not in TOPICS:
        return None
    try:
        record = decode(letter.topic, letter.payload)
    except BadRecordError:
        return None
    return record if record.key == letter.key else None
