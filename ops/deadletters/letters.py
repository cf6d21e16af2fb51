"""Dead letters as an operator sees them: each once, with what became of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from schemas.dead_letters import DeadLetter, DeadLetterRecord, LetterRedriven, RedriveBegun
from schemas.ids import SpaceKey
from schemas.transport import Headers, own_of

Place = tuple[str, int, int]
"""Topic, partition and offset of a parked record."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A record of ``dead-letters`` and where it lies. ``headers``: its own, on a broker; none in a local log.
    ``size``: bytes of the record it parks."""

    partition: int
    offset: int
    record: DeadLetterRecord
    headers: Headers
    size: int


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A record one stage has parked.

    Attributes:
        letter: without its payload: there may be many, and large ones. ``fetch`` it by ``lies_at``.
        size: bytes of the parked record.
        key: the parked record's own key on the broker.
        lies_at: partition and offset of the letter in ``dead-letters``.
        times: how often it lies there; a crash can leave it twice.
        redriven: when its record was appended again, and where to, in the order of the log.
        begun: a redrive that was begun, and not said to be done.
    """

    letter: DeadLetter
    size: int
    key: bytes | None
    lies_at: tuple[int, int]
    times: int
    redriven: tuple[LetterRedriven, ...]
    begun: RedriveBegun | None

    @property
    def id(self) -> str:
        """Names it on the command line."""
        letter = self.letter
        return f"{letter.stage}:{letter.topic}/{letter.partition}/{letter.offset}"

    @property
    def place(self) -> Place:
        """Where its record was."""
        return place_of(self.letter)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which letters: all that fit everything that is given. ``ids``: as ``Listed.id``, or without the stage."""

    ids: frozenset[str] = frozenset()
    space: SpaceKey | None = None
    stage: str | None = None
    topic: str | None = None

    def fits(self, listed: Listed) -> bool:
        """Whether it is one of them."""
        return (
            (not self.ids or bool({listed.id, listed.id.partition(":")[2]} & self.ids))
            and self.space in {None, listed.letter.key}
            and self.stage in {None, listed.letter.stage}
            and self.topic in {None, listed.letter.topic}
        )


def place_of(record: DeadLetterRecord) -> Place:
    """The parked record it is about."""
    return record.topic, record.partition, record.offset


def listed_of(found: Iterable[Found]) -> Sequence[Listed]:
    """Every parked record once, the first parked first; equal times by place and stage.

    Args:
        found: all records of the topic, each partition's in order.
    """
    letters: dict[tuple[str, Place], Listed] = {}
    redriven: dict[Place, list[LetterRedriven]] = {}
    begun: dict[Place, RedriveBegun] = {}
    for one in found:
        match one.record:
            case DeadLetter() as letter:
                known = letters.get((letter.stage, place_of(letter)))
                letters[letter.stage, place_of(letter)] = _listed(one, letter) if known is None else _again(known)
            case RedriveBegun() as record:
                begun[place_of(record)] = record
            case LetterRedriven() as record:
                redriven.setdefault(place_of(record), []).append(record)
                begun.pop(place_of(record), None)
    told = [
        msgspec.structs.replace(one, redriven=tuple(redriven.get(one.place, ())), begun=begun.get(one.place))
        for one in letters.values()
    ]
    return sorted(told, key=lambda one: (one.letter.parked_at, one.place, one.letter.stage))


def found_at(partition: int, offset: int, record: DeadLetterRecord, headers: Headers) -> Found:
    """A record as it was read."""
    size = (record.left_bytes or len(record.payload)) if isinstance(record, DeadLetter) else 0
    return Found(partition=partition, offset=offset, record=record, headers=headers, size=size)


def without_payload(found: Found) -> Found:
    """For a list: there may be many letters, and large ones."""
    if not isinstance(found.record, DeadLetter):
        return found
    return msgspec.structs.replace(found, record=msgspec.structs.replace(found.record, payload=b""))


def _listed(found: Found, letter: DeadLetter) -> Listed:
    return Listed(
        letter=letter,
        size=found.size,
        key=own_of(found.headers)[0],
        lies_at=(found.partition, found.offset),
        times=1,
        redriven=(),
        begun=None,
    )


def _again(known: Listed) -> Listed:
    return msgspec.structs.replace(known, times=known.times + 1)
