"""Evidence paths: bounded bidirectional traversal from the seeds, with the three prunes (Eq. 15).

First the neighbourhood of the seeds is gathered, so that all similarities can be fetched at once; then paths grow in
memory, best first, at either end.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

import msgspec

from schemas.edges import Edge
from views.rows import EdgeRow, EventRow, validity_at

from .api import Path, Step
from .cut import Cut
from .score import neural_relevance, path_confidence, path_score, temporal_consistency, update_validity
from .settings import QuerySettings

_CAUSAL = ("causes", "prevents")
_FORWARD_IN_TIME = ("before", "causes", "enables", "prevents")

_Identity = tuple[tuple[str, ...], tuple[tuple[str, str, str], ...]]
"""Events and relations of a path: what makes two paths the same."""


class Neighbourhood(msgspec.Struct, frozen=True, kw_only=True):
    """Events around the seeds and the relations that may be crossed between them, the strongest first at each event."""

    rows: Mapping[str, EventRow]
    edges: Mapping[str, tuple[Edge, ...]]


def gather(cut: Cut, seeds: Sequence[str], at: int, settings: QuerySettings) -> Neighbourhood:
    """Events within ``max_hops`` of the seeds, breadth first, at most ``neighbourhood`` beside the seeds themselves."""
    rows = {row.event.id: row for row in cut.rows(seeds)}
    edges: dict[str, tuple[Edge, ...]] = {}
    room = settings.neighbourhood
    level = list(rows)
    for _ in range(settings.max_hops):
        following: list[str] = []
        for event_id in level:
            edges[event_id] = _crossable(cut, rows[event_id], at, settings)
            for edge in edges[event_id]:
                other = _other_end(edge, event_id)
                row = cut.row(other)
                if other not in rows and row is not None and room > 0:
                    rows[other] = row
                    following.append(other)
                    room -= 1
        level = following
    return Neighbourhood(rows=rows, edges=edges)


def traverse(
    near: Neighbourhood,
    seeds: Sequence[str],
    similarity: Mapping[str, float],
    at: int,
    settings: QuerySettings,
) -> tuple[Path, ...]:
    """The best paths through the seeds, by (score descending, events, relations).

    Single events are paths of length 1. A longer path never outscores the best event on it (NS is a mean, PC at most
    1), so each kind fills half of ``max_paths``. A path and its reverse are one path, written in stated order.

    Args:
        near: the neighbourhood of the seeds.
        seeds: ids of seeds; unknown ones are left out.
        similarity: cosine of each event of the neighbourhood with the question (inner term of Eq. 17).
        at: the instant v(e) is taken at, microseconds UTC.
        settings: weights and limits.
    """
    starts = {event_id: row.event.anchor.start for event_id, row in near.rows.items()}
    validity = {event_id: validity_at(row, at) for event_id, row in near.rows.items()}

    def scored(events: tuple[str, ...], steps: tuple[Step, ...]) -> Path:
        ns = neural_relevance([similarity.get(event_id, 0.0) for event_id in events])
        pc = path_confidence(steps, settings)
        tc = temporal_consistency(steps, starts)
        uv = update_validity([validity[event_id] for event_id in events])
        score = path_score(ns, pc, tc, uv, settings)
        return Path(events=events, steps=steps, score=score, ns=ns, pc=pc, tc=tc, uv=uv)

    singles = sorted((scored((seed,), ()) for seed in dict.fromkeys(seeds) if seed in near.rows), key=_order)
    chains: dict[_Identity, Path] = {}
    queue: list[tuple[float, _Identity, Path]] = [(-path.score, (path.events, ()), path) for path in singles]
    heapq.heapify(queue)
    for _ in range(settings.max_expansions):
        if not queue:
            break
        _, _, path = heapq.heappop(queue)
        for events, steps in _extensions(path, near) if len(path.steps) < settings.max_hops else ():
            events, steps = _in_stated_order(events, steps, near.rows)
            identity = (events, _labels(steps))
            if identity not in chains:
                chains[identity] = grown = scored(events, steps)
                heapq.heappush(queue, (-grown.score, identity, grown))
    half = settings.max_paths // 2
    kept = singles[:half] + sorted(chains.values(), key=_order)[:half]
    return tuple(sorted(kept, key=_order))


def crossable(row: EdgeRow, src: EventRow, dst: EventRow, at: int) -> bool:
    """Whether a path may cross a relation at an instant. Two of the paper's prunes, and one of our own.

    1. A ``causes`` or ``prevents`` edge invalid by then (Eq. 12) is a broken reasoning link.
    2. A ``before``, ``causes``, ``enables`` or ``prevents`` edge that runs backwards in time is backward causation.
       Backwards is what is certain: the source's anchor begins at or after the end of the target's. Anchors that
       overlap ("in May" and "on 10 May") may be in either order; Eq. 19 still marks such a ``before``.
    3. An ``updates`` edge without effect changes nothing in the view, so it explains nothing either; nor does what is
       only possibly an update.
    """
    edge = row.edge
    if edge.relation in _CAUSAL and row.invalid_from is not None and row.invalid_from <= at:
        return False
    if edge.relation in _FORWARD_IN_TIME:
        return src.event.anchor.start < dst.event.anchor.until or src.event.anchor.start <= dst.event.anchor.start
    return edge.relation != "possibly_updates" and (edge.relation != "updates" or row.effective)


def _crossable(cut: Cut, row: EventRow, at: int, settings: QuerySettings) -> tuple[Edge, ...]:
    kept: list[Edge] = []
    for edge_row in cut.edges(row.event.id):
        src, dst = cut.row(edge_row.edge.src), cut.row(edge_row.edge.dst)
        if src is not None and dst is not None and crossable(edge_row, src, dst, at):
            kept.append(edge_row.edge)
    kept.sort(key=lambda edge: (-edge.confidence * settings.discounts.of(edge.relation), edge.id))
    return tuple(kept[: settings.beam])


def _extensions(path: Path, near: Neighbourhood) -> list[tuple[tuple[str, ...], tuple[Step, ...]]]:
    """The path grown by one relation at either end. The third prune: no two ``contradicts`` in a row."""
    grown: list[tuple[tuple[str, ...], tuple[Step, ...]]] = []
    for at_end in (False, True) if path.steps else (True,):
        tip = path.events[-1 if at_end else 0]
        last = path.steps[-1 if at_end else 0].relation if path.steps else None
        for edge in near.edges.get(tip, ()):
            other = _other_end(edge, tip)
            if other in path.events or other not in near.rows or edge.relation == last == "contradicts":
                continue
            step = Step(src=edge.src, dst=edge.dst, relation=edge.relation, kind=edge.kind, confidence=edge.confidence)
            if at_end:
                grown.append(((*path.events, other), (*path.steps, step)))
            else:
                grown.append(((other, *path.events), (step, *path.steps)))
    return grown


def _in_stated_order(
    events: tuple[str, ...], steps: tuple[Step, ...], rows: Mapping[str, EventRow]
) -> tuple[tuple[str, ...], tuple[Step, ...]]:
    """The direction in which the end said first comes first, so that a path and its reverse are written alike."""
    first, last = rows[events[0]].event, rows[events[-1]].event
    if (first.stated, first.id) <= (last.stated, last.id):
        return events, steps
    return events[::-1], steps[::-1]


def _labels(steps: tuple[Step, ...]) -> tuple[tuple[str, str, str], ...]:
    return tuple((step.src, step.relation, step.dst) for step in steps)


def _order(path: Path) -> tuple[float, _Identity]:
    return (-path.score, (path.events, _labels(path.steps)))


def _other_end(edge: Edge, event_id: str) -> str:
    return edge.dst if edge.src == event_id else edge.src
