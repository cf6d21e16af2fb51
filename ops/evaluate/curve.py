"""What would be found if every link of a confidence, also a possible one, counted as an update: the curve behind a
threshold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from query.api import EdgeEntry

from .matching import Gold, Predicted, Turn, match
from .suite import share

LINKS = ("updates", "possibly_updates")
LEAST = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


class Point(msgspec.Struct, kw_only=True):
    """Counts over conversations, of links from a confidence on."""

    least: float
    linked: int = 0
    neutral: int = 0
    right: int = 0
    traps: int = 0

    def told(self, gold: int) -> str:
        """One line."""
        precision = share(self.right, self.linked - self.neutral)
        recall = share(self.right, gold)
        return (
            f"links of confidence {self.least} and more: {self.linked}, right {self.right}, traps {self.traps}, "
            f"precision {precision:.3f}, recall {recall:.3f}"
        )


def curve() -> list[Point]:
    """Nothing counted yet."""
    return [Point(least=least) for least in LEAST]


def add_links(
    points: Sequence[Point],
    edges: Iterable[EdgeEntry],
    turns_of: Mapping[str, tuple[Turn, ...]],
    gold: Sequence[Gold],
    traps: Sequence[Gold],
) -> int:
    """Count the links of one conversation; returns how many of them are only possible.

    Args:
        points: what is counted so far; changed.
        edges: of the conversation, in a fixed order.
        turns_of: by event id.
        gold: supersessions.
        traps: what looks like one.
    """
    links = [edge for edge in edges if edge.live and edge.relation in LINKS]
    known = [edge for edge in links if edge.src in turns_of and edge.dst in turns_of]
    for point in points:
        predicted = [_predicted(edge, turns_of) for edge in known if edge.confidence >= point.least]
        found = match(predicted, gold, traps)
        point.linked += len(predicted)
        point.neutral += len(found.neutral)
        point.right += len(found.pairs)
        point.traps += len(found.trapped)
    return sum(edge.relation == "possibly_updates" for edge in known)


def _predicted(edge: EdgeEntry, turns_of: Mapping[str, tuple[Turn, ...]]) -> Predicted:
    return Predicted(
        old_id=edge.dst, new_id=edge.src, old=turns_of[edge.dst], new=turns_of[edge.src], ended_at=None
    )  # fmt: skip
