"""The events of a space and the relations between them, as arrays by number: what paths are looked for in.

Packed from a cut, the whole of it at once or what is asked for, and kept from cut to cut without what has changed. An
event keeps its number; its relations are written anew behind those of all others. So a cut that is still read keeps
what it has.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from schemas.edges import Edge, Relation
from views.reader import SpaceReader

from .cut import Cut
from .event_columns import FOREVER, EventColumns, Numbers
from .settings import Discounts

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

RELATIONS: tuple[Relation, ...] = get_args(Relation)

IS_SOURCE, IN_ORDER, CONTESTS, RELATION_SHIFT = 1, 2, 4, 3
"""Bits of what an arm is: the event is its source; Eq. 19 holds for it; it is ``contradicts``. Its relation above."""

WHOLE_MOST = 131_072
"""Events of a space that is packed at once, when it was read anew: that takes far longer."""

_CHUNK = 4_096
_SPARE = 65_536
"""Arms of former cuts, and events, that are kept beside as many again as there are; past it all is packed anew."""

_CAUSAL = ("causes", "prevents")
_FORWARD_IN_TIME = ("before", "causes", "enables", "prevents")
_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_IS_FORWARD = np.array([relation in _FORWARD_IN_TIME for relation in RELATIONS])


class Arms(NamedTuple):
    """Relations, each at one of its ends. ``others``: the events at the other ends. ``what``: see ``IS_SOURCE``.

    ``weights``: c·d(l) of Eq. 18. ``until``: the instants from which they are not crossed any more.
    """

    others: Ints
    what: Ints
    weights: Floats
    until: Ints

    def of(self, chosen: Ints) -> Arms:
        """Some of them."""
        return Arms(self.others[chosen], self.what[chosen], self.weights[chosen], self.until[chosen])


class _Arena:
    """Arms of many cuts, one behind the other; none is ever changed."""

    def __init__(self) -> None:
        self.arms = Arms(_room(256), _room(256), np.zeros(256), _room(256))
        self.edges: list[Edge] = []

    def add(self, arms: Arms, edges: Iterable[Edge]) -> int:
        """Returns where they begin."""
        begin = len(self.edges)
        self.edges += edges
        if len(self.edges) > len(self.arms.others):
            more = len(self.edges) - begin + len(self.edges) // 4
            self.arms = self.arms.of(np.concatenate((np.arange(begin), _room(more))))
        end = begin + len(arms.others)
        self.arms.others[begin:end], self.arms.what[begin:end] = arms.others, arms.what
        self.arms.weights[begin:end], self.arms.until[begin:end] = arms.weights, arms.until
        return begin


def _room(size: int) -> Ints:
    return np.zeros(size, dtype=np.int64)


class PackedGraph:
    """Of one cut. Safe with several threads.

    Args:
        discounts: d(l) of Eq. 18.
        former: of the cut before; nothing of what has changed since may be in its ``events``.
        events: what is known of the events.
    """

    def __init__(
        self, discounts: Discounts, former: PackedGraph | None = None, events: EventColumns | None = None
    ) -> None:
        self._discounts = discounts
        self._of_relation = np.array([discounts.of(relation) for relation in RELATIONS])
        self._arena = _Arena() if former is None else former._arena
        self._lock = threading.RLock() if former is None else former._lock
        self.is_whole = False if former is None else former.is_whole
        self.events = EventColumns(Numbers()) if events is None else events

    def without(self, event_ids: Iterable[str]) -> PackedGraph:
        """For the next cut: it knows nothing of these."""
        with self._lock:
            columns, numbers = self.events.columns, self.events.numbers
            live = columns["begin"] >= 0
            is_worn = len(self._arena.edges) > 2 * int(columns["count"][live].sum()) + _SPARE
            if is_worn or len(numbers.ids) > 2 * int(live.sum()) + _SPARE:
                return PackedGraph(self._discounts)
            return PackedGraph(self._discounts, self, self.events.without(event_ids))

    def pack_all(self, reader: SpaceReader) -> None:
        """Pack a whole space, where it is not too large."""
        event_ids = reader.event_ids()
        for begin in range(0, len(event_ids) if len(event_ids) <= WHOLE_MOST else 0, _CHUNK):
            self.pack(reader, self.numbers(event_ids[begin : begin + _CHUNK]))
        self.is_whole = True

    def numbers(self, event_ids: Sequence[str]) -> Ints:
        """The numbers of events."""
        known = self.events.numbers.of_event
        numbers = [known.get(event_id, -1) for event_id in event_ids]
        if numbers and not 0 <= min(numbers) <= max(numbers) < len(self):
            with self._lock:  # new ones, or given by a cut before or after this one
                numbers = self.events.numbers.events(event_ids)
                self.events.room()
        return np.array(numbers, dtype=np.int64)

    def __len__(self) -> int:
        """More than any number of an event that is packed, or at the other end of an arm."""
        return len(self.events.columns["known"])

    def live(self, reader: SpaceReader, numbers: Ints) -> Ints:
        """Those that are live."""
        self.pack(reader, numbers)
        return numbers[self.events.is_live(numbers)]

    def pack(self, reader: SpaceReader, numbers: Ints) -> None:
        """Pack what is not packed of these events and their relations."""
        if (self.events.of("begin", numbers) < 0).any():
            with self._lock:
                missing = np.unique(numbers[self.events.of("begin", numbers) < 0])
                self._pack(reader, missing)

    def crossed(self, numbers: Ints, at: int, most: int) -> tuple[Ints, Ints]:
        """The ``most`` strongest relations at each of these events that may be crossed at an instant, event by event.

        Returns:
            The positions of the events among these, and of the arms (``arms``).
        """
        events, lasts = self.events, self.events.of("lasts", numbers) > 0
        counts = events.of("count", numbers)
        taken = np.where(lasts, np.minimum(counts, most), counts)
        ends = np.cumsum(taken)
        own = np.repeat(np.arange(len(numbers)), taken)
        arms = np.arange(len(own)) + np.repeat(events.of("begin", numbers) - (ends - taken), taken)
        if lasts.all():
            return own, arms
        is_open = self._arena.arms.until[arms] > at
        place = np.cumsum(is_open)
        fit = is_open & (place - np.concatenate(([0], place))[ends - taken][own] <= most)
        return own[fit], arms[fit]

    def arms(self, positions: Ints) -> Arms:
        """What the arms at these positions are."""
        return self._arena.arms.of(positions)

    def edge(self, position: int) -> Edge:
        """The relation itself."""
        return self._arena.edges[position]

    def _pack(self, reader: SpaceReader, numbers: Ints) -> None:
        """Prunes of paths that are ours or the paper's, and do not depend on the time.

        1. A ``before``, ``causes``, ``enables`` or ``prevents`` edge that runs backwards in time is backward causation.
           Backwards is what is certain: the source's anchor begins at or after the end of the target's. Anchors that
           overlap ("in May" and "on 10 May") may be in either order; Eq. 19 still marks such a ``before``.
        2. An ``updates`` edge without effect changes nothing in the view, so it explains nothing either; nor does what
           is only possibly an update.

        The third, that a ``causes`` or ``prevents`` edge invalid by then (Eq. 12) is a broken reasoning link, is in
        ``until``.
        """
        events, rows = self.events, _Rows(reader, [self.events.numbers.ids[number] for number in numbers.tolist()])
        own = np.array(rows.own, dtype=np.int64)
        ours, others = numbers[own], np.array(events.numbers.events(rows.others), dtype=np.int64)
        events.look(reader, np.concatenate((numbers, others)))
        codes, is_source = np.array(rows.codes, dtype=np.int64), np.array(rows.is_source, dtype=bool)
        srcs, dsts = np.where(is_source, ours, others), np.where(is_source, others, ours)
        began, start = events.of("start", srcs), events.of("start", dsts)
        is_backward = _IS_FORWARD[codes] & (began >= events.of("until", dsts)) & (began > start)
        kept = np.flatnonzero(events.is_live(ours) & events.is_live(others) & ~is_backward)
        weights = np.array(rows.confidences, dtype=np.float64) * self._of_relation[codes]
        kept = kept[np.lexsort((-weights[kept], own[kept]))]  # equal ones stay in the order of their ids
        in_order = (codes != _CODES["before"]) | (began <= start)
        contests = codes == _CODES["contradicts"]
        what = codes << RELATION_SHIFT | is_source * IS_SOURCE | in_order * IN_ORDER | contests * CONTESTS
        until = np.array(rows.until, dtype=np.int64)
        arms = Arms(others, what, weights, until).of(kept)
        begin = self._arena.add(arms, [rows.edges[place] for place in kept.tolist()])
        counts = np.bincount(own[kept], minlength=len(numbers))
        changing = np.bincount(own[kept], weights=until[kept] < FOREVER, minlength=len(numbers))
        events.columns["count"][numbers] = counts
        events.columns["lasts"][numbers] = changing == 0
        events.columns["begin"][numbers] = begin + np.cumsum(counts) - counts  # the last: now they may be read


def packed_graph(cut: Cut, discounts: Discounts) -> PackedGraph:
    """That of a cut, whole where the cut is one that is kept: a scope is looked at once."""
    graph = cut.memo.followed(("packed graph", discounts), lambda: PackedGraph(discounts))
    if not graph.is_whole and cut.is_kept:
        graph.pack_all(cut.reader)
    return graph


class _Rows:
    """The relations at some events as lists: the position of the event and its number's other end, and what it is."""

    def __init__(self, reader: SpaceReader, event_ids: Sequence[str]) -> None:
        self.own: list[int] = []
        self.others: list[str] = []
        self.codes: list[int] = []
        self.is_source: list[bool] = []
        self.confidences: list[float] = []
        self.until: list[int] = []
        self.edges: list[Edge] = []
        for position, event_id in enumerate(event_ids):
            for row in reader.edges_of(event_id):
                edge = row.edge
                relation, invalid_from = edge.relation, row.invalid_from
                if relation == "possibly_updates" or (relation == "updates" and not row.effective):
                    continue
                is_source = edge.src == event_id
                self.own.append(position)
                self.others.append(edge.dst if is_source else edge.src)
                self.codes.append(_CODES[relation])
                self.is_source.append(is_source)
                self.confidences.append(edge.confidence)
                self.until.append(FOREVER if invalid_from is None or relation not in _CAUSAL else invalid_from)
                self.edges.append(edge)
