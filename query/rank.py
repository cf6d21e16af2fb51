"""Order for current questions: what holds comes before what it replaced, and nothing is dropped.

Relevance alone puts the outdated statement first more often than not, since both are about the same thing in the same
words. Items keep the order of their scores; only where one shows a statement's successor it moves up in front of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    order = _Order(items, scores, cut, at, margin)
    for position in range(len(items)):
        order.place(position)
    return order.made


class _Order:
    """An order in the making. No inner function: one that calls itself is garbage only a search for circles finds."""

    def __init__(
        self, items: Sequence[Sequence[str]], scores: Sequence[float], cut: Cut, at: int, margin: float
    ) -> None:
        self._items = items
        self._scores = scores
        self._cut = cut
        self._at = at
        self._margin = margin
        self._where: dict[str, int] = {}
        for position, events in enumerate(items):
            for event_id in events:
                self._where.setdefault(event_id, position)
        self._newer = _newer_on_same(cut, list(self._where), at)
        self._placed: set[int] = set()
        self.made: list[int] = []

    def place(self, position: int) -> None:
        """An item, after all that come before it."""
        if position in self._placed:
            return
        self._placed.add(position)
        where, placed, scores = self._where, self._placed, self._scores
        least = scores[position] - self._margin
        for row in self._cut.rows(self._items[position]):
            is_plain = unmarked_since(row, self._cut) is not None
            if not is_plain and is_past(row, self._at):
                for event_id in _successors(row, self._cut):
                    other = where.get(event_id)
                    if other is not None and other not in placed:
                        self.place(other)
            else:
                newer = self._newer.get(row.event.id, ())
                for event_id in newer if is_plain else (*_possible(row, self._cut), *newer):
                    other = where.get(event_id)
                    if other is not None and other not in placed and scores[other] >= least:
                        self.place(other)
        self.made.append(position)


def by_relevance(
    paths: Sequence[Path], scores: Mapping[MessageKey, float], own: Mapping[str, float], cut: Cut
) -> list[Path]:
    """Paths by the mean of their events' best notes in the fused ranking; equal ones as they were.

    ``own``: scores of events, for those that rest on no message.
    """

    def best(event_id: str) -> float:
        keys = cut.sources(event_id)
        return max(scores.get(key, 0.0) for key in keys) if keys else own.get(event_id, 0.0)

    def worth(path: Path) -> float:
        found = [best(row.event.id) for row in cut.rows(path.events)]
        return sum(found) / len(found) if found else 0.0

    return sorted(paths, key=lambda path: -worth(path))


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


def _successors(row: EventRow, cut: Cut) -> list[str]:
    """Whatever superseded it, the newest first. Remembered."""
    known = cut.memo.of_events("successors")
    found: list[str] | None = known.get(row.event.id)
    if found is None:
        rows = cut.rows([superseder.event_id for superseder in row.superseders])
        ordered = sorted(rows, key=lambda new: (new.event.stated, new.event.id), reverse=True)
        found = known[row.event.id] = [new.event.id for new in ordered]
    return found


def _possible(row: EventRow, cut: Cut) -> list[str]:
    """Whatever may have superseded it, the surest first. Remembered."""
    known = cut.memo.of_events("may supersede")
    found: list[str] | None = known.get(row.event.id)
    if found is None:
        edges = [one.edge for one in cut.edges(row.event.id) if one.edge.relation == "possibly_updates"]
        newer = [edge for edge in edges if edge.dst == row.event.id]
        newer.sort(key=lambda edge: (-edge.confidence, edge.id))
        found = known[row.event.id] = [edge.src for edge in newer]
    return found


def _newer_on_same(cut: Cut, event_ids: Sequence[str], at: int) -> Mapping[str, Sequence[str]]:
    """For each current statement: current ones of the same subject and attribute said later, the newest first."""
    groups: dict[tuple[str, str], list[EventRow]] = {}
    topics: dict[str, tuple[str, str] | None] = cut.memo.of_events("topic")
    for row in cut.rows(event_ids):
        event_id = row.event.id
        if event_id not in topics:
            topics[event_id] = _topic(row)
        topic = topics[event_id]
        if topic is not None and in_force(row, at):
            groups.setdefault(topic, []).append(row)
    newer: dict[str, Sequence[str]] = {}
    for group in groups.values():
        if len(group) == 1:
            continue
        group.sort(key=lambda row: (row.event.stated, row.event.id), reverse=True)
        ids = [row.event.id for row in group]
        newer.update({event_id: ids[:position] for position, event_id in enumerate(ids)})
    return newer


def _topic(row: EventRow) -> tuple[str, str] | None:
    """Subject and attribute, where it has both."""
    event = row.event
    if event.subject is None or event.attribute is None:
        return None
    return event.subject.casefold(), event.attribute.casefold()
