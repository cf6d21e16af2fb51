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
    """Paths of one length: an array of their events, one path a row, and one of the links between these."""

    nodes: Ints
    links: Ints

    def of(self, chosen: Flags | Ints) -> Grown:
        """Some of them."""
        return Grown(self.nodes[chosen], self.links[chosen])


class Scored(NamedTuple):
    """Paths of one length and what they score: Eq. 17, 18, 19 and 20, and S of them."""

    grown: Grown
    ns: Floats
    pc: Floats
    tc: Flags
    uv: Floats
    s: Floats

    def of(self, chosen: Flags | Ints) -> Scored:
        """Some of them."""
        grown, ns, pc, tc, uv, s = self
        return Scored(grown.of(chosen), ns[chosen], pc[chosen], tc[chosen], uv[chosen], s[chosen])


def singles(numbers: Ints) -> Grown:
    """The paths of one event."""
    return Grown(numbers[:, None], np.empty((len(numbers), 0), dtype=np.int64))


def chains(graph: Graph, most: int, s: QuerySettings) -> list[Scored]:
    """Paths of two events and more through a start; the ``most`` best by score are among them, and their equals."""
    inner = [singles(np.arange(len(graph.degree)))]
    kept: list[Scored] = []
    best: Floats = np.empty(0)
    floor = _NEVER
    for hops in range(1, s.max_hops + 1):
        inner.append(_linked(graph) if hops == 1 else _extended(graph, inner[hops - 2], floor, s))
        through = inner[hops].of(np.logical_or.reduce(graph.is_start[inner[hops].nodes], axis=1))
        scored = score(graph, through, s)
        kept.append(scored.of(scored.s >= floor))
        best = np.sort(np.concatenate((best, scored.s)))[-most:]
        if len(best) == most:
            floor = float(best[0]) - _EPSILON
    return kept


def score(graph: Graph, grown: Grown, s: QuerySettings) -> Scored:
    """S of Eq. 16 for each path: the operations of the equations in their order, so that the bits are as printed."""
    similarity, confidence, consistent, validity = _parts(graph, grown, s)
    ns = similarity / grown.nodes.shape[1]
    total = s.alpha * ns + s.beta * confidence + s.gamma * consistent + s.delta * validity
    return Scored(grown, ns, confidence, consistent, validity, total)


def _parts(graph: Graph, grown: Grown, s: QuerySettings) -> tuple[Floats, Floats, Flags, Floats]:
    """The sum of Eq. 17, and Eq. 18, 19 and 20."""
    nodes, links = grown
    similarity = graph.similarity[nodes[:, 0]]
    for column in nodes.T[1:]:
        similarity = similarity + graph.similarity[column]
    confidence = np.ones(len(links))
    for column in links.T:
        confidence = confidence * graph.weight[column]
    confidence = confidence * (1.0 - s.contradiction_penalty * np.logical_or.reduce(graph.contests[links], axis=1))
    consistent: Flags = np.logical_and.reduce(graph.in_order[links], axis=1)
    return similarity, confidence, consistent, np.minimum.reduce(graph.validity[nodes], axis=1)


def _linked(graph: Graph) -> Grown:
    """The paths of one link."""
    apart = np.flatnonzero(graph.ends[:, 0] != graph.ends[:, 1])
    return _in_stated_order(graph, Grown(graph.ends[apart], apart[:, None]))


def _extended(graph: Graph, inner: Grown, floor: float, s: QuerySettings) -> Grown:
    """Paths with one link more at either end, without those no path can come of that reaches the floor.

    The third prune: no two ``contradicts`` in a row. A single event is extended by each pair of its links once.
    """
    steps = range(1, (s.max_hops - inner.links.shape[1]) // 2 + 1)
    grown = _promising(graph, inner, floor, [(n, n) for n in steps], s)
    left = _promising(graph, _longer(graph, grown, at_end=False), floor, [(n - 1, n) for n in steps], s)
    both = _longer(graph, left, at_end=True)
    if inner.links.shape[1] == 0:
        both = both.of(both.links[:, 0] < both.links[:, 1])
    return _in_stated_order(graph, _promising(graph, both, floor, [(n - 1, n - 1) for n in steps], s))


def _longer(graph: Graph, grown: Grown, *, at_end: bool) -> Grown:
    """Every path with every link that can follow at one end."""
    tip = -1 if at_end else 0
    rows, halves = graph.spread(grown.nodes[:, tip])
    nodes, links = grown.nodes[rows], grown.links[rows]
    others, new = graph.half_ends[halves], graph.half_links[halves]
    is_fit = (nodes != others[:, None]).all(axis=1)
    if links.shape[1]:
        is_fit &= ~(graph.contests[new] & graph.contests[links[:, tip]])
    nodes, links, others, new = nodes[is_fit], links[is_fit], others[is_fit, None], new[is_fit, None]
    if at_end:
        return Grown(np.hstack((nodes, others)), np.hstack((links, new)))
    return Grown(np.hstack((others, nodes)), np.hstack((new, links)))


def _promising(graph: Graph, grown: Grown, floor: float, reaches: Iterable[tuple[int, int]], s: QuerySettings) -> Grown:
    """The paths of which a path that reaches the floor may come, by so many links more at the one end and the other.

    PC, TC and UV never rise; PC falls at least by the strongest links there are, NS rises at most by the best events
    within reach, walks back and forth included. At most ``max_expansions``, the best bounds.
    """
    similarity, confidence, consistent, validity = _parts(graph, grown, s)
    first, last, length = grown.nodes[:, 0], grown.nodes[:, -1], grown.nodes.shape[1]
    bound: Floats = np.full(len(first), _NEVER)
    for before, after in reaches:
        total = similarity + graph.gain[before][first] + graph.gain[after][last]
        trust = confidence * graph.keep[before][first] * graph.keep[after][last]
        np.maximum(bound, s.alpha * total / (length + before + after) + s.beta * trust, out=bound)
    bound += s.gamma * consistent + s.delta * validity
    chosen = np.flatnonzero(bound >= floor)
    if len(chosen) > s.max_expansions:
        chosen = np.sort(chosen[np.argsort(-bound[chosen], kind="stable")[: s.max_expansions]])
    return grown.of(chosen)


def _in_stated_order(graph: Graph, grown: Grown) -> Grown:
    """A path and its reverse are one, written from what was stated first."""
    nodes, links = grown
    back = (graph.stated[nodes[:, 0]] > graph.stated[nodes[:, -1]])[:, None]
    return Grown(np.where(back, nodes[:, ::-1], nodes), np.where(back, links[:, ::-1], links))
