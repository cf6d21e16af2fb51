"""What paths may run through: events around the seeds, and the links between them that no prune forbids (Eq. 15).

A link is a relation, or a session or theme that two events have in common: these are vertices of the graph too, and a
path crosses them at their own discounts. Events and links are numbers; what a link says is told of chosen paths only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, repeat
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from schemas.edges import Edge
from views.rows import EventRow, validity_at

from .api import Step
from .common import Common, in_common
from .cut import Cut
from .settings import Discounts, Hierarchy, QuerySettings
from .vertices import CONTESTS, IN_ORDER, IS_SOURCE, RELATION_SHIFT, RELATIONS, Vertex, Vertices

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """The links of a neighbourhood, column by column: from what to what, and by what.

    ``weights``: c·d(l) of Eq. 18. ``contests``: it is ``contradicts``. ``in_order``: Eq. 19 holds for it. ``by``: the
    relations come first, then what two events have in common.
    """

    srcs: Ints
    dsts: Ints
    weights: Floats
    contests: Flags
    in_order: Flags
    by: list[Edge | tuple[Hierarchy, str]]


class Neighbourhood(msgspec.Struct, frozen=True, kw_only=True):
    """Events by number, in the order in which they were found, and the links between them.

    ``notes``: refs of the notes each event rests on; ``stated``: places by (stated, id), to write a path in one
    direction; ``validity``: v(e).
    """

    ids: list[str]
    rows: Mapping[str, EventRow]
    notes: Mapping[str, Sequence[str]]
    numbers: Mapping[str, int]
    stated: list[int]
    validity: list[float]
    links: Links

    def step(self, link: int) -> Step:
        """A link as a path tells it."""
        by = self.links.by[link]
        if isinstance(by, Edge):
            return Step(src=by.src, dst=by.dst, relation=by.relation, kind=by.kind, confidence=by.confidence)
        src, dst = self.ids[self.links.srcs[link]], self.ids[self.links.dsts[link]]
        return Step(src=src, dst=dst, relation=by[0], kind=None, confidence=1.0, via=by[1])


def gather(cut: Cut, seeds: Sequence[str], at: int, settings: QuerySettings) -> Neighbourhood:
    """Events within ``max_hops`` of the seeds, breadth first, at most ``neighbourhood`` beside the seeds themselves.

    At one event the ``beam`` strongest relations are followed, and through each of its sessions and their themes to the
    ``hierarchy_fan`` events of these that are nearest to the seeds in rank: to list a theme would be to list all.
    """
    vertices = Vertices(cut, settings.discounts)
    found = {seed: vertex for seed in seeds if (vertex := vertices.of(seed)) is not None}
    reached = _Reached()
    room, level = settings.neighbourhood, list(found)
    for _ in range(settings.max_hops):
        others = reached.by([found[event_id] for event_id in level], at, settings.beam)
        level = list(islice(dict.fromkeys([other for other in others if other not in found]), max(0, room)))
        room -= len(level)
        for event_id in level:
            if (vertex := vertices.of(event_id)) is not None:
                found[event_id] = vertex
    numbers = {event_id: number for number, event_id in enumerate(found)}
    of = list(found.values())
    stated = places([vertex.stated for vertex in of])
    common = in_common(cut, of, stated, settings.hierarchy_fan)
    return Neighbourhood(
        ids=list(found),
        rows={event_id: vertex.row for event_id, vertex in found.items()},
        notes={event_id: vertex.notes for event_id, vertex in found.items()},
        numbers=numbers,
        stated=stated,
        validity=[1.0 if vertex.lasts else validity_at(vertex.row, at) for vertex in of],
        links=_links(reached, numbers, common, settings.discounts),
    )


def places(keys: Sequence[Any]) -> list[int]:
    """The place of each key among all of them, sorted."""
    made = [0] * len(keys)
    for place, number in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        made[number] = place
    return made


class _Reached:
    """The relations that were followed, event by event in the order found.

    ``others``: of each the event at its other end; ``counts``: relations of each event.
    """

    def __init__(self) -> None:
        self.others: list[str] = []
        self.edges: list[Edge] = []
        self.told: list[Floats] = [np.empty((0, 2))]
        self.counts: list[int] = []

    def by(self, vertices: Sequence[Vertex], at: int, most: int) -> list[str]:
        """Follow the ``most`` first relations of further events; returns what they lead to."""
        before = len(self.others)
        for vertex in vertices:
            arms = vertex.crossed(at, most)
            self.others += arms.others
            self.edges += arms.edges
            self.told.append(arms.told)
            self.counts.append(len(arms.others))
        return self.others[before:]


def _links(reached: _Reached, numbers: Mapping[str, int], common: Common, discounts: Discounts) -> Links:
    """The relations between the events, each once, and then what they have in common.

    Of several of one kind between the same two it is the strongest: that comes first at either end.
    """
    own = np.repeat(np.arange(len(reached.counts)), reached.counts)
    others = np.fromiter(map(numbers.get, reached.others, repeat(-1)), np.int64, len(reached.others))
    told = np.concatenate(reached.told)
    what = told[:, 1].astype(np.int64)
    is_source = what & IS_SOURCE > 0
    srcs, dsts = np.where(is_source, own, others), np.where(is_source, others, own)
    inside = np.flatnonzero(others >= 0)
    same = ((srcs * len(numbers) + dsts) * len(RELATIONS) + (what >> RELATION_SHIFT))[inside]
    kept = inside[np.sort(np.unique(same, return_index=True)[1])]
    through = {"session": discounts.session, "theme": discounts.theme}
    shared = len(common.by)
    edges = reached.edges
    return Links(
        srcs=np.concatenate((srcs[kept], np.array(common.srcs, dtype=np.int64))),
        dsts=np.concatenate((dsts[kept], np.array(common.dsts, dtype=np.int64))),
        weights=np.concatenate((told[kept, 0], np.array([through[relation] for relation, _ in common.by]))),
        contests=np.concatenate((what[kept] & CONTESTS > 0, np.zeros(shared, dtype=bool))),
        in_order=np.concatenate((what[kept] & IN_ORDER > 0, np.ones(shared, dtype=bool))),
        by=[*[edges[number] for number in kept.tolist()], *common.by],
    )
