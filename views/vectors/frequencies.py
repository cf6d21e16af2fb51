"""A cache of document frequencies for an index that has one writer, this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from schemas.ids import SpaceKey

from .protocol import Frequencies, PointKind

_TERMS_KEPT = 50_000
"""Per (space, kind), about 5 MB; beyond it the space's counts start afresh."""

_TOTAL = -1
"""Stands for "all points"; term ids are never negative."""

Count = Callable[[SpaceKey, PointKind, int | None], int]
"""Counts the points of a space and kind that hold a term (None: all points)."""


class FrequencyCache:
    """Remembers counts until the space is written to. A count taken before a write is never kept after it."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._counts: dict[tuple[SpaceKey, PointKind], dict[int, int]] = {}
        self._writes: dict[SpaceKey, int] = {}
        self._lock = threading.Lock()

    def written(self, space: SpaceKey) -> None:
        """To be called after each write to the space."""
        with self._lock:
            self._writes[space] = self._writes.get(space, 0) + 1
            self._counts.pop((space, "note"), None)
            self._counts.pop((space, "event"), None)

    def frequencies(self, space: SpaceKey, kind: PointKind, terms: Sequence[int]) -> Frequencies:
        """Counts from the cache where they are known, else from the engine."""
        with self._lock:
            version = self._writes.get(space, 0)
            known = dict(self._counts.get((space, kind), {}))
        asked = [_TOTAL, *terms]
        missing = [term for term in dict.fromkeys(asked) if term not in known]
        if missing:
            counted = {term: self._count(space, kind, None if term == _TOTAL else term) for term in missing}
            known.update(counted)
            with self._lock:
                if self._writes.get(space, 0) == version:
                    kept = self._counts.setdefault((space, kind), {})
                    if len(kept) > _TERMS_KEPT:
                        kept.clear()
                    kept.update(counted)
        return Frequencies(counts=tuple(known[term] for term in terms), total=known[_TOTAL])
