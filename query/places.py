"""For questions about the present or a change: places of their own for what the asked person states, by meaning alone.

Several signs added up favour talk in which everything fits: the words of the question, its neighbours, its run. What a
thing has become is told elsewhere and in other words, and only its meaning is close: "the pup chewed my slippers" on
"did she get a dog after all?". Such a note is among the best thirty by meaning of those in which that person states
anything, and beyond the two hundredth by all signs together. So after the first notes the two orders take turns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_NONE = np.iinfo(np.int64).max // 2


def own_by_meaning(cosines: Floats, said_by: Flags, states: Flags, order: Ints) -> Ints:
    """Positions of notes in the order of meaning alone, equal ones as in ``order``.

    Args:
        cosines: by position; NaN where a note was not found by meaning.
        said_by: whether somebody the question names says it; where nobody does, all count.
        states: whether it states anything.
        order: all positions, best first by all signs.
    """
    counts = states & ~np.isnan(cosines)
    if said_by.any():
        counts &= said_by
    chosen = order[counts[order]]
    return chosen[np.argsort(-cosines[chosen], kind="stable")]


def taking_turns(order: Ints, own: Ints, begin: int) -> Ints:
    """``order`` with places for ``own``: the place of a note is the better of its own in ``order`` and that of
    ``begin`` + its place in ``own``; of two with one place the one that has it in ``order`` comes first.

    The first ``begin`` stay as they are, and nothing is lost.
    """
    by_all = np.empty(len(order), dtype=np.int64)
    by_all[order] = np.arange(len(order))
    by_own = np.full(len(order), _NONE)
    by_own[own] = begin + np.arange(len(own))
    return order[np.lexsort((by_all[order], np.minimum(by_all, by_own)[order]))]
