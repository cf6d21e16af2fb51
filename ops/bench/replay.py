"""The raw limit: the reads and writes of a run, done again with nothing around them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import msgspec

from streams.log.database import Change, Database


class Traffic(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch read and wrote, in order."""

    reads: Sequence[tuple[str, bytes]]
    writes: Sequence[Change]


class Recorder:
    """``views.store.Families`` that notes what goes through while it is on."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.on = False
        self._traffic: list[Traffic] = []
        self._reads: list[tuple[str, bytes]] = []

    def take(self) -> list[Traffic]:
        """What was noted so far; it is forgotten here."""
        taken, self._traffic = self._traffic, []
        return taken

    def get(self, family: str, key: bytes) -> bytes | None:
        """See ``Families``."""
        if self.on:
            self._reads.append((family, key))
        return self._database.get(family, key)

    def scan(self, family: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """See ``Families``."""
        return self._database.scan(family, start, stop, reverse=reverse)

    def write(self, changes: list[Change], *, sync: bool) -> None:
        """See ``Families``."""
        if self.on:
            self._traffic.append(Traffic(reads=self._reads, writes=changes))
            self._reads = []
        self._database.write(changes, sync=sync)

    def flush(self) -> None:
        """See ``Families``."""
        self._database.flush()

    def close(self) -> None:
        """See ``Families``."""
        self._database.close()


def replay(database: Database, traffic: Sequence[Traffic]) -> list[float]:
    """Do it all again, batch by batch with one sync each; returns the CPU seconds of each batch.

    The database should be opened anew: then what was read is not in its cache, as it was not before.
    """
    spent: list[float] = []
    for batch in traffic:
        begun = time.thread_time()
        for family, key in batch.reads:
            database.get(family, key)
        database.write(list(batch.writes), sync=False)
        database.flush()
        spent.append(time.thread_time() - begun)
    return spent
