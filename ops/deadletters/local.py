"""Dead letters of the embedded log."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from schemas.codec import BadRecordError, encode
from schemas.dead_letters import DeadLetter, LetterRedriven, RedriveBegun
from schemas.parking import decoded
from schemas.transport import NO_SPACE
from streams.log import Log, LogEntry, partition_of

from .letters import Found, found_at
from .redrive import Chosen, copy_of, done, repaired_copy

_READ_RECORDS = 16
"""At a time: each may have 8 MB."""


class LocalLetters:
    """``redrive.Letters`` of a log; one opened for reading cannot re-drive."""

    def __init__(self, log: Log) -> None:
        self._log = log

    async def all_found(self) -> AsyncGenerator[Found]:
        """See ``Letters``."""
        for partition in range(self._log.partitions):
            offset = 0
            while read := self._log.read("dead-letters", partition, offset, _READ_RECORDS):
                for raw in read:
                    found = _found(raw)
                    if found is not None:
                        yield found
                offset = read[-1].offset + 1

    async def fetch(self, lies_at: tuple[int, int]) -> Found:
        """See ``Letters``."""
        (raw,) = self._log.read("dead-letters", *lies_at, 1)
        found = _found(raw)
        assert found is not None, "listed before"
        return found

    async def redrive(self, chosen: Chosen, repaired: bytes | None, now: int) -> Sequence[LetterRedriven]:
        """See ``Letters``. The record and the note of it are one batch."""
        if repaired is None:
            copy = copy_of(chosen, await self.fetch(chosen.first.lies_at))
        else:
            copy = repaired_copy(chosen, repaired)
        space = copy.space or NO_SPACE
        with self._log.batch(sync=True) as batch:
            offset = batch.append(copy.topic, space, copy.value, now)
            notes = done(chosen, copy, partition_of(space, self._log.partitions), offset, now)
            for note in notes:
                batch.append("dead-letters", note.key, encode(note), now)
        return notes


def _found(raw: LogEntry) -> Found | None:
    try:
        record = decoded(raw).record
    except BadRecordError:
        return None
    assert isinstance(record, DeadLetter | RedriveBegun | LetterRedriven), "what dead-letters holds"
    return found_at(raw.partition, raw.offset, record, [])
