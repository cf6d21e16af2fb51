"""A total order on top of engines that leave equal scores in any order."""

from __future__ import annotations

from collections.abc import Callable

from .protocol import Hit

DENSE_DECIMALS = 6
"""A cosine summed in float32 is good to about 1e-7, and engines sum in different orders."""

SPARSE_DECIMALS = 4
"""Sparse scores reach some tens, where float32 steps are about 4e-6."""

RRF_K = 60
"""Of the paper that introduced reciprocal rank fusion; damps the first ranks so that one ranking cannot rule alone."""

_MARGIN = 8


def ordered(hits: list[Hit], decimals: int) -> list[Hit]:
    """Best first, equal scores by ref. Scores are rounded first, so that the noise of one engine is not an order."""
    rounded = [Hit(ref=hit.ref, score=round(hit.score, decimals)) for hit in hits]
    return sorted(rounded, key=lambda hit: (-hit.score, hit.ref))


def exact_top(fetch: Callable[[int], list[Hit]], limit: int, decimals: int) -> list[Hit]:
    """The first ``limit`` hits of the total order.

    Args:
        fetch: gives the n best by score, equal scores in any order; fewer than n only when there are no more.
        limit: how many are wanted.
        decimals: where scores are rounded.

    Asks for more while equal scores reach across the end of what was fetched; else the cut would pick any of them.
    """
    if limit <= 0:
        return []
    asked = limit + _MARGIN
    while True:
        hits = ordered(fetch(asked), decimals)
        if len(hits) < asked or hits[-1].score < hits[limit - 1].score:
            return hits[:limit]
        asked *= 4
