"""Order for current questions: what holds comes before what it replaced, and nothing is dropped.

Relevance alone puts the outdated statement first more often than not, since both are about the same thing in the same
words. Items keep the order of their scores; only where one shows a statement's successor it moves up in front of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from schemas.ids import MessageKey
from views.rows import EventRow, in_force

from .api import Path
from .cut import Cut
from .markers import is_past, unmarked_since

_SAYS_LITTLE = ("before", "session", "theme")


def current_first(
    items: Sequence[Sequence[str]], scores: Sequence[float], cut: Cut, at: int, margin: float
) -> list[int]:
    """A new order of items, as positions.

    An item that shows a past statement comes after the items that show what superseded it. An item that shows a current
    statement comes after those that show a newer current one on the same subject and attribute, or one that may have
    superseded it, when their score is within ``margin``: a far less relevant one is not pulled up merely for being new.

    Args:
        items: the events each item shows, best item first.
        scores: the items' scores.
        cut: the space as read by this query.
        at: instant the question is about.
        margin: see above, in units of the scores.
    """
    return _Order(items, scores, cut, at, margin).made()


class _Pull(NamedTuple):
    """What comes before an item because of one event of it, as positions.

    ``is_past``: the event is; ``first``: what replaced it, or else may have. ``newer``: of the ``group`` on its subject
    and attribute, newest first, so many are newer. ``bits``: all of these as a set.
    """

    is_past: bool
    first: Sequence[int]
    group: Sequence[int]
    newer: int
    bits: int


class _Order:
    """An order in the making. No inner function: one that calls itself is garbage only a search for circles finds.

    Sets of positions are integers with a bit for each: most questions about an item are answered by one step.
    """

    def __init__(
        self, items: Sequence[Sequence[str]], scores: Sequence[float], cut: Cut, at: int, margin: float
    ) -> None:
        self._scores = scores
        self._margin = margin
        where: dict[str, int] = {}
        for position, events in enumerate(items):
            for event_id in events:
                where.setdefault(event_id, position)
        pulls = _pulls(where, cut, at)
        self._pulls = [[pulls[event_id] for event_id in events if event_id in pulls] for events in items]
        self._placed = 0
        self._made: list[int] = []

    def made(self) -> list[int]:
        """Positions in order."""
        for position, pulls in enumerate(self._pulls):
            if pulls:
                self._place(position)
            elif not self._placed >> position & 1:
                self._made.append(position)
                self._placed |= 1 << position
        return self._made

    def _place(self, position: int) -> None:
        """An item, after all that come before it."""
        if self._placed >> position & 1:
            return
        self._placed |= 1 << position
        for pull in self._pulls[position]:
            if pull.bits & ~self._placed:
                self._before(pull, position)
        self._made.append(position)

    def _before(self, pull: _Pull, position: int) -> None:
        ahead = pull.bits & ~self._placed
        if not pull.is_past:
            ahead &= self._near(position)
        for other in (*pull.first, *pull.group[: pull.newer]) if ahead else ():
            if ahead >> other & 1:
                self._place(other)

    def _near(self, position: int) -> int:
        """Positions whose score is not far below that of one, or above it."""
        ranked, above = self._above
        place = bisect_left(ranked, self._scores[position] - self._margin)
        return above[place] if place < len(above) else 0

    @cached_property
    def _above(self) -> tuple[list[float], list[int]]:
        """The scores, lowest first; and for each the positions that have as much or more."""
        order = sorted(range(len(self._scores)), key=self._scores.__getitem__)
        above, bits = [0] * len(order), 0
        for place in range(len(order) - 1, -1, -1):
            bits |= 1 << order[place]
            above[place] = bits
        return [self._scores[position] for position in order], above


def _pulls(where: Mapping[str, int], cut: Cut, at: int) -> dict[str, _Pull]:
    """Of the events that may move anything what they move, by ``where`` each is shown first."""
    rows = cut.rows(list(where))
    pulls = _newer_on_same(rows, where, cut, at)
    known: dict[str, _Before] = cut.memo.of_events("comes after")
    for row in rows:
        event_id = row.event.id
        before = known[event_id] if event_id in known else known.setdefault(event_id, _before(row, cut))
        if not before.is_anything:
            continue
        past = is_past(row, at)
        first = [where[other] for other in (before.successors if past else before.possible) if other in where]
        newer = None if past else pulls.get(event_id)
        if first:
            bits = 0 if newer is None else newer.bits
            for position in first:
                bits |= 1 << position
            group, count = ((), 0) if newer is None else (newer.group, newer.newer)
            pulls[event_id] = _Pull(past, first, group, count, bits)
    return pulls


def by_relevance(
    paths: Sequence[Path], scores: Mapping[MessageKey, float], own: Mapping[str, float], cut: Cut
) -> list[Path]:
    """Paths by the mean of their events' best notes in the fused ranking; equal ones as they were.

    ``own``: scores of events, for those that rest on no message.
    """

    best: dict[str, float] = {}
    for event_id in dict.fromkeys(event_id for path in paths for event_id in path.events):
        keys = cut.sources(event_id)
        if len(keys) == 1:
            best[event_id] = scores.get(keys[0], 0.0)
        else:
            best[event_id] = max([scores.get(key, 0.0) for key in keys]) if keys else own.get(event_id, 0.0)
    worth: list[float] = []
    for path in paths:
        found = [best[event_id] for event_id in path.events if cut.row(event_id) is not None]
        worth.append(sum(found) / len(found) if found else 0.0)
    return [paths[place] for place in sorted(range(len(paths)), key=lambda place: -worth[place])]


def is_telling(path: Path) -> bool:
    """Whether a chain has a relation that says more than that one came first, or that both belong together."""
    return any(step.relation not in _SAYS_LITTLE for step in path.steps)


def take_turns(paths: Sequence[Path]) -> list[Path]:
    """Single events and chains by turns, each in their order; chains that only say ``before``, or what belongs to the
    same session or theme, come last.

    A chain never outscores the best event on it, so by score alone the block would hold no chain under a tight budget.
    Events already shown cost a chain no more than their labels.
    """
    singles = [path for path in paths if not path.steps]
    telling = [path for path in paths if is_telling(path)]
    sequences = [path for path in paths if path.steps and all(step.relation in _SAYS_LITTLE for step in path.steps)]
    turns: list[Path] = []
    for position in range(max(len(singles), len(telling))):
        turns += singles[position : position + 1] + telling[position : position + 1]
    return turns + sequences


class _Before(NamedTuple):
    """What is shown before an event, by id: whatever superseded it, newest first, or may have, the surest first."""

    is_anything: bool
    successors: Sequence[str]
    possible: Sequence[str]


def _before(row: EventRow, cut: Cut) -> _Before:
    if unmarked_since(row, cut) is not None:
        return _Before(False, (), ())
    rows = cut.rows([superseder.event_id for superseder in row.superseders])
    successors = sorted(rows, key=lambda new: (new.event.stated, new.event.id), reverse=True)
    edges = [one.edge for one in cut.edges(row.event.id) if one.edge.relation == "possibly_updates"]
    newer = sorted((e for e in edges if e.dst == row.event.id), key=lambda edge: (-edge.confidence, edge.id))
    return _Before(bool(rows or newer), [new.event.id for new in successors], [edge.src for edge in newer])


def _newer_on_same(rows: Sequence[EventRow], where: Mapping[str, int], cut: Cut, at: int) -> dict[str, _Pull]:
    """For each current statement: current ones of the same subject and attribute said later."""
    groups: dict[tuple[str, str], list[EventRow]] = {}
    topics: dict[str, tuple[str, str] | None] = cut.memo.of_events("topic")
    for row in rows:
        event_id = row.event.id
        topic = topics[event_id] if event_id in topics else topics.setdefault(event_id, _topic(row))
        if topic is not None and in_force(row, at):
            groups.setdefault(topic, []).append(row)
    newer: dict[str, _Pull] = {}
    for of_group in groups.values():
        if len(of_group) == 1:
            continue
        of_group.sort(key=lambda row: (row.event.stated, row.event.id), reverse=True)
        group, bits = [where[row.event.id] for row in of_group], 0
        for number, row in enumerate(of_group):
            if number:
                newer[row.event.id] = _Pull(False, (), group, number, bits)
            bits |= 1 << group[number]
    return newer


def _topic(row: EventRow) -> tuple[str, str] | None:
    """Subject and attribute, where it has both."""
    event = row.event
    if event.subject is None or event.attribute is None:
        return None
    return event.subject.casefold(), event.attribute.casefold()
