"""Transaction time of a space: how far it has come, and for which times its history is not exact.

A change is kept at the newest transaction time the space has seen. When records come in time order, that is their own
time, and what a read of the past finds is the definition over the records known then. A record from before the newest
time changes the present at once, but what was true between its time and the newest is not known from the view: that
range is noted here, and a read inside it folds the records instead. Folding anew in time order leaves no such range.

Records of four kinds change different tables and do not wait for each other: what was said (messages), what follows
from it (rows: sets, events, edges, rulings, erasures, aliases), themes, and parked records.
"""

from __future__ import annotations

import msgspec

MOST_RANGES = 16
"""Ranges kept of a space; of more, the two with the smallest gap are joined."""

Ranges = tuple[tuple[int, int], ...]
"""Half-open, sorted, apart from each other; microseconds UTC."""


Group = int
TEXTS, ROWS, THEMES, PARKED = range(4)
"""Kinds of record, by the tables they change."""


class SpaceClock(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The newest transaction time of each group, and the inexact ranges of all."""

    times: tuple[int, ...] = (0, 0, 0, 0)
    inexact: Ranges = ()


def is_exact(clock: SpaceClock, known_at: int) -> bool:
    """Whether the versions kept tell what was true at a transaction time."""
    return not any(start <= known_at < end for start, end in clock.inexact)


def with_range(ranges: Ranges, start: int, end: int) -> Ranges:
    """The ranges and one more, joined where they meet, and where they have become too many."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted((*ranges, (start, end))):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    while len(joined) > MOST_RANGES:
        at = min(range(len(joined) - 1), key=lambda i: (joined[i + 1][0] - joined[i][1], i))
        joined[at : at + 2] = [(joined[at][0], joined[at + 1][1])]
    return tuple(joined)
