"""Evidence paths: bounded bidirectional traversal around the seeds, with the three prunes (Eq. 15).

First the neighbourhood of the seeds is gathered, so that all similarities can be fetched at once (``neighbourhood``);
then paths grow in arrays (``growing``). A path is grown only while the best that could come of it might still rank:
what is returned is what an enumeration of all paths of the neighbourhood would return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .api import Path
from .graph import Graph
from .growing import Scored, chains, score, singles
from .neighbourhood import Floats, Ints, Neighbourhood
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
    for kind in ([score(graph, singles(np.array(starts)), settings)], chains(graph, half, settings)):
        found += sorted(_first(near, graph, kind, half), key=_order)[:half]
    return tuple(sorted(found, key=_order))


def _first(near: Neighbourhood, graph: Graph, kept: Sequence[Scored], most: int) -> list[Path]:
    """The ``most`` first paths by (score, events), and all with the events of the last one."""
    scores = np.concatenate([one.s for one in kept] or [np.empty(0)])
    width = max((one.grown.nodes.shape[1] for one in kept), default=0)
    places = np.full((len(scores), width), -1)
    begins = [sum(len(one.s) for one in kept[:n]) for n in range(len(kept))]
    for one, begin in zip(kept, begins, strict=True):
        count, length = one.grown.nodes.shape
        places[begin : begin + count, :length] = graph.by_id[one.grown.nodes]
    order = np.lexsort((*places.T[::-1], -scores))
    end = min(most, len(order))
    while 0 < end < len(order) and _is_same(scores, places, order[end - 1], order[end]):
        end += 1
    chosen = order[:end]
    bounds = [*begins, len(scores)]
    return [
        path
        for one, begin, until in zip(kept, bounds[:-1], bounds[1:], strict=True)
        for path in _told(near, one.of(chosen[(chosen >= begin) & (chosen < until)] - begin))
    ]


def _is_same(scores: Floats, places: Ints, one: np.intp, other: np.intp) -> bool:
    """Whether two paths differ in their links at most."""
    return bool(scores[one] == scores[other] and (places[one] == places[other]).all())


def _told(near: Neighbourhood, scored: Scored) -> Iterator[Path]:
    """Paths as they are returned."""
    ids, step = near.ids, near.step
    columns = [column.tolist() for column in (*scored.grown, *scored[1:])]
    for nodes, links, ns, pc, tc, uv, total in zip(*columns, strict=True):
        events, steps = tuple([ids[number] for number in nodes]), tuple([step(number) for number in links])
        yield Path(events=events, steps=steps, score=total, ns=ns, pc=pc, tc=float(tc), uv=uv)


def _order(path: Path) -> tuple[float, tuple[str, ...], tuple[tuple[str, str, str], ...]]:
    return (-path.score, path.events, tuple((step.src, step.relation, step.dst) for step in path.steps))
