"""Points held as arrays are ranked as the total order says: rounded, best first, equal ones by ref."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from views.vectors.packed import Packed
from views.vectors.protocol import Hit, Point, SparseVector
from views.vectors.ranking import DENSE_DECIMALS, SPARSE_DECIMALS, ordered

STEPS = st.one_of(
    st.integers(-2_000_000, 2_000_000).map(lambda n: n / 2e6),  # on steps, and in the middle between two
    st.floats(-1.0, 1.0),
)
DUST = st.sampled_from([0.0, 1e-13, -1e-13, 3e-10, -3e-10])


def point(number: int, dense: list[float], weight: float) -> Point:
    """A point with two dimensions and one term."""
    return Point(
        ref=f"n{number:03d}", kind="note", conversation_id="c", at=0, dense=np.array(dense, dtype=np.float32),
        sparse=SparseVector(indices=(7,), values=(weight,)),
    )  # fmt: skip


@given(st.lists(st.tuples(STEPS, DUST, st.floats(0.0, 90.0, width=32)), max_size=40), st.integers(0, 45))
def test_scores_are_rounded_and_ranked_as_one_by_one(parts: list[tuple[float, float, float]], limit: int) -> None:
    points = [point(number, [big, small], weight) for number, (big, small, weight) in enumerate(parts)]
    packed = Packed(reversed(points))
    dense = [Hit(p.ref, float(p.dense[0]) + float(p.dense[1])) for p in points]
    found = packed.search_dense(np.ones(2, dtype=np.float32), limit, None)
    assert found == ordered(dense, DENSE_DECIMALS)[:limit]
    sparse = [Hit(p.ref, 0.5 * p.sparse.values[0]) for p in points]
    found = packed.search_sparse(SparseVector(indices=(7,), values=(0.5,)), limit, None)
    assert found == ordered(sparse, SPARSE_DECIMALS)[:limit]
