"""The linear-time recompute that maintaining is measured against: validity of everything, from arrays.

It is the definition of design section 4 over integers and numpy: no records, no strings, no storage; every step is one
pass over the events or the edges. Only corrections recurse; they are followed level by level, which for chains of
corrections of bounded length is a bounded number of passes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

NEVER = np.iinfo(np.int64).max
"""No such time."""

CHANGE, DONE, CANCELLED, CORRECTION, WITHDRAWN, CAUSES, ENABLES, PREVENTS = range(8)
"""What an edge is: kinds of update first. ``before`` and ``contradicts`` change no interval."""

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class World(NamedTuple):
    """Live events and edges. Events are numbered in stated order; they hold, are asserted, and have no end of theirs.

    ``stated``, ``explicit_from`` (``NEVER`` where the text says none): (n,) microseconds. ``src``, ``dst``, ``kind``:
    (m,).
    """

    stated: Ints
    explicit_from: Ints
    src: Ints
    dst: Ints
    kind: Ints


class Intervals(NamedTuple):
    """What is derived, by event, and by edge (``invalid_from``)."""

    valid_from: Ints
    valid_until: Ints
    corrected: Bools
    demoted_from: Ints
    invalid_from: Ints


def recompute(world: World) -> Intervals:
    """Validity of all of it."""
    stated, src, dst, kind = world.stated, world.src, world.dst, world.kind
    is_update = kind <= WITHDRAWN
    said_later = src > dst
    wrong = is_update & said_later & ((kind == CORRECTION) | (kind == WITHDRAWN))
    valid_from = _valid_from(world, wrong & (kind == CORRECTION))
    vouched = np.maximum(stated, valid_from)
    ordered = (vouched[src] > vouched[dst]) | ((vouched[src] == vouched[dst]) & said_later)
    by_stated = (kind == CANCELLED) | wrong
    effective = is_update & np.where(by_stated, said_later, ordered)
    corrected = _corrected(stated.size, src[wrong], dst[wrong])
    counts = effective & ~corrected[src]
    until = _least(stated.size, dst[counts], valid_from[src[counts]])
    breaking = counts & (kind != DONE)
    breaks_from = _least(stated.size, dst[breaking], valid_from[src[breaking]])
    until[corrected] = breaks_from[corrected] = valid_from[corrected]
    leads_on = (kind == CAUSES) | (kind == ENABLES)
    demoted_from = _least(stated.size, dst[leads_on], breaks_from[src[leads_on]])
    falls = (kind == CAUSES) | (kind == PREVENTS)
    invalid_from = np.where(falls, np.minimum(until[src], until[dst]), NEVER)
    return Intervals(valid_from, until, corrected, demoted_from, invalid_from)


def _valid_from(world: World, corrections: Bools) -> Ints:
    """Explicit, else of a correction the least of what it corrects, else stated."""
    explicit = world.explicit_from != NEVER
    valid_from = np.where(explicit, world.explicit_from, world.stated)
    src, dst = world.src[corrections], world.dst[corrections]
    while True:
        least = _least(world.stated.size, src, valid_from[dst])
        found = np.where(~explicit & (least != NEVER), least, valid_from)
        if np.array_equal(found, valid_from):
            return valid_from
        valid_from = found


def _corrected(events: int, src: Ints, dst: Ints) -> Bools:
    """Corrected by something that is not corrected itself."""
    corrected = np.zeros(events, dtype=np.bool_)
    while True:
        found = np.zeros(events, dtype=np.bool_)
        found[dst[~corrected[src]]] = True
        if np.array_equal(found, corrected):
            return corrected
        corrected = found


def _least(size: int, at: Ints, values: Ints) -> Ints:
    """Of each place the least of its values; ``NEVER`` where it has none."""
    out = np.full(size, NEVER, dtype=np.int64)
    np.minimum.at(out, at, values)
    return out


def synthetic(events: int, edges_per_event: float, space: int, seed: int) -> World:
    """A world of spaces of so many events each, with as many edges and kinds as the workload makes.

    Events of a space lie beside each other, which is the friendlier order for a recompute.
    """
    rng = np.random.default_rng(seed)
    edges = int(events * edges_per_event)
    src = rng.integers(1, events, edges)
    dst = np.maximum(src - rng.integers(1, space // 5, edges), src - src % space)
    kinds = np.array([CHANGE, CORRECTION, DONE, CANCELLED, WITHDRAWN, CAUSES, ENABLES])
    kind = rng.choice(kinds, edges, p=[0.72, 0.09, 0.045, 0.027, 0.018, 0.06, 0.04])
    kept = src != dst
    stated = np.arange(events, dtype=np.int64) * 1_000_000
    explicit = np.where(rng.random(events) < 0.2, stated - 86_400_000_000, NEVER)  # as the workload
    return World(stated, explicit, src[kept], dst[kept], kind[kept])
