"""Events as paths see them: what is known of one beside its row, worked out once and remembered from cut to cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from schemas.edges import Edge, Relation
from schemas.parts import whole_of
from views.rows import EdgeRow, EventRow
from views.vectors.refs import note_ref

from .cut import Cut
from .settings import Discounts

Floats = npt.NDArray[np.float64]

RELATIONS: tuple[Relation, ...] = get_args(Relation)

IS_SOURCE, IN_ORDER, CONTESTS, RELATION_SHIFT = 1, 2, 4, 3
"""Bits of what an arm is: the event is its source; Eq. 19 holds for it; it is ``contradicts``. Its relation above."""

_CAUSAL = ("causes", "prevents")
_FORWARD_IN_TIME = ("before", "causes", "enables", "prevents")


class Arms(NamedTuple):
    """Relations at an event, the strongest first, then by id.

    ``others``: the events at their other ends, all of them live. ``told``: a row for each, c·d(l) of Eq. 18 and the
    bits of what it is.
    """

    others: Sequence[str]
    edges: Sequence[Edge]
    told: Floats


class Vertex(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A live event.

    Attributes:
        row: as it stands.
        stated: its place among events: when it was stated, then by id.
        lasts: v(e) is 1 at any time.
        notes: refs of the notes it rests on, each once.
        sessions: it is of, whole, each once.
        arms: the relations that may be crossed at some time.
        untils: the instant from which each is not crossed any more, None of one that always may be; None of all.
    """

    row: EventRow
    stated: tuple[Any, ...]
    lasts: bool
    notes: tuple[str, ...]
    sessions: tuple[str, ...]
    arms: Arms
    untils: tuple[int | None, ...] | None

    def crossed(self, at: int, most: int) -> Arms:
        """The ``most`` first relations that may be crossed at an instant."""
        others, edges, told = self.arms
        if self.untils is None:
            return self.arms if len(others) <= most else Arms(others[:most], edges[:most], told[:most])
        fit = [place for place, until in enumerate(self.untils) if until is None or at < until][:most]
        return Arms([others[place] for place in fit], [edges[place] for place in fit], told[fit])


class Vertices:
    """The events of a cut."""

    def __init__(self, cut: Cut, discounts: Discounts) -> None:
        self._cut = cut
        self._known: dict[str, Vertex | None] = cut.memo.of_events(("vertices", discounts))
        self._discounts: Mapping[Relation, float] = {relation: discounts.of(relation) for relation in RELATIONS}

    def of(self, event_id: str) -> Vertex | None:
        """A live event, or None."""
        known = self._known
        if event_id in known:
            return known[event_id]
        row = self._cut.row(event_id)
        found = known[event_id] = None if row is None else self._made(row)
        return found

    def _made(self, row: EventRow) -> Vertex:
        event_id, sources = row.event.id, self._cut.sources(row.event.id)
        made = (_arm(edge, event_id, self._cut, self._discounts) for edge in self._cut.edges(event_id))
        arms = sorted((arm for arm in made if arm is not None), key=_BY_STRENGTH)
        untils = tuple(arm.until for arm in arms)
        return Vertex(
            row=row,
            stated=(*row.event.stated, event_id),
            lasts=row.valid_until is None and row.demoted_from is None,
            notes=tuple(note_ref(key) for key in sources),
            sessions=tuple(dict.fromkeys(map(whole_of, row.session_ids))),
            arms=Arms(
                tuple(arm.other for arm in arms),
                tuple(arm.edge for arm in arms),
                np.array([(-arm.weakness, arm.what) for arm in arms], dtype=np.float64).reshape(-1, 2),
            ),
            untils=untils if any(until is not None for until in untils) else None,
        )


class _Arm(NamedTuple):
    """A relation at an event. By (weakness, key) the strongest comes first, then the first by id."""

    weakness: float
    key: str
    other: str
    what: int
    edge: Edge
    until: int | None


_BY_STRENGTH = itemgetter(0, 1)


def _arm(row: EdgeRow, event_id: str, cut: Cut, discounts: Mapping[Relation, float]) -> _Arm | None:
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
    is_source = edge.src == event_id
    what = RELATIONS.index(relation) << RELATION_SHIFT
    what |= IS_SOURCE * is_source
    what |= IN_ORDER * (relation != "before" or began <= target.start)
    what |= CONTESTS * (relation == "contradicts")
    other = edge.dst if is_source else edge.src
    until = row.invalid_from if relation in _CAUSAL else None
    return _Arm(-(edge.confidence * discounts[relation]), edge.id, other, what, edge, until)
