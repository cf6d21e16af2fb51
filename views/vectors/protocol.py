"""The vector index: notes and events of all tenants, dense and sparse, filtered by tenant and space.

One protocol, three implementations under one contract test: Qdrant's engine in process (``edge``), a Qdrant server
(``server``) and plain memory (``memory``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec

from schemas.erasure_wire import Remains
from schemas.ids import SpaceKey

if TYPE_CHECKING:  # settings name what fuses rankings, and every command reads settings
    import numpy as np
    import numpy.typing as npt

PointKind = Literal["note", "event"]


class SparseVector(msgspec.Struct, frozen=True, kw_only=True):
    """Term ids (sorted, unique) and weights. A dot product of a query's and a point's gives the score."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One note or event. ``ref`` is unique within (space, kind): a message key as JSON, or an event id.

    ``at``: stated time, microseconds UTC; ``conversation_id`` lets a query be scoped.
    """

    ref: str
    kind: PointKind
    conversation_id: str
    at: int
    dense: npt.NDArray[np.float32]
    sparse: SparseVector


class Hit(NamedTuple):
    """A found point: its ref and its score in the ranking it came from (higher is better). Hundreds a question."""

    ref: str
    score: float


class Frequencies(msgspec.Struct, frozen=True, kw_only=True):
    """In how many points of one space and kind each asked term occurs (same order), of ``total`` points."""

    counts: tuple[int, ...]
    total: int


class VectorIndex(Protocol):
    """Upserts are idempotent by (space, kind, ref). Nothing of one space is ever returned to another."""

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None: ...
    def delete(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> None: ...
    def delete_space(self, space: SpaceKey) -> None: ...
    def search_dense(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: npt.NDArray[np.float32],
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        """By cosine, best first; equal scores by ref."""
        ...

    def search_sparse(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: SparseVector,
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        """By dot product of the sparse vectors, best first; equal scores by ref.

        Points without a shared term are left out.
        """
        ...

    def document_frequencies(self, space: SpaceKey, kind: PointKind, terms: Sequence[int]) -> Frequencies:
        """Exact, and of this space alone: what others write never changes a ranking here."""
        ...

    def dense_vectors(
        self, space: SpaceKey, kind: PointKind, refs: Sequence[str]
    ) -> dict[str, npt.NDArray[np.float32]]:
        """Stored dense vectors; unknown refs are left out."""
        ...

    def refs(self, space: SpaceKey, kind: PointKind) -> list[str]:
        """Every ref of the space, sorted."""
        ...

    def flush(self) -> None:
        """Returns when everything upserted or deleted so far survives a kill."""
        ...

    def forget_deleted(self) -> Sequence[Remains]:
        """Returns when no file of ours holds a point that was deleted, or what is left of it where files are not ours.

        Nobody may write meanwhile. Costs by the whole index.
        """
        ...

    def close(self) -> None: ...
