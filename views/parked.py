"""Records that a stage could not use, as the view knows them: which messages they are about, and whether they were
re-driven."""

from __future__ import annotations

import msgspec

from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.parking import concerned

from .held import space_prefix


class Parked(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A record that some stage parked, by its place, and the messages it is about (``schemas.parking.Concerned``).

    ``posted``: it posts one, at ``offset`` of ``messages`` in ``partition``.
    ``redriven``: its bytes were appended again since; whatever came of it is told of the copy's place.
    """

    stage: str = ""
    conversation_id: str | None = None
    message_ids: tuple[str, ...] = ()
    settled_from: int = 0
    error: str = ""
    redriven: bool = False
    posted: bool = False
    partition: int = 0
    offset: int = 0


def parked(letter: DeadLetter, known: Parked) -> Parked:
    """The cell of a place with one more letter of it: several stages can park one record, in any order."""
    about = concerned(letter)
    found = Parked(
        stage=letter.stage,
        conversation_id=about.conversation_id,
        message_ids=about.message_ids,
        settled_from=about.settled_from,
        error=letter.error,
        redriven=known.redriven,
        posted=about.posted,
        partition=letter.partition,
        offset=letter.offset,
    )
    return found if known.stage in {"", letter.stage} or letter.stage < known.stage else known


def parked_key(space: SpaceKey, topic: str, partition: int, offset: int) -> bytes:
    """Of a record's place in a space."""
    return space_prefix(space) + msgspec.msgpack.encode((topic, partition, offset))
