"""Up to where a replica has applied the messages of a partition, parked ones passed over."""

from __future__ import annotations

import msgspec

from schemas.dead_letters import DeadLetter
from views.maintain import Maintainer

_PLACE = msgspec.msgpack.Decoder(tuple[str, int, int])


class Coverage:
    """Knows the parked records of ``messages``: no set of events will ever claim them.

    Args:
        maintainer: the view; what it holds now is read once.
    """

    def __init__(self, maintainer: Maintainer) -> None:
        self._maintainer = maintainer
        self._parked = {
            (partition, offset)
            for key, _ in maintainer.parked.scan(b"")
            for topic, partition, offset in [_PLACE.decode(_without_space(key))]
            if topic == "messages"
        }

    def note(self, letter: DeadLetter) -> None:
        """One more was parked."""
        if letter.topic == "messages":
            self._parked.add((letter.partition, letter.offset))

    def covers(self, partition: int) -> int:
        """All messages of the partition below this offset are distilled and linked, or parked."""
        covers = min(self._maintainer.covers(partition), self._maintainer.position("messages", partition))
        while (partition, covers) in self._parked:
            covers += 1
        return covers


def _without_space(key: bytes) -> bytes:
    """Inside a space (``views.state.space_prefix``)."""
    return key[2 + int.from_bytes(key[:2], "big") :]
