"""All points of one space and kind as arrays: a search that looks at every one of them, in a fraction of a millisecond.

Sums are made in double precision, so that rounding (``ranking``) leaves nothing of the order they are made in: the
same points give the same scores whoever holds them, and in whatever order they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .protocol import Frequencies, Hit, Point, SparseVector
from .ranking import DENSE_DECIMALS, SPARSE_DECIMALS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Packed:
    """Points, sorted by ref. Never changed once it is made."""

    def __init__(self, points: Iterable[Point]) -> None:
        held = sorted(points, key=lambda point: point.ref)
        self.refs = [point.ref for point in held]
        self._rows = {ref: row for row, ref in enumerate(self.refs)}
        self._dense = np.stack([point.dense for point in held]) if held else np.empty((0, 0), dtype=np.float32)
        self._wide = self._dense.astype(np.float64)
        conversations: dict[str, int] = {}
        numbers = [conversations.setdefault(point.conversation_id, len(conversations)) for point in held]
        self._conversations = conversations
        self._conversation = np.array(numbers, dtype=np.int64)
        self._postings = _postings([point.sparse for point in held])

    def search_dense(
        self, query: npt.NDArray[np.float32], limit: int, conversations: Sequence[str] | None
    ) -> list[Hit]:
        """See ``VectorIndex``."""
        if not self.refs:
            return []
        scores = self._wide @ query.astype(np.float64)
        return self._best(scores, self._inside(np.arange(len(scores)), conversations), limit, DENSE_DECIMALS)

    def search_sparse(self, query: SparseVector, limit: int, conversations: Sequence[str] | None) -> list[Hit]:
        """See ``VectorIndex``."""
        scores = np.zeros(len(self.refs))
        is_found = np.zeros(len(self.refs), dtype=bool)
        for term, weight in zip(query.indices, query.values, strict=True):
            rows, values = self._postings.get(term, _NOWHERE)
            scores[rows] += weight * values
            is_found[rows] = True
        return self._best(scores, self._inside(np.flatnonzero(is_found), conversations), limit, SPARSE_DECIMALS)

    def frequencies(self, terms: Sequence[int]) -> Frequencies:
        """See ``VectorIndex.document_frequencies``."""
        counts = tuple(len(self._postings.get(term, _NOWHERE)[0]) for term in terms)
        return Frequencies(counts=counts, total=len(self.refs))

    def vectors(self, refs: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """See ``VectorIndex.dense_vectors``."""
        return {ref: self._dense[self._rows[ref]] for ref in refs if ref in self._rows}

    def _inside(self, rows: Ints, conversations: Sequence[str] | None) -> Ints:
        if conversations is None:
            return rows
        wanted = [number for name in conversations if (number := self._conversations.get(name)) is not None]
        return rows[np.isin(self._conversation[rows], wanted)]

    def _best(self, scores: Floats, rows: Ints, limit: int, decimals: int) -> list[Hit]:
        """The first of the total order: whatever rounding might bring among them is rounded."""
        if limit <= 0:
            return []
        own = scores[rows]
        if len(rows) > limit:
            least = np.partition(own, -limit)[-limit] - 10.0**-decimals
            near = np.flatnonzero(own >= least)
            rows, own = rows[near], own[near]
        own = _rounded(own, decimals)
        best = np.argsort(-own, kind="stable")[:limit]  # rows are in the order of refs
        refs = self.refs
        return list(map(Hit, [refs[row] for row in rows[best].tolist()], own[best].tolist()))


def _rounded(scores: Floats, decimals: int) -> Floats:
    """As ``round`` does it, to the bit: what lies too near the middle of two steps to be told by a product is its."""
    steps = scores * 10.0**decimals
    rounded = np.rint(steps)
    made = rounded / 10.0**decimals
    for row in np.flatnonzero(np.abs(np.abs(steps - rounded) - 0.5) < _UNSURE).tolist():
        made[row] = round(float(scores[row]), decimals)
    return made


_UNSURE = 1e-4
"""Of a step. A product of a score below 10,000 errs by far less."""

_NOWHERE: tuple[Ints, Floats] = (np.empty(0, dtype=np.int64), np.empty(0))


def _postings(vectors: Sequence[SparseVector]) -> Mapping[int, tuple[Ints, Floats]]:
    """For each term the rows that hold it, and its weights there: in single precision, as engines store them."""
    counts = [len(vector.indices) for vector in vectors]
    terms = np.array([term for vector in vectors for term in vector.indices], dtype=np.int64)
    values = np.array([value for vector in vectors for value in vector.values], dtype=np.float32).astype(np.float64)
    rows = np.repeat(np.arange(len(vectors)), counts)
    order = np.argsort(terms, kind="stable")
    found, begins = np.unique(terms[order], return_index=True)
    ends = [*begins.tolist(), len(terms)][1:]
    slices = zip(found.tolist(), begins.tolist(), ends, strict=True)
    return {term: (rows[order[begin:end]], values[order[begin:end]]) for term, begin, end in slices}
