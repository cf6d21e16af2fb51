"""From which probability on a pair is an update, and from which on it may be one."""

from __future__ import annotations

from collections.abc import Sequence

from ops.scoring.scorer import DIGITS

SURE_PRECISION, POSSIBLE_PRECISION = 0.82, 0.75
"""Least precision of what is linked as an update, and as a possible one, on pairs that were not trained on.

Of the scorer alone: with the rules before it and what ``may_end`` keeps from it, precision is higher (ops/adr/0032)."""


def choose_thresholds(ends: Sequence[bool], scores: Sequence[float]) -> tuple[float, float]:
    """(sure, possible): the lowest scores from which on precision is high enough; 1.0 where it never is."""
    return threshold(ends, scores, SURE_PRECISION), threshold(ends, scores, POSSIBLE_PRECISION)


def threshold(ends: Sequence[bool], scores: Sequence[float], precision: float) -> float:
    """The lowest rounded score from which on the share of pairs that end is at least ``precision``."""
    rounded = [round(score, DIGITS) for score in scores]
    for least in sorted(set(rounded)):
        kept = [end for end, score in zip(ends, rounded, strict=True) if score >= least]
        if sum(kept) >= precision * len(kept):
            return least
    return 1.0
