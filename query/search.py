"""The engine's search over the vector index: hybrid ranking, cosines with stored vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemas.ids import SpaceKey
from views.encoder.protocol import Encoder
from views.vectors.asking import dense_query
from views.vectors.protocol import PointKind, VectorIndex
from views.vectors.sparse import query_terms, query_vector

from .ports import Rankings

if TYPE_CHECKING:
    from .ports import Vector


class IndexSearch:
    """``NoteSearch`` over any ``VectorIndex``. The question is encoded once for all searches."""

    def __init__(self, index: VectorIndex, encoder: Encoder) -> None:
        self._index = index
        self._encoder = encoder

    def query_vector(self, question: str, names: Sequence[str]) -> Vector:
        """The question without the participants' names, as a unit vector (why: ``views.vectors.asking``)."""
        return self._encoder.encode([dense_query(question, names)])[0]

    def rankings(
        self,
        space: SpaceKey,
        question: str,
        vector: Vector,
        kind: PointKind,
        depth: int,
        conversations: Sequence[str] | None,
    ) -> Rankings:
        """By the dense and by the sparse vectors."""
        terms = query_terms(question)
        weights = query_vector(terms, self._index.document_frequencies(space, kind, terms))
        dense = self._index.search_dense(space, kind, vector, depth, conversations)
        sparse = self._index.search_sparse(space, kind, weights, depth, conversations)
        return Rankings(dense=dense, sparse=sparse)

    def vectors(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> dict[str, Vector]:
        """As they are stored."""
        return self._index.dense_vectors(space, kind, list(refs))

    def cosines(self, space: SpaceKey, kind: PointKind, refs: Sequence[str], vector: Vector) -> dict[str, float]:
        """Dot products of unit vectors, each by itself: a sum must not depend on what else is asked for."""
        stored = self._index.dense_vectors(space, kind, list(refs))
        return {ref: float(stored[ref] @ vector) for ref in refs if ref in stored}
