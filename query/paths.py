"""Evidence paths: bounded bidirectional traversal from the seeds, with the three prunes (Eq. 15).

First the neighbourhood of the seeds is gathered, so that all similarities can be fetched at once (``neighbourhood``);
then paths grow in memory at either end, best bound first. A path is grown only while the best that could come of it
might still rank: what is returned is what an enumeration of all paths of the neighbourhood would return.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .api import Path
from .neighbourhood import Link, Neighbourhood
from .score import neural_relevance, path_confidence, path_score, temporal_consistency, update_validity
from .settings import QuerySettings

_EPSILON = 1e-9
"""A bound is summed in another order than a score; rounding must not make it the smaller one."""

_NEVER = float("-inf")


class _Grown(NamedTuple):
    """A path in the making: numbers of its events and the links between them, and the parts of its score."""

    nodes: tuple[int, ...]
    links: tuple[Link, ...]
    similarity: float
    confidence: float
    contested: bool
    consistent: bool
    validity: float


def traverse(
    near: Neighbourhood, seeds: Sequence[str], similarity: Mapping[str, float], settings: QuerySettings
) -> tuple[Path, ...]:
    """The best paths through the seeds, by (score descending, events, relations).

    Single events are paths of length 1. A longer path never outscores the best event on it (NS is a mean, PC at most
    1), so each kind fills half of ``max_paths``. A path and its reverse are one path, written in stated order.

    Args:
        near: the neighbourhood of the seeds.
        seeds: ids of seeds; unknown ones are left out.
        similarity: cosine of each event of the neighbourhood with the question (inner term of Eq. 17).
        settings: weights and limits.
    """
    search = _Search(near, [similarity.get(event_id, 0.0) for event_id in near.ids], settings)
    starts = [number for seed in dict.fromkeys(seeds) if (number := near.numbers.get(seed)) is not None]
    half = settings.max_paths // 2
    singles = sorted((search.told(search.single(number)) for number in starts), key=_order)[:half]
    chains = sorted((search.told(grown) for grown in search.chains(starts, half)), key=_order)[:half]
    return tuple(sorted(singles + chains, key=_order))


class _Search:
    """One traversal. Events are numbers here, and scores are kept up link by link."""

    def __init__(self, near: Neighbourhood, similarity: Sequence[float], settings: QuerySettings) -> None:
        self._near = near
        self._similarity = similarity
        self._s = settings
        self._gain, self._keep = _reach(near, similarity, settings.max_hops)

    def single(self, number: int) -> _Grown:
        """The path of one event."""
        return _Grown((number,), (), self._similarity[number], 1.0, False, True, self._near.validity[number])

    def chains(self, starts: Sequence[int], most: int) -> list[_Grown]:
        """The ``most`` best paths of two events and more through any of the starts, and those equal to the last one."""
        seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        kept: list[tuple[float, _Grown]] = []
        best: list[float] = []
        queue = [(-self._bound(one, *one.nodes, *one.nodes), n, one) for n, one in enumerate(map(self.single, starts))]
        heapq.heapify(queue)
        floor, count, hops = _NEVER, len(queue), self._s.max_hops
        for _ in range(self._s.max_expansions if most else 0):
            if not queue or -queue[0][0] < floor:
                break
            for longer, ends in self._extensions(heapq.heappop(queue)[2], floor):
                identity = _identity(longer)
                if identity in seen:
                    continue
                seen.add(identity)
                count += 1
                score = self._score(longer)
                if score >= floor:
                    kept.append((score, longer))
                    (heapq.heappush if len(best) < most else heapq.heappushpop)(best, score)
                    if len(best) == most:
                        floor = best[0] - _EPSILON
                if len(longer.links) < hops and (bound := self._bound(longer, *ends)) >= floor:
                    heapq.heappush(queue, (-bound, count, longer))
        return [grown for score, grown in kept if score >= floor]

    def _extensions(self, grown: _Grown, floor: float) -> Iterator[tuple[_Grown, tuple[int, int]]]:
        """The path grown by one link at either end, and its two ends, where that may still reach the floor.

        The third prune: no two ``contradicts`` in a row.
        """
        near, s = self._near, self._s
        nodes, links = grown.nodes, grown.links
        more, length = s.max_hops - len(links) - 1, len(nodes) + 1
        for at_end in (False, True) if links else (True,):
            tip, last = (nodes[-1], nodes[0]) if at_end else (nodes[0], nodes[-1])
            after_contradiction = bool(links) and links[-1 if at_end else 0].contests
            for link in near.links[tip]:
                other = link.ends[0] if link.ends[1] == tip else link.ends[1]
                if other in nodes or (link.contests and after_contradiction):
                    continue
                made = _Grown(
                    nodes, links, grown.similarity + self._similarity[other], grown.confidence * link.weight,
                    grown.contested or link.contests, grown.consistent and link.in_order,
                    min(grown.validity, near.validity[other]),
                )  # fmt: skip
                ends = (last, other)
                if floor > _NEVER and self._most(made, ends, more, length) < floor:
                    continue
                yield (
                    made._replace(
                        nodes=(*nodes, other) if at_end else (other, *nodes),
                        links=(*links, link) if at_end else (link, *links),
                    ),
                    ends,
                )

    def _score(self, grown: _Grown) -> float:
        """S of Eq. 16 from the parts; ``told`` computes it by the equations themselves."""
        s = self._s
        confidence = grown.confidence * (1.0 - s.contradiction_penalty * grown.contested)
        ns = grown.similarity / len(grown.nodes)
        return s.alpha * ns + s.beta * confidence + s.gamma * grown.consistent + s.delta * grown.validity

    def _bound(self, grown: _Grown, *ends: int) -> float:
        """At least the score of anything that can grow out of a path, by any number of links at either end."""
        return self._most(grown, (ends[0], ends[1]), self._s.max_hops - len(grown.links), len(grown.nodes))

    def _most(self, grown: _Grown, ends: tuple[int, int], more: int, length: int) -> float:
        """At least the score of a path of so many events with these parts, and of all it can become with more links.

        PC, TC and UV never rise; PC falls at least by the strongest links there are, NS rises at most by the best
        events within reach, walks back and forth included.
        """
        s, (first, last) = self._s, ends
        confidence = grown.confidence * (1.0 - s.contradiction_penalty) if grown.contested else grown.confidence
        similarity, alpha, trust = grown.similarity, s.alpha, s.beta * confidence
        gain, keep = self._gain, self._keep
        best = alpha * similarity / length + trust
        for left in range(more + 1):
            total, kept = similarity + gain[left][first], trust * keep[left][first]
            for right in range(more - left + 1):
                bound = alpha * (total + gain[right][last]) / (length + left + right) + kept * keep[right][last]
                if bound > best:
                    best = bound
        return best + s.gamma * grown.consistent + s.delta * grown.validity

    def told(self, grown: _Grown) -> Path:
        """A path as it is returned, in stated order, with its score by the equations."""
        near, s = self._near, self._s
        nodes, links = grown.nodes, grown.links
        if near.stated[nodes[0]] > near.stated[nodes[-1]]:
            nodes, links = nodes[::-1], links[::-1]
        events = tuple(near.ids[number] for number in nodes)
        steps = tuple(link.step for link in links)
        starts = {near.ids[number]: near.starts[number] for number in nodes}
        ns = neural_relevance([self._similarity[number] for number in nodes])
        pc, tc = path_confidence(steps, s), temporal_consistency(steps, starts)
        uv = update_validity([near.validity[number] for number in nodes])
        return Path(events=events, steps=steps, score=path_score(ns, pc, tc, uv, s), ns=ns, pc=pc, tc=tc, uv=uv)


def _reach(near: Neighbourhood, similarity: Sequence[float], hops: int) -> tuple[list[list[float]], list[list[float]]]:
    """For each number of links and each event: the most similarity, and the most confidence, a walk from it can have.

    Minus infinity and 0 where no walk is that long.
    """
    count = len(near.ids)
    gain, keep = [[0.0] * count], [[1.0] * count]
    neighbours = [
        [(link.ends[0] if link.ends[1] == number else link.ends[1], link.weight) for link in links]
        for number, links in enumerate(near.links)
    ]
    for _ in range(hops):
        before, kept = gain[-1], keep[-1]
        gain.append([max((similarity[o] + before[o] for o, _ in others), default=_NEVER) for others in neighbours])
        keep.append([max((weight * kept[o] for o, weight in others), default=0.0) for others in neighbours])
    return gain, keep


def _identity(grown: _Grown) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Events and links of a path: what makes two paths the same. A path and its reverse are."""
    nodes, links = grown.nodes, tuple(link.number for link in grown.links)
    return (nodes, links) if nodes[0] < nodes[-1] else (nodes[::-1], links[::-1])


def _order(path: Path) -> tuple[float, tuple[str, ...], tuple[tuple[str, str, str], ...]]:
    return (-path.score, path.events, tuple((step.src, step.relation, step.dst) for step in path.steps))
