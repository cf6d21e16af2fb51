"""Which edges the analysts' rulings concern now: each follows its statements to new ids, or is listed as orphaned.

A producer that words a statement anew gives it another id; its spans, type and attribute stay. A ruling made on the old
id then concerns the edge between the statements that took its ends' places. It does not follow over an edit: the
analyst read another text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, RuledEnd, is_same_statement
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey, edge_id

Ruling = EdgeAccepted | EdgeRuledOut


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling and the ends it concerns now. None: no live statement is in that end's place, the ruling is orphaned."""

    ruling: Ruling
    src: str | None
    dst: str | None

    @property
    def is_orphaned(self) -> bool:
        """Whether an end is lost: it has no effect, until a statement takes the place again."""
        return self.src is None or self.dst is None

    def edge_id(self, space: SpaceKey) -> str | None:
        """The edge it concerns; None while it is orphaned. Its own id where both ends are as they were ruled on."""
        if self.src is None or self.dst is None:
            return None
        if (self.src, self.dst) == (self.ruling.src.event_id, self.ruling.dst.event_id):
            return self.ruling.edge_id
        return edge_id(space, self.src, self.ruling.relation, self.dst)


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """How a ruling looks for its ends.

    Attributes:
        event: a live event by id.
        resting_on: the live events that rest on a message.
        edited_at: when a message got its last edit (microseconds UTC), None when it never was.
    """

    event: Callable[[str], Event | None]
    resting_on: Callable[[MessageKey], Iterable[Event]]
    edited_at: Callable[[MessageKey], int | None]


def place(ruling: Ruling, around: Around) -> Placed:
    """Where a ruling's ends are now."""
    return Placed(ruling=ruling, src=_end(ruling.src, ruling.at, around), dst=_end(ruling.dst, ruling.at, around))


def _end(end: RuledEnd, at: int, around: Around) -> str | None:
    """The statement itself while it is live; else the one in its place, of several the smallest id."""
    if around.event(end.event_id) is not None:
        return end.event_id
    messages = sorted({MessageKey(s.conversation_id, s.message_id) for s in end.sources})
    if not messages or any((edited := around.edited_at(m)) is not None and edited >= at for m in messages):
        return None
    found = (e.id for e in around.resting_on(messages[0]) if is_same_statement(end, e))
    return min(found, default=None)


def by_edge(placed: Iterable[Placed], space: SpaceKey) -> Mapping[str, tuple[Placed, ...]]:
    """The rulings that have effect, by the edge they concern, each edge's in the order of their own ids."""
    found: dict[str, list[Placed]] = {}
    for one in placed:
        concerned = one.edge_id(space)
        if concerned is not None:
            found.setdefault(concerned, []).append(one)
    return {name: tuple(sorted(them, key=lambda p: p.ruling.edge_id)) for name, them in sorted(found.items())}
