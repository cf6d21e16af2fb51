"""The engine's search over the vector index: hybrid ranking, cosines with stored vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemas.ids import SpaceKey
from views.encoder.protocol import Encoder
from views.vectors.hybrid import dense_query, search_notes
from views.vectors.protocol import PointKind, VectorIndex

from .ports import NoteHit

if TYPE_CHECKING:
    from .ports import Vector


class IndexSearch:
    """``NoteSearch`` over any ``VectorIndex``. The question is encoded once for all searches."""

    def __init__(self, index: VectorIndex, encoder: Encoder) -> None:
        self._index = index
        self._encoder = encoder

    def query_vector(self, question: str, names: Sequence[str]) -> Vector:
        """The question without the participants' names, as a unit vector (why: ``views.vectors.hybrid``)."""
        return self._encoder.encode([dense_query(question, names)])[0]

    def search(
        self,
        space: SpaceKey,
        question: str,
        vector: Vector,
        kind: PointKind,
        limit: int,
        conversations: Sequence[str] | None,
    ) -> list[NoteHit]:
        """Dense and sparse, fused by reciprocal rank."""
        hits = search_notes(self._index, vector, question, space, kind, limit, conversations)
        return [NoteHit(ref=hit.ref, score=hit.score, cosine=hit.cosine) for hit in hits]

    def cosines(self, space: SpaceKey, kind: PointKind, refs: Sequence[str], vector: Vector) -> dict[str, float]:
        """Dot products of unit vectors."""
        stored = self._index.dense_vectors(space, kind, list(refs))
        return {ref: float(stored[ref] @ vector) for ref in refs if ref in stored}
