"""What paths may run through: events around the seeds, and the links between them that no prune forbids (Eq. 15).

A link is a relation, or a session or theme that two events have in common: these are vertices of the graph too, and a
path crosses them at their own discounts. Events and links are numbers; what a link says is told of chosen paths only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from views.rows import EventRow

from .api import Step
from .common import Common, common_of_one, in_common
from .cut import Cut
from .packed_graph import CONTESTS, IN_ORDER, IS_SOURCE, RELATION_SHIFT, RELATIONS, PackedGraph, packed_graph
from .settings import Discounts, QuerySettings

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """The links of a neighbourhood, column by column: relations first, then what two events have in common.

    ``weights``: c·d(l) of Eq. 18. ``contests``: it is ``contradicts``. ``in_order``: Eq. 19 holds for it. ``arms``: of
    the relations, where they are in the packed graph. ``common``: the others.
    """

    srcs: Ints
    dsts: Ints
    weights: Floats
    contests: Flags
    in_order: Flags
    arms: Ints
    common: Common


class Neighbourhood(msgspec.Struct, frozen=True, kw_only=True):
    """Events by number, in the order in which they were found, and the links between them.

    ``stated``: places by (stated, id), to write a path in one direction; ``validity``: v(e); ``graph``: all there is.
    """

    ids: list[str]
    rows: Mapping[str, EventRow]
    numbers: Mapping[str, int]
    stated: Ints
    validity: Floats
    links: Links
    graph: PackedGraph

    def step(self, link: int) -> Step:
        """A link as a path tells it."""
        links = self.links
        if link < len(links.arms):
            by = self.graph.edge(int(links.arms[link]))
            return Step(src=by.src, dst=by.dst, relation=by.relation, kind=by.kind, confidence=by.confidence)
        place = link - len(links.arms)
        return Step(
            src=self.ids[links.srcs[link]],
            dst=self.ids[links.dsts[link]],
            relation="session" if place < links.common.sessions else "theme",
            kind=None,
            confidence=1.0,
            via=links.common.names[place],
        )


def gather(cut: Cut, seeds: Sequence[str], at: int, settings: QuerySettings) -> Neighbourhood:
    """Events within ``max_hops`` of the seeds, breadth first, at most ``neighbourhood`` beside the seeds themselves.

    At one event the ``beam`` strongest relations are followed, and through each of its sessions and their themes to the
    ``hierarchy_fan`` events of these that are nearest to the seeds in rank: to list a theme would be to list all.
    """
    graph = packed_graph(cut, settings.discounts)
    around = _Around(graph, graph.live(cut.reader, graph.numbers(list(dict.fromkeys(seeds)))))
    level, room = around.found, settings.neighbourhood
    for _ in range(settings.max_hops):
        graph.pack(cut.reader, level)
        level = around.reach(level, at, settings.beam)[: max(0, room)]
        room -= len(level)
        around.add(level)
    numbers, events = around.found, graph.events
    ids = [events.numbers.ids[number] for number in numbers.tolist()]
    rows = cut.rows(ids)
    stated = _stated(rows, events.of("sent", numbers))
    ends, doubted = events.of("ends", numbers), events.of("doubted", numbers)
    return Neighbourhood(
        ids=ids,
        rows=dict(zip(ids, rows, strict=True)),
        numbers={event_id: number for number, event_id in enumerate(ids)},
        stated=stated,
        validity=np.where(at >= ends, 0.0, np.where(at >= doubted, 0.5, 1.0)),
        links=around.links(_common(cut, graph, numbers, rows, stated, settings.hierarchy_fan), settings.discounts),
        graph=graph,
    )


def places(keys: Sequence[Any]) -> list[int]:
    """The place of each key among all of them, sorted."""
    made = [0] * len(keys)
    for place, number in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        made[number] = place
    return made


def _stated(rows: Sequence[EventRow], sent: Ints) -> Ints:
    """The place of each event by (stated, id): by when it was sent, and all of them where that is not enough."""
    order = np.argsort(sent)
    ordered = sent[order]
    if (ordered[1:] == ordered[:-1]).any():
        return np.array(places([(*row.event.stated, row.event.id) for row in rows]), dtype=np.int64)
    return np.argsort(order)


def _common(cut: Cut, graph: PackedGraph, numbers: Ints, rows: Sequence[EventRow], stated: Ints, fan: int) -> Common:
    """What the events have in common."""
    theme_of, found = cut.reader.theme_of, None
    if fan == 1:
        events = graph.events
        sessions, parts = events.of("session", numbers), events.of("part", numbers)
        found = common_of_one(sessions, parts, events.numbers.sessions, theme_of, stated)
    if found is None:
        found = in_common([row.session_ids for row in rows] if fan else (), theme_of, stated.tolist(), fan)
    return found


class _Around:
    """The events found, by their numbers in the graph, and the relations that were followed at them."""

    def __init__(self, graph: PackedGraph, seeds: Ints) -> None:
        self._graph = graph
        self._own: list[Ints] = [seeds[:0]]
        self._arms: list[Ints] = [seeds[:0]]
        self._places: Ints = np.full(len(graph), -1, dtype=np.int64)
        self._reached = 0
        self.found: Ints = seeds[:0]
        self.add(seeds)

    def add(self, numbers: Ints) -> None:
        """Further events."""
        self._places[numbers] = np.arange(len(self.found), len(self.found) + len(numbers))
        self.found = np.concatenate((self.found, numbers))

    def reach(self, numbers: Ints, at: int, most: int) -> Ints:
        """Follow the ``most`` first relations of events, the last that were added; returns what else they lead to."""
        if len(self._places) < len(self._graph):
            rest = np.full(len(self._graph) - len(self._places), -1, dtype=np.int64)
            self._places = np.concatenate((self._places, rest))
        own, arms = self._graph.crossed(numbers, at, most)
        self._own.append(own + self._reached)
        self._arms.append(arms)
        self._reached += len(numbers)
        others = self._graph.arms(arms).others
        beyond = others[self._places[others] < 0]
        order = np.arange(len(beyond))
        first = np.empty(len(self._places), dtype=np.int64)
        first[beyond[::-1]] = order[::-1]  # what is set last stays: where it comes first
        return beyond[first[beyond] == order]

    def links(self, common: Common, discounts: Discounts) -> Links:
        """The relations between the events, each once, and then what they have in common.

        Of several of one kind between the same two it is the strongest: that comes first at either end.
        """
        own, arms = np.concatenate(self._own), np.concatenate(self._arms)
        told = self._graph.arms(arms)
        others = self._places[told.others]
        is_source = told.what & IS_SOURCE > 0
        srcs, dsts = np.where(is_source, own, others), np.where(is_source, others, own)
        inside = np.flatnonzero(others >= 0)
        same = ((srcs * len(self.found) + dsts) * len(RELATIONS) + (told.what >> RELATION_SHIFT))[inside]
        kept = inside[np.sort(np.unique(same, return_index=True)[1])]
        what, through, shared = told.what[kept], (discounts.session, discounts.theme), len(common.names)
        counts = (common.sessions, shared - common.sessions)
        return Links(
            srcs=np.concatenate((srcs[kept], common.srcs)),
            dsts=np.concatenate((dsts[kept], common.dsts)),
            weights=np.concatenate((told.weights[kept], np.repeat(through, counts))),
            contests=np.concatenate((what & CONTESTS > 0, np.zeros(shared, dtype=bool))),
            in_order=np.concatenate((what & IN_ORDER > 0, np.ones(shared, dtype=bool))),
            arms=arms[kept],
            common=common,
        )
