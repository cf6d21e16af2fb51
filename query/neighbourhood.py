"""What paths may run through: events around the seeds, and the links between them that no prune forbids (Eq. 15).

A link is a relation, or a session or theme that two events have in common: these are vertices of the graph too, and a
path crosses them at their own discounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from schemas.events import Stated
from schemas.parts import whole_of
from views.rows import EdgeRow, EventRow, validity_at

from .api import Step
from .cut import Cut
from .settings import Hierarchy, QuerySettings

_CAUSAL = ("causes", "prevents")
_FORWARD_IN_TIME = ("before", "causes", "enables", "prevents")


class Link(NamedTuple):
    """One link of the neighbourhood.

    ``weight``: c·d(l) of Eq. 18. ``contests``: it is ``contradicts``. ``in_order``: Eq. 19 holds for it.
    """

    number: int
    ends: tuple[int, int]
    weight: float
    contests: bool
    in_order: bool
    step: Step


class Neighbourhood(msgspec.Struct, frozen=True, kw_only=True):
    """Events by number, in the order in which they were found, and the links at each, the strongest first.

    ``stated``: (stated, id), to write a path in one direction. ``starts``: of the anchors. ``validity``: v(e).
    """

    ids: list[str]
    rows: Mapping[str, EventRow]
    numbers: Mapping[str, int]
    stated: list[tuple[Stated, str]]
    starts: list[int]
    validity: list[float]
    links: list[list[Link]]


class _Found(NamedTuple):
    """A link before its ends have numbers."""

    weight: float
    key: str
    step: Step
    other: str


def gather(cut: Cut, seeds: Sequence[str], at: int, settings: QuerySettings) -> Neighbourhood:
    """Events within ``max_hops`` of the seeds, breadth first, at most ``neighbourhood`` beside the seeds themselves.

    At one event the ``beam`` strongest relations are followed, and through each of its sessions and their themes to the
    ``hierarchy_fan`` events of these that are nearest to the seeds in rank: to list a theme would be to list all.
    """
    rows = {row.event.id: row for row in cut.rows(seeds)}
    found: dict[str, list[_Found]] = {}
    room = settings.neighbourhood
    level = list(rows)
    for _ in range(settings.max_hops):
        following: list[str] = []
        for event_id in level:
            found[event_id] = _crossable(cut, rows[event_id], at, settings)
            for link in found[event_id]:
                row = cut.row(link.other)
                if link.other not in rows and row is not None and room > 0:
                    rows[link.other] = row
                    following.append(link.other)
                    room -= 1
        level = following
    hierarchy = _hierarchy(cut, list(rows.values()), settings)
    return _numbered(rows, (*(link for links in found.values() for link in links), *hierarchy), at)


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


def _crossable(cut: Cut, row: EventRow, at: int, settings: QuerySettings) -> list[_Found]:
    kept: list[_Found] = []
    for edge_row in cut.edges(row.event.id):
        edge = edge_row.edge
        src, dst = cut.row(edge.src), cut.row(edge.dst)
        if src is not None and dst is not None and crossable(edge_row, src, dst, at):
            step = Step(src=edge.src, dst=edge.dst, relation=edge.relation, kind=edge.kind, confidence=edge.confidence)
            other = edge.dst if edge.src == row.event.id else edge.src
            kept.append(_Found(edge.confidence * settings.discounts.of(edge.relation), edge.id, step, other))
    kept.sort(key=lambda link: (-link.weight, link.key))
    return kept[: settings.beam]


def _hierarchy(cut: Cut, rows: Sequence[EventRow], settings: QuerySettings) -> Iterable[_Found]:
    """Links through sessions and themes: from each of their first events, in the order found, to the next ones."""
    if not settings.hierarchy_fan:
        return
    sessions: dict[str, list[EventRow]] = {}
    themes: dict[str, list[EventRow]] = {}
    for row in rows:
        names = dict.fromkeys(whole_of(session) for session in row.session_ids)
        for name in names:
            sessions.setdefault(name, []).append(row)
        for theme in dict.fromkeys(cut.reader.theme_of(name) for name in names):
            if theme is not None:
                themes.setdefault(theme, []).append(row)
    both: tuple[tuple[Hierarchy, dict[str, list[EventRow]]], ...] = (("session", sessions), ("theme", themes))
    for relation, groups in both:
        discount = settings.discounts.of(relation)
        for name, members in groups.items():
            for position, row in enumerate(members):
                others = members[position + 1 :]
                if relation == "theme":
                    others = [one for one in others if set(one.session_ids).isdisjoint(row.session_ids)]
                for other in others[: settings.hierarchy_fan]:
                    first, last = sorted((row, other), key=lambda one: (one.event.stated, one.event.id))
                    step = Step(
                        src=first.event.id, dst=last.event.id, relation=relation, kind=None, confidence=1.0, via=name
                    )
                    yield _Found(discount, f"{relation}:{name}:{step.src}:{step.dst}", step, last.event.id)


def _numbered(rows: Mapping[str, EventRow], found: Iterable[_Found], at: int) -> Neighbourhood:
    ids = list(rows)
    numbers = {event_id: number for number, event_id in enumerate(ids)}
    events = [row.event for row in rows.values()]
    starts = [event.anchor.start for event in events]
    links: list[list[Link]] = [[] for _ in ids]
    unique: dict[tuple[str, str, str], _Found] = {}
    for link in sorted(found, key=lambda link: (-link.weight, link.key)):
        if link.step.src in numbers and link.step.dst in numbers:
            unique.setdefault((link.step.src, link.step.relation, link.step.dst), link)
    for number, link in enumerate(unique.values()):
        src, dst = numbers[link.step.src], numbers[link.step.dst]
        relation = link.step.relation
        in_order = relation != "before" or starts[src] <= starts[dst]
        made = Link(number, (src, dst), link.weight, relation == "contradicts", in_order, link.step)
        links[src].append(made)
        links[dst].append(made)
    return Neighbourhood(
        ids=ids,
        rows=rows,
        numbers=numbers,
        stated=[(event.stated, event.id) for event in events],
        starts=starts,
        validity=[validity_at(row, at) for row in rows.values()],
        links=links,
    )
