"""Evidence paths: bounded bidirectional traversal around the seeds, with the three prunes (Eq. 15).

First the neighbourhood of the seeds is gathered, so that all similarities can be fetched at once (``neighbourhood``);
then paths grow in arrays (``growing``). A path is grown only while the best that could come of it might still rank:
what is returned is what an enumeration of all paths of the neighbourhood would return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import numpy as np

from .api import Path
from .graph import Graph
from .growing import Scored, chains, score, singles
from .neighbourhood import Floats, Ints, Neighbourhood, places
from .settings import QuerySettings

_Order = tuple[float, tuple[str, ...], tuple[tuple[str, str, str], ...]]


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
    graph = Graph(near, cosines, starts, settings.max_hops // 2)
    found: list[tuple[_Order, Path]] = []
    for kind in ([score(singles(graph, np.array(starts)), settings)], chains(graph, half, settings)):
        found += sorted([(_order(path), path) for path in _first(near, kind, half)], key=itemgetter(0))[:half]
    return tuple([path for _, path in sorted(found, key=itemgetter(0))])


def _first(near: Neighbourhood, kept: Sequence[Scored], most: int) -> Iterator[Path]:
    """The ``most`` first paths by (score, events), and all with the events of the last one."""
    scores = np.concatenate([one.s for one in kept] or [np.empty(0)])
    if len(scores) > most:
        least = np.partition(scores, len(scores) - most)[len(scores) - most]
        kept = [one.of(np.flatnonzero(one.s >= least)) for one in kept]
        scores = np.concatenate([one.s for one in kept])
    ends = np.cumsum([len(one.s) for one in kept])
    by_id = _places(near, kept)
    order = np.lexsort((*by_id.T[::-1], -scores))
    end = min(most, len(order))
    while 0 < end < len(order) and _is_same(scores, by_id, order[end - 1], order[end]):
        end += 1
    chosen = np.sort(order[:end])
    for one, last in zip(kept, ends, strict=True):
        own = chosen[(chosen >= last - len(one.s)) & (chosen < last)]
        yield from _told(near, one.of(own - (last - len(one.s))))


def _places(near: Neighbourhood, kept: Sequence[Scored]) -> Ints:
    """The events of paths by their places in the order of ids, one path a row; -1 where it has no more."""
    counts = [one.grown.nodes.shape for one in kept]
    nodes = np.full((sum(rows for rows, _ in counts), max((length for _, length in counts), default=0)), -1)
    begin = 0
    for one, (rows, length) in zip(kept, counts, strict=True):
        nodes[begin : begin + rows, :length] = one.grown.nodes
        begin += rows
    found, which = np.unique(nodes, return_inverse=True)
    ids = ["" if number < 0 else near.ids[number] for number in found.tolist()]
    return np.array(places(ids), dtype=np.int64)[which]


def _is_same(scores: Floats, by_id: Ints, one: np.intp, other: np.intp) -> bool:
    """Whether two paths differ in their links at most."""
    return bool(scores[one] == scores[other] and (by_id[one] == by_id[other]).all())


def _told(near: Neighbourhood, scored: Scored) -> Iterator[Path]:
    """Paths as they are returned."""
    ids, step = near.ids, near.step
    columns = [column.tolist() for column in (*scored.grown[:2], *scored[1:])]
    for nodes, links, ns, pc, tc, uv, total in zip(*columns, strict=True):
        events, steps = tuple([ids[number] for number in nodes]), tuple([step(number) for number in links])
        yield Path(events=events, steps=steps, score=total, ns=ns, pc=pc, tc=float(tc), uv=uv)


def _order(path: Path) -> _Order:
    return (-path.score, path.events, tuple([(step.src, step.relation, step.dst) for step in path.steps]))
