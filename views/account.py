"""Where the accepted messages of a space are: source of an event, read and yielded none, waiting, parked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from schemas.ids import MessageKey

from .parked import Parked
from .reader import MessageAccount
from .space import Space

Where = Literal["source", "read", "waiting"]


def where(space: Space, key: MessageKey) -> Where | None:
    """The place of a message, parked records left aside. A retracted one was read and yields none."""
    text = space.messages.get(key)
    if text is None:
        return None
    if text.retracted:
        return "read"
    if key in space.rest_on and any(name[0] == "e" for name in space.rest_on[key]):
        return "source"
    return "read" if key in space.read_by else "waiting"


class Tally(msgspec.Struct):
    """How many messages are where, kept up to date message by message."""

    source: int = 0
    read: int = 0

    def moved(self, before: Where | None, after: Where | None) -> None:
        """A message is somewhere else now."""
        self.source += (after == "source") - (before == "source")
        self.read += (after == "read") - (before == "read")


def account(space: Space, tally: Tally, letters: Iterable[Parked], unread: frozenset[MessageKey]) -> MessageAccount:
    """The account; the four places add up to what is accepted. A message of a re-driven record waits, as its copy does.

    Args:
        space: the messages.
        tally: of its messages, by ``where``.
        letters: parked records that were not re-driven.
        unread: see ``unread_of``.
    """
    parked = {key for letter in letters for key in named(letter) if _is_parked(space, key, letter)}
    source = tally.source - sum(where(space, key) == "source" for key in parked)
    read = tally.read - sum(where(space, key) == "read" for key in parked)
    texts = len(space.messages)
    return MessageAccount(
        accepted=texts + len(unread),
        source_of_event=source,
        read_yielded_none=read,
        waiting=texts - source - read - len(parked),
        parked=len(parked) + len(unread),
        statements_left_out=sum(reading.left_out for reading in space.readings.values()),
    )


def named(letter: Parked) -> Iterator[MessageKey]:
    """The messages a letter is about."""
    return (MessageKey(letter.conversation_id or "", name) for name in letter.message_ids)


def _is_parked(space: Space, key: MessageKey, letter: Parked) -> bool:
    """Whether a message still waits for a record that was parked: no set has read it since."""
    text = space.messages.get(key)
    if text is None or text.retracted:
        return False
    revision = max((space.readings[name].revision for name in space.read_by.get(key, ())), default=-1)
    return revision < letter.settled_from
