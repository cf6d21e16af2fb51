"""What paths may run through: events around the seeds, and the links between them that no prune forbids (Eq. 15).

A link is a relation, or a session or theme that two events have in common: these are vertices of the graph too, and a
path crosses them at their own discounts. Events and links are numbers; what a link says is told of chosen paths only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple, get_args

import msgspec

from schemas.edges import Edge, Relation
from schemas.parts import whole_of
from views.rows import EdgeRow, EventRow, validity_at

from .api import Step
from .cut import Cut
from .settings import Discounts, Hierarchy, QuerySettings

_CAUSAL = ("causes", "prevents")
_FORWARD_IN_TIME = ("before", "causes", "enables", "prevents")


class Shared(NamedTuple):
    """A session or theme that two events have in common."""

    relation: Hierarchy
    name: str


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """The links of a neighbourhood, column by column: from what to what, and by what.

    ``weights``: c·d(l) of Eq. 18. ``contests``: it is ``contradicts``. ``in_order``: Eq. 19 holds for it.
    """

    srcs: list[int]
    dsts: list[int]
    weights: list[float]
    contests: list[bool]
    in_order: list[bool]
    by: list[Edge | Shared]


class Neighbourhood(msgspec.Struct, frozen=True, kw_only=True):
    """Events by number, in the order in which they were found, and the links between them.

    ``stated``: places by (stated, id), to write a path in one direction; ``starts``: of anchors; ``validity``: v(e).
    """

    ids: list[str]
    rows: Mapping[str, EventRow]
    numbers: Mapping[str, int]
    stated: list[int]
    starts: list[int]
    validity: list[float]
    links: Links

    def step(self, link: int) -> Step:
        """A link as a path tells it."""
        by = self.links.by[link]
        if isinstance(by, Shared):
            src, dst = self.ids[self.links.srcs[link]], self.ids[self.links.dsts[link]]
            return Step(src=src, dst=dst, relation=by.relation, kind=None, confidence=1.0, via=by.name)
        return Step(src=by.src, dst=by.dst, relation=by.relation, kind=by.kind, confidence=by.confidence)


class Arm(NamedTuple):
    """A relation at an event. ``ends``: by what it is the same as another: (src, dst, relation).

    ``until``: the instant from which it is not crossed any more.
    """

    weight: float
    key: str
    other: str
    ends: tuple[str, str, Relation]
    src: str
    dst: str
    contests: bool
    edge: Edge
    in_order: bool
    until: int | None


_SRC, _DST, _WEIGHT = attrgetter("src"), attrgetter("dst"), attrgetter("weight")
_CONTESTS, _IN_ORDER, _EDGE = attrgetter("contests"), attrgetter("in_order"), attrgetter("edge")


def gather(cut: Cut, seeds: Sequence[str], at: int, settings: QuerySettings) -> Neighbourhood:
    """Events within ``max_hops`` of the seeds, breadth first, at most ``neighbourhood`` beside the seeds themselves.

    At one event the ``beam`` strongest relations are followed, and through each of its sessions and their themes to the
    ``hierarchy_fan`` events of these that are nearest to the seeds in rank: to list a theme would be to list all.
    """
    rows = {row.event.id: row for row in cut.rows(seeds)}
    found: list[Arm] = []
    room = settings.neighbourhood
    arms = Arms(cut, settings.discounts)
    level = list(rows)
    for _ in range(settings.max_hops):
        here = [arm for event_id in level for arm in arms.at(event_id, at, settings.beam)]
        found += here
        beyond = dict.fromkeys([arm.other for arm in here if arm.other not in rows])
        level = list(islice(beyond, max(0, room)))
        room -= len(level)
        rows.update([(row.event.id, row) for row in cut.rows(level)])
    numbers = {event_id: number for number, event_id in enumerate(rows)}
    of = list(rows.values())
    stated = places([(*row.event.stated, row.event.id) for row in of])
    return Neighbourhood(
        ids=list(rows),
        rows=rows,
        numbers=numbers,
        stated=stated,
        starts=[row.event.anchor.start for row in of],
        validity=[validity_at(row, at) for row in of],
        links=_links(numbers, _related(numbers, found), _in_common(cut, of, stated, settings), settings),
    )


def places(keys: Sequence[Any]) -> list[int]:
    """The place of each key among all of them, sorted."""
    made = [0] * len(keys)
    for place, number in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        made[number] = place
    return made


class Arms:
    """The relations at events that may be crossed at some time, the strongest first, then by id. Remembered."""

    def __init__(self, cut: Cut, discounts: Discounts) -> None:
        self._cut = cut
        self._known: dict[str, tuple[bool, Sequence[Arm]]] = cut.memo.of_events(("arms", discounts))
        self._discounts = {relation: discounts.of(relation) for relation in get_args(Relation)}

    def at(self, event_id: str, at: int, most: int) -> Sequence[Arm]:
        """The ``most`` first of those at one event that may be crossed at an instant."""
        arms = self._known.get(event_id)
        if arms is None:
            arms = self.of(event_id)
        is_lasting, told = arms
        if not is_lasting:
            told = [arm for arm in told if arm.until is None or at < arm.until]
        return told[:most]

    def of(self, event_id: str) -> tuple[bool, Sequence[Arm]]:
        """Those at one event, and whether all of them may be crossed at any time."""
        arms = self._known.get(event_id)
        if arms is None:
            made = (_arm(row, event_id, self._cut, self._discounts) for row in self._cut.edges(event_id))
            told = sorted((arm for arm in made if arm is not None), key=_strongest)
            arms = self._known[event_id] = (all(arm.until is None for arm in told), told)
        return arms


def _arm(row: EdgeRow, event_id: str, cut: Cut, discounts: Mapping[str, float]) -> Arm | None:
    """The relation, where a path may cross it. Two of the paper's prunes, and one of our own.

    1. A ``causes`` or ``prevents`` edge invalid by then (Eq. 12) is a broken reasoning link.
    2. A ``before``, ``causes``, ``enables`` or ``prevents`` edge that runs backwards in time is backward causation.
       Backwards is what is certain: the source's anchor begins at or after the end of the target's. Anchors that
       overlap ("in May" and "on 10 May") may be in either order; Eq. 19 still marks such a ``before``.
    3. An ``updates`` edge without effect changes nothing in the view, so it explains nothing either; nor does what is
       only possibly an update.
    """
    edge = row.edge
    relation = edge.relation
    if relation == "possibly_updates" or (relation == "updates" and not row.effective):
        return None
    src, dst = cut.row(edge.src), cut.row(edge.dst)
    if src is None or dst is None:
        return None
    began, target = src.event.anchor.start, dst.event.anchor
    if relation in _FORWARD_IN_TIME and began >= target.until and began > target.start:
        return None
    other = edge.dst if edge.src == event_id else edge.src
    in_order = relation != "before" or began <= target.start
    until = row.invalid_from if relation in _CAUSAL else None
    ends = (edge.src, edge.dst, relation)
    return Arm(
        weight=edge.confidence * discounts[relation], key=edge.id, other=other, ends=ends, src=edge.src, dst=edge.dst,
        contests=relation == "contradicts", edge=edge, in_order=in_order, until=until,
    )  # fmt: skip


def _strongest(arm: Arm) -> tuple[float, str]:
    return (-arm.weight, arm.key)


def _links(
    numbers: Mapping[str, int],
    arms: Sequence[Arm],
    shared: Mapping[tuple[int, int, Hierarchy], str],
    settings: QuerySettings,
) -> Links:
    weights = {"session": settings.discounts.session, "theme": settings.discounts.theme}
    groups = {(key[2], name): Shared(key[2], name) for key, name in shared.items()}
    return Links(
        srcs=[*map(numbers.__getitem__, map(_SRC, arms)), *[key[0] for key in shared]],
        dsts=[*map(numbers.__getitem__, map(_DST, arms)), *[key[1] for key in shared]],
        weights=[*map(_WEIGHT, arms), *[weights[key[2]] for key in shared]],
        contests=[*map(_CONTESTS, arms), *[False] * len(shared)],
        in_order=[*map(_IN_ORDER, arms), *[True] * len(shared)],
        by=[*map(_EDGE, arms), *[groups[key[2], name] for key, name in shared.items()]],
    )


def _related(numbers: Mapping[str, int], arms: Sequence[Arm]) -> list[Arm]:
    """The relations between the events, each once; of several of one kind between the same two the strongest."""
    unique: dict[tuple[str, str, Relation], Arm] = {}
    for arm in arms:
        if arm.other in numbers:
            other = unique.setdefault(arm.ends, arm)
            if other.key != arm.key and _strongest(arm) < _strongest(other):
                unique[arm.ends] = arm
    return list(unique.values())


def _in_common(
    cut: Cut, rows: Sequence[EventRow], stated: Sequence[int], settings: QuerySettings
) -> dict[tuple[int, int, Hierarchy], str]:
    """Links through sessions and themes: from each of their first events, in the order found, to the next ones.

    Two events that have several in common are linked through the first by name.
    """
    fan = settings.hierarchy_fan
    if not fan:
        return {}
    sessions: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        names = row.session_ids
        for name in map(whole_of, names) if len(names) == 1 else dict.fromkeys(map(whole_of, names)):
            sessions.setdefault(name, []).append(number)
    themes: dict[str, dict[int, None]] = {}
    for name, members in sessions.items():
        theme = cut.reader.theme_of(name)
        if theme is not None:
            themes.setdefault(theme, {}).update(dict.fromkeys(members))
    found: dict[tuple[int, int, Hierarchy], str] = {}

    def link(relation: Hierarchy, name: str, one: int, other: int) -> None:
        key = (one, other, relation) if stated[one] <= stated[other] else (other, one, relation)
        if found.setdefault(key, name) > name:
            found[key] = name

    for name, members in sessions.items():
        for position, one in enumerate(members):
            for other in members[position + 1 : position + 1 + fan]:
                link("session", name, one, other)
    for name, members in themes.items():
        for one, other in _apart(rows, sorted(members), fan):
            link("theme", name, one, other)
    return found


def _apart(rows: Sequence[EventRow], members: Sequence[int], fan: int) -> Iterator[tuple[int, int]]:
    """Each with the next ones that are of no session it is of."""
    for position, one in enumerate(members):
        own, left = rows[one].session_ids, fan
        for other in map(members.__getitem__, range(position + 1, len(members))):
            of_other = rows[other].session_ids
            if of_other != own and set(own).isdisjoint(of_other):
                yield one, other
                left -= 1
                if not left:
                    break
