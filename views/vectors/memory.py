"""The vector index in plain memory: exact, small, and what the other two are compared with."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schemas.erasure_wire import Remains
from schemas.ids import SpaceKey

from .points import check_points
from .protocol import Frequencies, Hit, Point, PointKind, SparseVector
from .ranking import DENSE_DECIMALS, SPARSE_DECIMALS, ordered


class MemoryIndex:
    """Satisfies ``VectorIndex``. Every search looks at every point of its space."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._points: dict[tuple[SpaceKey, PointKind], dict[str, Point]] = {}
        self._lock = threading.Lock()

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        check_points(points, self._dimension)
        with self._lock:
            for point in points:
                self._points.setdefault((space, point.kind), {})[point.ref] = point

    def delete(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> None:
        with self._lock:
            held = self._points.get((space, kind), {})
            for ref in refs:
                held.pop(ref, None)

    def delete_space(self, space: SpaceKey) -> None:
        with self._lock:
            self._points.pop((space, "note"), None)
            self._points.pop((space, "event"), None)

    def search_dense(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: npt.NDArray[np.float32],
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        points = self._select(space, kind, conversations)
        hits = [Hit(ref=point.ref, score=float(point.dense @ query)) for point in points]
        return ordered(hits, DENSE_DECIMALS)[: max(limit, 0)]

    def search_sparse(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: SparseVector,
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        weights = dict(zip(query.indices, query.values, strict=True))
        hits: list[Hit] = []
        for point in self._select(space, kind, conversations):
            pairs = zip(point.sparse.indices, point.sparse.values, strict=True)
            shared = [weights[term] * value for term, value in pairs if term in weights]
            if shared:
                hits.append(Hit(ref=point.ref, score=sum(shared)))
        return ordered(hits, SPARSE_DECIMALS)[: max(limit, 0)]

    def document_frequencies(self, space: SpaceKey, kind: PointKind, terms: Sequence[int]) -> Frequencies:
        held = [frozenset(point.sparse.indices) for point in self._select(space, kind, None)]
        counts = tuple(sum(term in present for present in held) for term in terms)
        return Frequencies(counts=counts, total=len(held))

    def dense_vectors(
        self, space: SpaceKey, kind: PointKind, refs: Sequence[str]
    ) -> dict[str, npt.NDArray[np.float32]]:
        with self._lock:
            held = self._points.get((space, kind), {})
            return {ref: held[ref].dense for ref in refs if ref in held}

    def refs(self, space: SpaceKey, kind: PointKind) -> list[str]:
        with self._lock:
            return sorted(self._points.get((space, kind), {}))

    def flush(self) -> None:
        """Memory survives no kill; there is nothing to wait for."""

    def forget_deleted(self) -> Sequence[Remains]:
        """There is no file."""
        return ()

    def close(self) -> None:
        with self._lock:
            self._points.clear()

    def _select(self, space: SpaceKey, kind: PointKind, conversations: Sequence[str] | None) -> list[Point]:
        with self._lock:
            points = list(self._points.get((space, kind), {}).values())
        if conversations is None:
            return points
        wanted = frozenset(conversations)
        return [point for point in points if point.conversation_id in wanted]
