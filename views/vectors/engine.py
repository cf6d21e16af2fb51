"""``VectorIndex`` over an engine of Qdrant's, in process or on a server: all that the two share, which is most of it.

An engine knows points, conditions and vectors. Batches, checks, total orders and the counting of terms are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from schemas.erasure_wire import Remains
from schemas.ids import SpaceKey

from .frequencies import FrequencyCache
from .packed import Packed
from .points import CONVERSATION_FIELD, KIND_FIELD, SPACE_FIELD, TERMS_FIELD, check_points, point_id, space_value
from .protocol import Frequencies, Hit, Point, PointKind, SparseVector
from .ranking import DENSE_DECIMALS, SPARSE_DECIMALS, exact_top
from .remembered import RememberedVectors
from .whole import WholeSpaces

UPSERT_POINTS = 256
"""Points of one request: about 2.5 MB of JSON at 384 dimensions; servers take 32 MB."""

Condition = tuple[str, str | int | Sequence[str]]
"""A payload field, and the value it must have; of a sequence, any."""


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Which points. The space, which names the tenant too, is never left out; None of the others restricts nothing."""

    space: SpaceKey
    kind: PointKind | None = None
    conversations: Sequence[str] | None = None
    term: int | None = None

    def conditions(self) -> list[Condition]:
        """All of them must hold; the space comes first."""
        found: list[Condition] = [(SPACE_FIELD, space_value(self.space))]
        if self.kind is not None:
            found.append((KIND_FIELD, self.kind))
        if self.conversations is not None:
            found.append((CONVERSATION_FIELD, list(self.conversations)))
        if self.term is not None:
            found.append((TERMS_FIELD, self.term))
        return found


class Engine(Protocol):
    """What an engine must do. Writes are visible to whatever is asked after them."""

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        """At most ``UPSERT_POINTS``."""
        ...

    def delete(self, ids: Sequence[str]) -> None: ...
    def delete_where(self, where: Where) -> None: ...
    def search(self, query: npt.NDArray[np.float32] | SparseVector, where: Where, count: int) -> list[Hit]:
        """The ``count`` best by exact score, equal scores in any order; fewer only when there are no more."""
        ...

    def count(self, where: Where) -> int: ...
    def vectors(self, ids: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """Stored dense vectors, by ref."""
        ...

    def refs(self, where: Where) -> Iterable[str]: ...
    def flush(self) -> None: ...
    def forget_deleted(self) -> Sequence[Remains]: ...
    def close(self) -> None: ...


class EngineIndex:
    """Satisfies ``VectorIndex``. As safe to call from several threads as its engine.

    Args:
        engine: does the work.
        dimension: of the dense vectors.
        points: all points as they were written, of an engine that nobody else writes to: small spaces are held whole,
            and of large ones document frequencies and vectors remembered. None where others write too.
    """

    def __init__(
        self, engine: Engine, dimension: int, *, points: Callable[[Where], Iterable[Point]] | None = None
    ) -> None:
        self._engine = engine
        self._dimension = dimension
        self._frequencies = FrequencyCache(self._count) if points else None
        self._remembered = RememberedVectors(self._vectors) if points else None
        self._whole: WholeSpaces | None = None
        if points is not None:
            self._whole = WholeSpaces(
                lambda space, kind: self._count(space, kind, None),
                lambda space, kind: points(Where(space=space, kind=kind)),
            )

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        """See ``VectorIndex``."""
        check_points(points, self._dimension)
        for start in range(0, len(points), UPSERT_POINTS):
            batch = points[start : start + UPSERT_POINTS]
            with self._writing(space, batch):
                self._engine.upsert(space, batch)
            self._written(space)
            for kind in ("note", "event"):
                self._forget(space, kind, [point.ref for point in batch if point.kind == kind])

    def delete(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> None:
        """See ``VectorIndex``."""
        if refs:
            with self._writing(space, gone=[(kind, ref) for ref in refs]):
                self._engine.delete([point_id(space, kind, ref) for ref in refs])
            self._written(space)
            self._forget(space, kind, refs)

    def delete_space(self, space: SpaceKey) -> None:
        """See ``VectorIndex``."""
        with nullcontext() if self._whole is None else self._whole.forgetting(space):
            self._engine.delete_where(Where(space=space))
        self._written(space)
        self._forget(space, None, None)

    def search_dense(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: npt.NDArray[np.float32],
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        """See ``VectorIndex``."""
        small = self._small(space, kind)
        if small is not None:
            return small.search_dense(query, limit, conversations)
        where = Where(space=space, kind=kind, conversations=conversations)
        return exact_top(lambda count: self._engine.search(query, where, count), limit, DENSE_DECIMALS)

    def search_sparse(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: SparseVector,
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        """See ``VectorIndex``."""
        if not query.indices:
            return []
        small = self._small(space, kind)
        if small is not None:
            return small.search_sparse(query, limit, conversations)
        where = Where(space=space, kind=kind, conversations=conversations)
        return exact_top(lambda count: self._engine.search(query, where, count), limit, SPARSE_DECIMALS)

    def document_frequencies(self, space: SpaceKey, kind: PointKind, terms: Sequence[int]) -> Frequencies:
        """See ``VectorIndex``."""
        small = self._small(space, kind)
        if small is not None:
            return small.frequencies(terms)
        if self._frequencies is not None:
            return self._frequencies.frequencies(space, kind, terms)
        counts = tuple(self._count(space, kind, term) for term in terms)
        return Frequencies(counts=counts, total=self._count(space, kind, None))

    def dense_vectors(
        self, space: SpaceKey, kind: PointKind, refs: Sequence[str]
    ) -> dict[str, npt.NDArray[np.float32]]:
        """See ``VectorIndex``."""
        if not refs:
            return {}
        small = self._small(space, kind)
        if small is not None:
            return small.vectors(refs)
        return (
            self._vectors(space, kind, refs)
            if self._remembered is None
            else self._remembered.vectors(space, kind, refs)
        )

    def _writing(
        self, space: SpaceKey, points: Sequence[Point] = (), gone: Sequence[tuple[PointKind, str]] = ()
    ) -> AbstractContextManager[None]:
        return nullcontext() if self._whole is None else self._whole.writing(space, points, gone)

    def _small(self, space: SpaceKey, kind: PointKind) -> Packed | None:
        """The points where they are held whole: the space is small, and nobody else writes to it."""
        return None if self._whole is None else self._whole.of(space, kind)

    def _vectors(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        return self._engine.vectors([point_id(space, kind, ref) for ref in refs])

    def refs(self, space: SpaceKey, kind: PointKind) -> list[str]:
        """See ``VectorIndex``."""
        return sorted(self._engine.refs(Where(space=space, kind=kind)))

    def flush(self) -> None:
        """See ``VectorIndex``."""
        self._engine.flush()

    def forget_deleted(self) -> Sequence[Remains]:
        """See ``VectorIndex``."""
        return self._engine.forget_deleted()

    def close(self) -> None:
        """Nothing else may be called afterwards."""
        self._engine.close()

    def _count(self, space: SpaceKey, kind: PointKind, term: int | None) -> int:
        return self._engine.count(Where(space=space, kind=kind, term=term))

    def _forget(self, space: SpaceKey, kind: PointKind | None, refs: Sequence[str] | None) -> None:
        if self._remembered is not None:
            self._remembered.written(space, kind, refs)

    def _written(self, space: SpaceKey) -> None:
        if self._frequencies is not None:
            self._frequencies.written(space)
