"""Evidence paths: bounded bidirectional traversal around the seeds, with the three prunes (Eq. 15).

First the neighbourhood of the seeds is gathered, so that all similarities can be fetched at once (``neighbourhood``);
then paths grow in arrays (``growing``). A path is grown only while the best that could come of it might still rank:
what is returned is what an enumeration of all paths of the neighbourhood would return.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from .api import Path
from .graph import Floats, Graph, Ints
from .growing import Grown, chains, score, singles
from .neighbourhood import Neighbourhood
from .score import neural_relevance, path_confidence, path_score, temporal_consistency, update_validity
from .settings import QuerySettings


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
    half = settings.max_paths // 2
    starts = [number for seed in dict.fromkeys(seeds) if (number := near.numbers.get(seed)) is not None]
    if not half or not starts:
        return ()
    cosines = [similarity.get(event_id, 0.0) for event_id in near.ids]
    graph = Graph(near, cosines, starts, (settings.max_hops + 1) // 2)
    found: list[Path] = []
    for kind in ([singles(np.array(starts))], chains(graph, half, settings)):
        first = _first(graph, kind, half, settings)
        told = [_told(near, cosines, nodes, links, settings) for nodes, links in first]
        found += sorted(told, key=_order)[:half]
    return tuple(sorted(found, key=_order))


def _first(graph: Graph, kept: Sequence[Grown], most: int, s: QuerySettings) -> list[tuple[list[int], list[int]]]:
    """Events and links of the ``most`` first paths by (score, events), and of all with the events of the last one."""
    scores = np.concatenate([score(graph, grown, s) for grown in kept] or [np.empty(0)])
    width = max((grown.nodes.shape[1] for grown in kept), default=0)
    places = np.full((len(scores), width), -1)
    begins = [sum(len(grown.nodes) for grown in kept[:n]) for n in range(len(kept))]
    for grown, begin in zip(kept, begins, strict=True):
        count, length = grown.nodes.shape
        places[begin : begin + count, :length] = graph.by_id[grown.nodes]
    order = np.lexsort((*places.T[::-1], -scores))
    end = min(most, len(order))
    while 0 < end < len(order) and _is_same(scores, places, order[end - 1], order[end]):
        end += 1
    chosen: list[tuple[list[int], list[int]]] = []
    for number in order[:end].tolist():
        kind = bisect_right(begins, number) - 1
        row = number - begins[kind]
        chosen.append((kept[kind].nodes[row].tolist(), kept[kind].links[row].tolist()))
    return chosen


def _is_same(scores: Floats, places: Ints, one: np.intp, other: np.intp) -> bool:
    """Whether two paths differ in their links at most."""
    return bool(scores[one] == scores[other] and (places[one] == places[other]).all())


def _told(
    near: Neighbourhood, cosines: Sequence[float], nodes: Sequence[int], links: Sequence[int], s: QuerySettings
) -> Path:
    """A path as it is returned, with its score by the equations."""
    events = tuple(near.ids[number] for number in nodes)
    steps = tuple(near.step(number) for number in links)
    starts = {near.ids[number]: near.starts[number] for number in nodes}
    ns = neural_relevance([cosines[number] for number in nodes])
    pc, tc = path_confidence(steps, s), temporal_consistency(steps, starts)
    uv = update_validity([near.validity[number] for number in nodes])
    return Path(events=events, steps=steps, score=path_score(ns, pc, tc, uv, s), ns=ns, pc=pc, tc=tc, uv=uv)


def _order(path: Path) -> tuple[float, tuple[str, ...], tuple[tuple[str, str, str], ...]]:
    return (-path.score, path.events, tuple((step.src, step.relation, step.dst) for step in path.steps))
