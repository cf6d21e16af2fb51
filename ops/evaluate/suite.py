"""What every suite is given and returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from .data import Data
from .memory import Memory


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure on.

    Attributes:
        data: where the questions and answers are.
        memory: where the messages go.
        samples: numbers of the LoCoMo conversations; None = all the file holds.
        variant: of the engine, a name of ``ablations``; None = as it is used.
    """

    data: Data
    memory: Memory
    samples: Sequence[int] | None = None
    variant: str | None = None


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """What came out.

    Attributes:
        metrics: numbers by name, flat; the names of the design's section 8 and more.
        counts: (hits, total) behind shares, for their 95 % intervals.
        details: one line per thing worth looking at, for ``--details``.
        failed: ids, where a suite is a list of cases.
    """

    metrics: Mapping[str, float]
    counts: Mapping[str, tuple[int, int]] = {}
    details: Sequence[str] = ()
    failed: Sequence[str] | None = None


def share(hits: int, total: int) -> float:
    """A share; 0 when nothing was counted."""
    return hits / total if total else 0.0
