"""What an index holds, comparable; and an index that is away, or refuses points, when it is told to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schemas.ids import SpaceKey
from views.vectors.memory import MemoryIndex
from views.vectors.points import IndexAwayError, PointsRefusedError, payload
from views.vectors.protocol import Point, PointKind

Held = dict[tuple[SpaceKey, PointKind, str], tuple[object, ...]]
"""By space, kind and ref: payload, dense bytes, sparse weights."""


def held_by(index: MemoryIndex) -> Held:
    """Every point with all that is stored of it."""
    return {
        (space, kind, ref): (payload(space, point), point.dense.tobytes(), point.sparse.values)
        for (space, kind), points in index._points.items()
        for ref, point in points.items()
    }


class FickleIndex(MemoryIndex):
    """Asks ``fate`` before each write, and again after it; that may raise. Refuses what ``refuses`` names.

    ``late``: writes that were given up before they were done, and may yet arrive.
    """

    def __init__(self, dimension: int, fate: Callable[[], None] = lambda: None) -> None:
        super().__init__(dimension)
        self._fate = fate
        self.away = False
        self.refuses: set[str] = set()
        self.writes = 0
        self.late: list[Callable[[], None]] = []

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        """See ``VectorIndex``."""
        self._write(lambda: MemoryIndex.upsert(self, space, points), [p.ref for p in points])

    def delete(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> None:
        """See ``VectorIndex``."""
        if refs:
            self._write(lambda: MemoryIndex.delete(self, space, kind, refs), ())

    def _write(self, write: Callable[[], None], refs: Sequence[str]) -> None:
        self.writes += 1
        try:
            self._fate()
        except IndexAwayError:
            self.late.append(write)
            raise
        if self.away:
            raise IndexAwayError("told to be away")
        if not self.refuses.isdisjoint(refs):
            raise PointsRefusedError("told to refuse")
        write()
        self._fate()
