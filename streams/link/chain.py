"""Edges that need no judgement: ``before`` from anchors, ``causes`` and ``enables`` from an explicit connective."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from schemas.edges import Edge, Relation, UpdateKind
from schemas.events import Event
from schemas.ids import SpaceKey, edge_id
from schemas.times import US_PER_HOUR

from ..candidates import Row

_CAUSES = re.compile(
    r"^(?:so|therefore|that's why|that is why|because of (?:that|this|it)|as a result|which is why|which meant|"
    r"that meant|due to (?:that|this))\b(?! (?:far|what|how|many|much|long|nice|cute|good|glad|happy|cool)\b)"
)
_ENABLES = re.compile(
    r"^(?:thanks to (?:that|this|it)|(?:that|which) (?:let|allowed)|now that|with that|so now (?:i|we) can)\b"
)

CONNECTIVE_CONFIDENCE = 0.6
"""An explicit connective between neighbours; it may still point further back than the neighbour."""


def make_edge(
    space: SpaceKey,
    *,
    src: Event,
    dst: Event,
    newer: Event,
    relation: Relation,
    kind: UpdateKind | None,
    confidence: float,
    reason: str,
) -> Edge:
    """An edge with its id, slice (the conversations of both ends) and span (the newer statement's last source)."""
    conversations = {source.conversation_id for event in (src, dst) for source in event.sources}
    return Edge(
        id=edge_id(space, src.id, relation, dst.id),
        src=src.id,
        dst=dst.id,
        relation=relation,
        kind=kind,
        confidence=confidence,
        justification=reason,
        slice=tuple(sorted(conversations)),
        span=newer.sources[-1] if newer.sources else None,
    )


def before_edges(space: SpaceKey, newer: Row, known: Iterable[Row]) -> list[Edge]:
    """The place of a statement among those it is compared with, by the times they are about.

    At most one edge from the nearest statement whose anchor ends before this one's begins, and one to the nearest whose
    anchor begins after this one's ends: a chain, not all pairs. Same subject only. A late recollection is so put
    between its neighbours without touching what was stated before. Where nothing has the same subject, what the same
    person told within the hour stands in, if both times are named: "it failed yesterday; last week I swapped it".
    """
    anchor = newer.event.anchor
    rows = list(known)
    same = [row for row in rows if row.about.subject is not None and row.about.subject == newer.about.subject]
    together = [row for row in rows if _told_together(newer.event, row.event)]
    earlier = [row for row in same if row.event.anchor.until <= anchor.start] or [
        row for row in together if row.event.anchor.until <= anchor.start
    ]
    later = [row for row in same if anchor.until <= row.event.anchor.start] or [
        row for row in together if anchor.until <= row.event.anchor.start
    ]
    edges: list[Edge] = []
    if earlier:
        nearest = max(earlier, key=lambda row: (row.event.anchor.until, row.event.anchor.start, row.order))
        edges.append(_before(space, nearest.event, newer.event, newer.event))
    if later:
        nearest = min(later, key=lambda row: (row.event.anchor.start, row.event.anchor.until, row.order))
        edges.append(_before(space, newer.event, nearest.event, newer.event))
    return edges


def _told_together(newer: Event, older: Event) -> bool:
    """By the same person within an hour, each with a time named in its text."""
    named = "message_time" not in (newer.anchor.resolution, older.anchor.resolution)
    if newer.speaker is None or newer.speaker != older.speaker:
        return False
    return named and abs(newer.stated.sent_at - older.stated.sent_at) <= US_PER_HOUR


def _before(space: SpaceKey, first: Event, second: Event, newer: Event) -> Edge:
    reason = "The time it is about ends before the other's begins."
    return make_edge(
        space, src=first, dst=second, newer=newer, relation="before", kind=None, confidence=1.0, reason=reason
    )


def connective_edge(space: SpaceKey, newer: Row, session: Sequence[Row], place: int) -> Edge | None:
    """``causes`` or ``enables`` from the statement right before, when this one opens with a connective.

    Only between neighbours of one session and speaker: what "so" points at further away is a guess.
    """
    if place == 0:
        return None
    older = session[place - 1]
    if newer.event.speaker is None or newer.event.speaker != older.event.speaker:
        return None
    text = newer.event.text.casefold().replace("’", "'").strip()
    relation: Relation | None = "enables" if _ENABLES.match(text) else "causes" if _CAUSES.match(text) else None
    if relation is None:
        return None
    return make_edge(
        space,
        src=older.event,
        dst=newer.event,
        newer=newer.event,
        relation=relation,
        kind=None,
        confidence=CONNECTIVE_CONFIDENCE,
        reason="The newer statement opens by naming the one before it as its reason.",
    )
