"""Dense vectors of an index that has one writer, this process, in memory once they were asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from schemas.ids import SpaceKey

from .protocol import PointKind

VECTORS_KEPT = 100_000
"""About 150 MB at 384 dimensions; past it all are forgotten, and those in use come back with the next questions."""

Vectors = dict[str, npt.NDArray[np.float32]]
Fetch = Callable[[SpaceKey, PointKind, Sequence[str]], Vectors]


class RememberedVectors:
    """Fetches vectors once. What was fetched before a write to its space is never kept after it.

    Args:
        fetch: stored vectors by ref; unknown ones are left out.
    """

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._kept: dict[tuple[SpaceKey, PointKind], Vectors] = {}
        self._writes: dict[SpaceKey, int] = {}
        self._count = 0
        self._lock = threading.Lock()

    def written(self, space: SpaceKey, kind: PointKind | None = None, refs: Sequence[str] | None = None) -> None:
        """To be called after each write; without a kind and refs: anything of the space may have changed."""
        with self._lock:
            self._writes[space] = self._writes.get(space, 0) + 1
            for each in ("note", "event") if kind is None else (kind,):
                held = self._kept.get((space, each), {})
                for ref in list(held) if refs is None else refs:
                    self._count -= held.pop(ref, None) is not None

    def vectors(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> Vectors:
        """The stored vectors; unknown refs are left out."""
        with self._lock:
            version = self._writes.get(space, 0)
            held = self._kept.get((space, kind), {})
            known = {ref: held[ref] for ref in refs if ref in held}
        missing = [ref for ref in refs if ref not in known]
        if not missing:
            return known
        fetched = self._fetch(space, kind, missing)
        with self._lock:
            if self._writes.get(space, 0) == version:
                if self._count > VECTORS_KEPT:
                    self._kept.clear()
                    self._count = 0
                held = self._kept.setdefault((space, kind), {})
                self._count += len(fetched.keys() - held.keys())
                held.update(fetched)
        return known | fetched
