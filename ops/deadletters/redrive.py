"""Which records are appended to their topics again, and as what. Pure. See ADR 0023.

A record is re-driven once, however many stages parked it: all of them read its copy. A copy that is still bad is parked
by a letter of its own, so nothing loops.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol, cast

import msgspec

from schemas.codec import BadRecordError, decode, encode
from schemas.dead_letters import ERASED, DeadLetter, LetterRedriven
from schemas.ids import SpaceKey
from schemas.topics import TOPICS, TopicName
from schemas.transport import Headers, own_of, space_key, space_of

from .letters import Found, Listed, Place, listed_of, without_payload

COPY_OF = "redrive.of"
"""Header of a copy on a broker: the place of the record, and the how-manieth copy it is."""


class CannotRedriveError(ValueError):
    """The bytes cannot be appended again as they are; the message says what to do."""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A record to re-drive: what is known of it from the letters of all stages that parked it."""

    place: Place
    letters: tuple[Listed, ...]

    @property
    def first(self) -> Listed:
        """The letter its bytes are taken from."""
        return self.letters[0]

    @property
    def number(self) -> int:
        """Of the copy, from 1."""
        return len(self.first.redriven) + 1


class Letters(Protocol):
    """The dead letters of a log, and the log's topics."""

    def all_found(self) -> AsyncGenerator[Found]:
        """Every record of the topic that is there now and can be read; the others are parked by the view."""
        ...

    async def fetch(self, lies_at: tuple[int, int]) -> Found:
        """The letter at (partition, offset), with its payload."""
        ...

    async def redrive(self, chosen: Chosen, repaired: bytes | None, now: int) -> Sequence[LetterRedriven]:
        """Append a record to its topic again, and note it.

        Args:
            chosen: see ``choose``.
            repaired: bytes to append instead of its own.
            now: microseconds UTC.

        Raises:
            CannotRedriveError: nothing was written.
        """
        ...


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is left where it is, and why."""

    place: Place
    why: str


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """What is appended. ``headers``: for a broker. ``space``: decides the partition; None keeps the record's own."""

    topic: TopicName
    space: SpaceKey | None
    key: bytes | None
    value: bytes
    headers: Headers
    repaired: bool


async def listed_in(letters: Letters) -> Sequence[Listed]:
    """See ``letters.listed_of``."""
    return listed_of([without_payload(found) async for found in letters.all_found()])


def choose(listed: Sequence[Listed], wanted: Sequence[Listed], *, again: bool) -> tuple[list[Chosen], list[Left]]:
    """Group the wanted letters by their record.

    Args:
        listed: all letters.
        wanted: those that were asked for.
        again: also what was re-driven before.
    """
    chosen: list[Chosen] = []
    left: list[Left] = []
    for place in dict.fromkeys(one.place for one in wanted):
        letters = tuple(one for one in listed if one.place == place)
        done = letters[0].redriven
        if place[0] not in TOPICS:
            left.append(Left(place=place, why="its topic is none of ours"))
        elif done and not again:
            last = done[-1]
            left.append(Left(place=place, why=f"re-driven already, as {last.to_partition}/{last.to_offset}; --again"))
        else:
            chosen.append(Chosen(place=place, letters=letters))
    return chosen, left


def copy_of(chosen: Chosen, found: Found) -> Copy:
    """The untouched bytes, under the record's own key and headers.

    Raises:
        CannotRedriveError: the letter does not hold the bytes.
    """
    letter = found.record
    assert isinstance(letter, DeadLetter), "fetched where a letter lies"
    if not letter.payload and letter.error == ERASED:
        raise CannotRedriveError("what it held was erased, and nothing of it is left; post it anew if it may be kept")
    if letter.left_bytes:
        raise CannotRedriveError(
            f"its {letter.left_bytes} bytes are more than a record may have; give smaller ones with --from FILE"
        )
    key, headers = own_of(found.headers)
    if not found.headers:
        key = None if letter.key == ("", "") else space_key(letter.key)
    space = space_of(key)
    return Copy(
        topic=cast(TopicName, letter.topic),
        space=space if space.tenant else None,
        key=key,
        value=letter.payload,
        headers=_named(headers, chosen),
        repaired=False,
    )


def repaired_copy(chosen: Chosen, value: bytes) -> Copy:
    """A record in the place of the parked one: MessagePack, or the same as JSON.

    Raises:
        CannotRedriveError: it is no record of the topic either.
    """
    topic = cast(TopicName, chosen.place[0])
    try:
        record = decode(topic, value if not value.lstrip().startswith(b"{") else _from_json(topic, value))
    except (BadRecordError, msgspec.DecodeError) as error:
        raise CannotRedriveError(f"what was given is no record of {topic} either: {error}") from error
    return Copy(
        topic=topic,
        space=record.key,
        key=space_key(record.key),
        value=encode(record),
        headers=_named([], chosen),
        repaired=True,
    )


def _from_json(topic: TopicName, value: bytes) -> bytes:
    return msgspec.msgpack.encode(msgspec.json.decode(value, type=TOPICS[topic].records))


def _named(headers: Headers, chosen: Chosen) -> Headers:
    """With the name of the copy, by which one that was written before a crash is found again."""
    return [*(header for header in headers if header[0] != COPY_OF), (COPY_OF, copy_name(chosen))]


def copy_name(chosen: Chosen) -> bytes:
    """Of the copy that is made next."""
    topic, partition, offset = chosen.place
    return f"{topic}/{partition}/{offset}#{chosen.number}".encode()


def done(chosen: Chosen, copy: Copy, to_partition: int, to_offset: int, now: int) -> Sequence[LetterRedriven]:
    """What is noted of it, once for every space whose letters name it. ``now``: microseconds UTC."""
    topic, partition, offset = chosen.place
    return [
        LetterRedriven(
            tenant=space.tenant, space=space.space, topic=topic, partition=partition, offset=offset,
            to_partition=to_partition, to_offset=to_offset, repaired=copy.repaired, at=now,
        )
        for space in dict.fromkeys(one.letter.key for one in chosen.letters)
    ]  # fmt: skip
