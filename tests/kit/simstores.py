"""Stores that die at chosen moments. What was committed (or flushed) survives; nothing else does.

In memory, and (the log and the view) as RocksDB files, which a new process opens anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import Random
from typing import Literal, get_args

from schemas.ids import SpaceKey
from streams.log import Log
from streams.log.database import Database
from streams.log.memory import MemoryLog
from streams.log.protocol import Batch
from streams.log.rocks import RocksLog
from views.store import RocksTables
from views.tables import TABLES, MemoryTables, Tables, Write
from views.told import NOTE
from views.vectors.memory import MemoryIndex
from views.vectors.protocol import Point, PointKind

Place = Literal[
    "before the log's commit",
    "after the log's commit",
    "before the view's commit",
    "between the deltas and the view's commit",
    "after the view's commit",
    "after vectors were written",
    "after the index's flush",
]
PLACES: tuple[Place, ...] = get_args(Place)


class Crash(BaseException):
    """The process is gone. No handler of the code under test may catch it."""


class Fate:
    """Decides at every durable step whether the process dies there. ``deaths`` counts where it did."""

    def __init__(self, rng: Random, *, chance: float, most: int) -> None:
        self._rng = rng
        self._chance = chance
        self._left = most
        self.deaths: Counter[Place] = Counter()

    def at(self, place: Place) -> None:
        """Dies here, perhaps."""
        if self._left > 0 and self._rng.random() < self._chance:
            self._left -= 1
            self.deaths[place] += 1
            raise Crash(place)


@contextmanager
def dying(fate: Fate, batch: AbstractContextManager[Batch]) -> Generator[Batch]:
    """A batch of a log whose process may die just before it is committed, or just after."""
    with batch as made:
        yield made
        fate.at("before the log's commit")
    fate.at("after the log's commit")


class MortalLog(MemoryLog):
    """A log in memory, of a process that may die at a commit."""

    def __init__(self, fate: Fate, partitions: int) -> None:
        super().__init__(partitions)
        self._fate = fate

    def batch(self, *, sync: bool = False) -> AbstractContextManager[Batch]:
        """See ``Log.batch``."""
        return dying(self._fate, super().batch(sync=sync))


class MortalRocksLog(RocksLog):
    """The same in a directory."""

    def __init__(self, fate: Fate, partitions: int, directory: Path) -> None:
        super().__init__(directory, partitions=partitions)
        self._fate = fate

    def batch(self, *, sync: bool = False) -> AbstractContextManager[Batch]:
        """See ``Log.batch``."""
        return dying(self._fate, super().batch(sync=sync))


class _Commits:
    """Where a view's process may die around its commits. A batch that has deltas is noted, told, then committed."""

    def __init__(self, fate: Fate) -> None:
        self._fate = fate
        self._told = False

    @contextmanager
    def around(self, writes: Sequence[Write]) -> Generator[None]:
        """Around one commit."""
        self._fate.at("between the deltas and the view's commit" if self._told else "before the view's commit")
        yield
        self._told = [(table, key) for table, key, _ in writes] == [("positions", NOTE)]
        self._fate.at("after the view's commit")


class MortalTables(MemoryTables):
    """The view's tables, of a process that may die at a commit."""

    def __init__(self, fate: Fate) -> None:
        super().__init__()
        self._commits = _Commits(fate)

    def commit(self, writes: Iterable[Write]) -> None:
        """See ``Tables.commit``."""
        listed = list(writes)
        with self._commits.around(listed):
            super().commit(listed)

    def erase(self) -> None:
        """As if its folder had been deleted."""
        super().commit(_everything(self))


class MortalRocksTables(RocksTables):
    """The same in a directory."""

    def __init__(self, fate: Fate, directory: Path) -> None:
        super().__init__(Database(directory, families=TABLES, read_only=False))
        self._commits = _Commits(fate)

    def commit(self, writes: Iterable[Write]) -> None:
        """See ``Tables.commit``."""
        listed = list(writes)
        with self._commits.around(listed):
            super().commit(listed)

    def erase(self) -> None:
        """As if its folder had been deleted."""
        super().commit(_everything(self))


def _everything(tables: Tables) -> list[Write]:
    return [(table, key, None) for table in TABLES for key, _ in tables.scan(table, b"")]


class MemoryStores:
    """Log and view in memory: a new process finds the very same."""

    def __init__(self, fate: Fate, partitions: int) -> None:
        self.log: Log = MortalLog(fate, partitions)
        self.tables: MortalTables | MortalRocksTables = MortalTables(fate)

    def reopen(self) -> None:
        """What was committed is there."""

    def close(self) -> None:
        """Nothing to release."""


class RocksStores:
    """Log and view in files, which a new process opens anew."""

    def __init__(self, fate: Fate, partitions: int, directory: Path) -> None:
        self._fate = fate
        self._partitions = partitions
        self._directory = directory
        self._open()

    def _open(self) -> None:
        self.log: Log = MortalRocksLog(self._fate, self._partitions, self._directory / "log")
        self.tables: MortalTables | MortalRocksTables = MortalRocksTables(self._fate, self._directory / "view")

    def reopen(self) -> None:
        """As a new process finds it."""
        self.close()
        self._open()

    def close(self) -> None:
        """Let go of the directory."""
        self.tables.close()
        self.log.close()


class MortalIndex(MemoryIndex):
    """An index that loses what was not flushed, or only the end of it."""

    def __init__(self, dimension: int, fate: Fate, rng: Random) -> None:
        super().__init__(dimension)
        self._fate = fate
        self._rng = rng
        self._kept: list[_Change] = []
        self._pending: list[_Change] = []

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        """See ``VectorIndex``."""
        self._pending.append((space, None, points))
        super().upsert(space, points)
        self._fate.at("after vectors were written")

    def delete(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> None:
        """See ``VectorIndex``."""
        self._pending.append((space, kind, refs))
        super().delete(space, kind, refs)

    def flush(self) -> None:
        """See ``VectorIndex``."""
        self._kept += self._pending
        self._pending.clear()
        self._fate.at("after the index's flush")

    def reopen(self) -> None:
        """As a new process finds it."""
        survived = self._rng.randint(0, len(self._pending))
        self._kept += self._pending[:survived]
        self._pending.clear()
        self.close()
        for space, kind, what in self._kept:
            if kind is None:
                super().upsert(space, [point for point in what if isinstance(point, Point)])
            else:
                super().delete(space, kind, [ref for ref in what if isinstance(ref, str)])

    def erase(self) -> None:
        """As if its folder had been deleted."""
        self._kept.clear()
        self._pending.clear()
        self.close()


_Change = tuple[SpaceKey, PointKind | None, Sequence[Point] | Sequence[str]]
