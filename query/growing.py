"""Growing paths in arrays: all of one length at once, from the middle outwards, and their scores (Eq. 16-20).

A path of n links has one path of n - 2 links inside it. So each comes up once, and nothing has to be compared with what
was seen. A path that cannot be part of one that ranks is left out before it is grown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .graph import Graph
from .neighbourhood import Flags, Floats, Ints
from .settings import QuerySettings

_EPSILON = 1e-9
"""A bound is summed in another order than a score; rounding must not make it the smaller one."""

_NEVER = float("-inf")


class Grown(NamedTuple):
    """Paths of one length: an array of their events, one path a row, and one of the links between these.

    And what they score by: the sum of Eq. 17, the product of Eq. 18 without what a contradiction takes off, whether
    there is one, and Eq. 19 and 20.
    """

    nodes: Ints
    links: Ints
    similarity: Floats
    confidence: Floats
    contested: Flags
    in_order: Flags
    validity: Floats

    def of(self, chosen: Ints) -> Grown:
        """Some of them."""
        return Grown(
            self.nodes[chosen],
            self.links[chosen],
            self.similarity[chosen],
            self.confidence[chosen],
            self.contested[chosen],
            self.in_order[chosen],
            self.validity[chosen],
        )

    def trust(self, s: QuerySettings) -> Floats:
        """Eq. 18."""
        return self.confidence * (1.0 - s.contradiction_penalty * self.contested)


class Scored(NamedTuple):
    """Paths of one length and what they score: Eq. 17, 18, 19 and 20, and S of them."""

    grown: Grown
    ns: Floats
    pc: Floats
    tc: Flags
    uv: Floats
    s: Floats

    def of(self, chosen: Ints) -> Scored:
        """Some of them."""
        grown, ns, pc, tc, uv, s = self
        return Scored(grown.of(chosen), ns[chosen], pc[chosen], tc[chosen], uv[chosen], s[chosen])


def singles(graph: Graph, numbers: Ints) -> Grown:
    """The paths of one event."""
    return _summed(graph, numbers[:, None], np.empty((len(numbers), 0), dtype=np.int64))


def chains(graph: Graph, most: int, s: QuerySettings) -> list[Scored]:
    """Paths of two events and more through a start; the ``most`` best by score are among them, and their equals."""
    inner = [singles(graph, np.arange(len(graph.degree)))]
    kept: list[Scored] = []
    best: Floats = np.empty(0)
    floor = _NEVER
    for hops in range(1, s.max_hops + 1):
        inner.append(_linked(graph) if hops == 1 else _extended(graph, inner[hops - 2], floor, s))
        through = np.flatnonzero(np.logical_or.reduce(graph.is_start[inner[hops].nodes], axis=1))
        if not len(through):
            continue
        scored = score(inner[hops].of(through), s)
        kept.append(scored.of(np.flatnonzero(scored.s >= floor)))
        best = np.concatenate((best, scored.s))
        if len(best) >= most:
            best = np.partition(best, len(best) - most)[len(best) - most :]
            floor = float(best[0]) - _EPSILON
    return kept


def score(grown: Grown, s: QuerySettings) -> Scored:
    """S of Eq. 16 for each path: the operations of the equations in their order, so that the bits are as printed."""
    ns, pc = grown.similarity / grown.nodes.shape[1], grown.trust(s)
    total = s.alpha * ns + s.beta * pc + s.gamma * grown.in_order + s.delta * grown.validity
    return Scored(grown, ns, pc, grown.in_order, grown.validity, total)


def _summed(graph: Graph, nodes: Ints, links: Ints) -> Grown:
    """Paths and what they score by, summed from the first event to the last."""
    similarity, validity = graph.similarity[nodes[:, 0]], graph.validity[nodes[:, 0]]
    for column in nodes.T[1:]:
        similarity = similarity + graph.similarity[column]
        validity = np.minimum(validity, graph.validity[column])
    confidence, contested, in_order = np.ones(len(links)), np.zeros(len(links), bool), np.ones(len(links), bool)
    for column in links.T:
        confidence = confidence * graph.weight[column]
        contested = contested | graph.contests[column]
        in_order = in_order & graph.in_order[column]
    return Grown(nodes, links, similarity, confidence, contested, in_order, validity)


def _linked(graph: Graph) -> Grown:
    """The paths of one link."""
    apart = np.flatnonzero(graph.ends[:, 0] != graph.ends[:, 1])
    return _in_stated_order(graph, graph.ends[apart], apart[:, None])


def _extended(graph: Graph, inner: Grown, floor: float, s: QuerySettings) -> Grown:
    """Paths with one link more at either end, without those no path can come of that reaches the floor.

    The third prune: no two ``contradicts`` in a row. A single event is extended by each pair of its links once.
    """
    steps = range(1, (s.max_hops - inner.links.shape[1]) // 2 + 1)
    grown = _promising(graph, inner, floor, [(n, n) for n in steps], s)
    if not len(grown.nodes):
        none, hops = np.empty((0, 0), dtype=np.int64), inner.links.shape[1] + 2
        return _summed(graph, none.reshape(0, hops + 1), none.reshape(0, hops))
    left = _promising(graph, _longer(graph, grown, at_end=False), floor, [(n - 1, n) for n in steps], s)
    both = _longer(graph, left, at_end=True)
    if inner.links.shape[1] == 0:
        both = both.of(np.flatnonzero(both.links[:, 0] < both.links[:, 1]))
    both = _promising(graph, both, floor, [(n - 1, n - 1) for n in steps], s)
    return _in_stated_order(graph, both.nodes, both.links)


def _longer(graph: Graph, grown: Grown, *, at_end: bool) -> Grown:
    """Every path with every link that can follow at one end."""
    tip = -1 if at_end else 0
    rows, halves = graph.spread(grown.nodes[:, tip])
    others, new = graph.half_ends[halves], graph.half_links[halves]
    is_fit = np.logical_and.reduce(grown.nodes[rows] != others[:, None], axis=1)
    if grown.links.shape[1]:
        is_fit &= ~(graph.contests[new] & graph.contests[grown.links[rows, tip]])
    fit = np.flatnonzero(is_fit)
    rows, others, new = rows[fit], others[fit], new[fit]
    nodes, links = (grown.nodes[rows], others[:, None]), (grown.links[rows], new[:, None])
    return Grown(
        np.concatenate(nodes if at_end else nodes[::-1], axis=1),
        np.concatenate(links if at_end else links[::-1], axis=1),
        grown.similarity[rows] + graph.similarity[others],
        grown.confidence[rows] * graph.weight[new],
        grown.contested[rows] | graph.contests[new],
        grown.in_order[rows] & graph.in_order[new],
        np.minimum(grown.validity[rows], graph.validity[others]),
    )


def _promising(graph: Graph, grown: Grown, floor: float, reaches: Iterable[tuple[int, int]], s: QuerySettings) -> Grown:
    """The paths of which a path that reaches the floor may come, by so many links more at the one end and the other.

    PC, TC and UV never rise; PC falls at least by the strongest links there are, NS rises at most by the best events
    within reach, walks back and forth included. At most ``max_expansions``, the best bounds.
    """
    first, last, length = grown.nodes[:, 0], grown.nodes[:, -1], grown.nodes.shape[1]
    if not len(first):
        return grown
    own, bound = grown.trust(s), _NEVER
    for before, after in reaches:
        total = grown.similarity + graph.gain[before][first] + graph.gain[after][last]
        trust = own * (graph.keep[before][first] * graph.keep[after][last])
        bound = np.maximum(bound, s.alpha / (length + before + after) * total + s.beta * trust)
    bound = bound + (s.gamma * grown.in_order + s.delta * grown.validity)
    chosen = np.flatnonzero(bound >= floor)
    if len(chosen) > s.max_expansions:
        chosen = np.sort(chosen[np.argsort(-bound[chosen], kind="stable")[: s.max_expansions]])
    return grown.of(chosen)


def _in_stated_order(graph: Graph, nodes: Ints, links: Ints) -> Grown:
    """A path and its reverse are one, written from what was stated first."""
    back = (graph.stated[nodes[:, 0]] > graph.stated[nodes[:, -1]])[:, None]
    return _summed(graph, np.where(back, nodes[:, ::-1], nodes), np.where(back, links[:, ::-1], links))
