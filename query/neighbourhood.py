"""What paths may run through: events around the seeds, and the links between them that no prune forbids (Eq. 15).

A link is a relation, or a session or theme that two events have in common: these are vertices of the graph too, and a
path crosses them at their own discounts. Events and links are numbers; what a link says is told of chosen paths only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import msgspec

from schemas.edges import Edge, Relation
from schemas.events import Stated
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

    ends: list[tuple[int, int]]
    weights: list[float]
    contests: list[bool]
    in_order: list[bool]
    by: list[Edge | Shared]


class Neighbourhood(msgspec.Struct, frozen=True, kw_only=True):
    """Events by number, in the order in which they were found, and the links between them.

    ``stated``: (stated, id), to write a path in one direction. ``starts``: of the anchors. ``validity``: v(e).
    """

    ids: list[str]
    rows: Mapping[str, EventRow]
    numbers: Mapping[str, int]
    stated: list[tuple[Stated, str]]
    starts: list[int]
    validity: list[float]
    links: Links

    def step(self, link: int) -> Step:
        """A link as a path tells it."""
        (src, dst), by = self.links.ends[link], self.links.by[link]
        if isinstance(by, Shared):
            return Step(
                src=self.ids[src], dst=self.ids[dst], relation=by.relation, kind=None, confidence=1.0, via=by.name
            )
        return Step(src=by.src, dst=by.dst, relation=by.relation, kind=by.kind, confidence=by.confidence)


class Arm(NamedTuple):
    """A relation at an event. ``until``: the instant from which it is not crossed any more."""

    weight: float
    key: str
    other: str
    edge: Edge
    in_order: bool
    until: int | None


def gather(cut: Cut, seeds: Sequence[str], at: int, settings: QuerySettings) -> Neighbourhood:
    """Events within ``max_hops`` of the seeds, breadth first, at most ``neighbourhood`` beside the seeds themselves.

    At one event the ``beam`` strongest relations are followed, and through each of its sessions and their themes to the
    ``hierarchy_fan`` events of these that are nearest to the seeds in rank: to list a theme would be to list all.
    """
    rows = {row.event.id: row for row in cut.rows(seeds)}
    found: dict[str, Arm] = {}
    room = settings.neighbourhood
    arms = Arms(cut, settings.discounts)
    level = list(rows)
    for _ in range(settings.max_hops):
        following: list[str] = []
        for event_id in level:
            left = settings.beam
            for arm in arms.of(event_id):
                if arm.until is not None and at >= arm.until:
                    continue
                if not left:
                    break
                left -= 1
                found[arm.key] = arm
                row = cut.row(arm.other) if room > 0 and arm.other not in rows else None
                if row is not None:
                    rows[arm.other] = row
                    following.append(arm.other)
                    room -= 1
        level = following
    events = [row.event for row in rows.values()]
    numbers = {event_id: number for number, event_id in enumerate(rows)}
    stated = [(event.stated, event.id) for event in events]
    return Neighbourhood(
        ids=list(rows),
        rows=rows,
        numbers=numbers,
        stated=stated,
        starts=[event.anchor.start for event in events],
        validity=[validity_at(row, at) for row in rows.values()],
        links=_links(_related(numbers, found), _in_common(cut, list(rows.values()), stated, settings), settings),
    )


class Arms:
    """The relations at events that may be crossed at some time, the strongest first, then by id. Remembered."""

    def __init__(self, cut: Cut, discounts: Discounts) -> None:
        self._cut = cut
        self._known: dict[str, Sequence[Arm]] = cut.memo.of_events(("arms", discounts))
        self._discounts = {relation: discounts.of(relation) for relation in get_args(Relation)}

    def of(self, event_id: str) -> Sequence[Arm]:
        """Those at one event."""
        arms = self._known.get(event_id)
        if arms is None:
            made = (_arm(row, event_id, self._cut, self._discounts) for row in self._cut.edges(event_id))
            arms = self._known[event_id] = sorted((arm for arm in made if arm is not None), key=_strongest)
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
    return Arm(edge.confidence * discounts[relation], edge.id, other, edge, in_order, until)


def _strongest(arm: Arm) -> tuple[float, str]:
    return (-arm.weight, arm.key)


def _links(
    related: Mapping[tuple[int, int, str], Arm],
    shared: Mapping[tuple[int, int, Hierarchy], str],
    settings: QuerySettings,
) -> Links:
    weights = {"session": settings.discounts.session, "theme": settings.discounts.theme}
    edges: list[Edge | Shared] = [arm.edge for arm in related.values()]
    groups = {(relation, name): Shared(relation, name) for (_, _, relation), name in shared.items()}
    return Links(
        ends=[(src, dst) for src, dst, _ in (*related, *shared)],
        weights=[arm.weight for arm in related.values()] + [weights[relation] for _, _, relation in shared],
        contests=[relation == "contradicts" for _, _, relation in related] + [False] * len(shared),
        in_order=[arm.in_order for arm in related.values()] + [True] * len(shared),
        by=edges + [groups[relation, name] for (_, _, relation), name in shared.items()],
    )


def _related(numbers: Mapping[str, int], arms: Mapping[str, Arm]) -> dict[tuple[int, int, str], Arm]:
    """The relations between the events; of several of one kind between the same two the strongest."""
    unique: dict[tuple[int, int, str], Arm] = {}
    for arm in arms.values():
        edge = arm.edge
        src, dst = numbers.get(edge.src), numbers.get(edge.dst)
        if src is not None and dst is not None:
            other = unique.setdefault((src, dst, edge.relation), arm)
            if other is not arm and _strongest(arm) < _strongest(other):
                unique[src, dst, edge.relation] = arm
    return unique


def _in_common(
    cut: Cut, rows: Sequence[EventRow], stated: Sequence[tuple[Stated, str]], settings: QuerySettings
) -> dict[tuple[int, int, Hierarchy], str]:
    """Links through sessions and themes: from each of their first events, in the order found, to the next ones.

    Two events that have several in common are linked through the first by name.
    """
    fan = settings.hierarchy_fan
    if not fan:
        return {}
    sessions: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        for name in row.session_ids if len(row.session_ids) == 1 else dict.fromkeys(map(whole_of, row.session_ids)):
            sessions.setdefault(whole_of(name), []).append(number)
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
        for other in members[position + 1 :]:
            of_other = rows[other].session_ids
            if of_other != own and set(own).isdisjoint(of_other):
                yield one, other
                left -= 1
                if not left:
                    break
