"""A neighbourhood as arrays: what paths are grown on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .neighbourhood import Flags, Floats, Ints, Neighbourhood

_NEVER = float("-inf")
_FEW = int(np.iinfo(np.int16).max)
"""Numbers this small are sorted digit by digit."""


class Graph:
    """Events and links by number, as in the neighbourhood.

    ``is_start``: paths must run through one of these. ``stated``: an event's place by when it was stated. The links at
    event n are ``half_links[begins[n] : begins[n] + degree[n]]`` and lead to the events of ``half_ends`` there.
    ``gain[k][n]``: the most similarity k events on a walk from n can add, minus infinity where no walk is that long;
    ``keep[k][n]``: the most confidence such a walk can leave.
    """

    def __init__(self, near: Neighbourhood, similarity: Sequence[float], starts: Sequence[int], reach: int) -> None:
        count = len(near.ids)
        self.similarity: Floats = np.array(similarity, dtype=np.float64)
        self.validity = near.validity
        self.is_start: Flags = np.zeros(count, dtype=bool)
        self.is_start[list(starts)] = True
        self.stated = near.stated
        links = near.links
        srcs, dsts = links.srcs, links.dsts
        self.ends = np.stack((srcs, dsts), axis=1)
        self.weight, self.contests, self.in_order = links.weights, links.contests, links.in_order
        tips = np.concatenate((srcs, dsts))
        order = np.argsort(tips if count > _FEW else tips.astype(np.int16), kind="stable")
        self.half_links: Ints = np.where(order < len(srcs), order, order - len(srcs))
        self.half_ends: Ints = np.concatenate((dsts, srcs))[order]
        self.degree: Ints = np.bincount(tips, minlength=count)
        self.begins: Ints = np.cumsum(self.degree) - self.degree
        self.gain: list[Floats] = [np.zeros(count)]
        self.keep: list[Floats] = [np.ones(count)]
        for _ in range(reach):
            self.gain.append(self._best((self.similarity + self.gain[-1])[self.half_ends], _NEVER))
            self.keep.append(self._best(self.weight[self.half_links] * self.keep[-1][self.half_ends], 0.0))

    def spread(self, tips: Ints) -> tuple[Ints, Ints]:
        """Every link at every tip: the rows of the tips, repeated, and the positions of the links in ``half_links``."""
        counts = self.degree[tips]
        ends = np.cumsum(counts)
        rows = np.repeat(np.arange(len(tips)), counts)
        return rows, np.arange(len(rows)) + np.repeat(self.begins[tips] - (ends - counts), counts)

    def _best(self, of_half: Floats, none: float) -> Floats:
        """For each event the greatest value of its links."""
        found = np.full(len(self.degree), none)
        linked = self.degree > 0
        if linked.any():
            found[linked] = np.maximum.reduceat(of_half, self.begins[linked])
        return found
