"""Linking one session: every edge whose later end (stated order) lies in it, and what was compared to find them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from schemas.edges import Edge
from schemas.ids import SpaceKey
from schemas.verdicts import Verdict

from ..candidates import Candidate, Row, own_pair, same_people, same_speaker
from ..classify.protocol import Classifier, Judgement, Pair
from ..gate_index import GateIndex
from ..unit_vectors import cosine
from .chain import before_edges, connective_edge, make_edge
from .direction import earlier_first, later_first
from .reach import within_reach


class Pool:
    """The live events of a space in stated order, each once, and which session holds which.

    Attributes:
        rows: in stated order, ties by id.
        members: by session, the ids its live set holds.
    """

    def __init__(self, rows: Mapping[str, Row], members: Mapping[str, frozenset[str]]) -> None:
        self.by_id = rows
        self.rows = sorted(rows.values(), key=lambda row: row.order)
        self.members = members

    @cached_property
    def place(self) -> dict[str, int]:
        """By event id, its place in ``rows``."""
        return {row.event.id: place for place, row in enumerate(self.rows)}

    @cached_property
    def gate(self) -> GateIndex:
        """``rows`` as the gate looks at them."""
        return GateIndex(self.rows)

    def session(self, session_id: str) -> list[Row]:
        """The session's events in stated order."""
        held = [self.by_id[event_id] for event_id in self.members.get(session_id, ())]
        return sorted(held, key=lambda row: row.order)


class SessionLinks(msgspec.Struct, frozen=True, kw_only=True):
    """What linking a session yields: edges by id, verdicts by (newer, older), the size of the pool, what caps cut."""

    edges: tuple[Edge, ...]
    verdicts: tuple[Verdict, ...]
    looked_at: int
    left_out: int


def link_session(space: SpaceKey, session_id: str, pool: Pool, classifier: Classifier) -> SessionLinks:
    """Links of one session against everything stated before each of its events.

    A function of the pool: of who holds which event and of the events themselves, never of what was linked before.
    """
    session = pool.session(session_id)
    edges: list[Edge] = []
    pairs: list[Pair] = []
    looked_at = left_out = 0
    for place, newer in enumerate(session):
        chosen = pool.gate.choose(newer, pool.place[newer.event.id])
        looked_at += chosen.looked_at
        left_out += chosen.left_out
        previous = session[place - 1] if place else None
        candidates = _with_neighbour(newer, chosen.candidates, previous)
        for candidate in candidates:
            adjacent = previous is not None and candidate.row is previous
            pairs.append(
                Pair(
                    newer=newer.event,
                    older=candidate.row.event,
                    similarity=candidate.similarity,
                    adjacent=adjacent,
                    met=max(chosen.passed, 1),
                    focus=candidate.focus,
                )
            )
        # By id: a neighbour in the session is often a candidate as well.
        known = {row.event.id: row for row in (*(c.row for c in candidates), *session[:place])}
        edges += before_edges(space, newer, (row for row in known.values() if not own_pair(newer, row)))
        if previous is not None and not own_pair(newer, previous):
            joined = connective_edge(space, newer, session, place)
            edges += [joined] if joined is not None else []
    judged = within_reach(list(zip(pairs, classifier.classify(pairs), strict=True)))
    edges += [_edge(space, pair, judgement) for pair, judgement in judged if judgement.relation is not None]
    by_id = {edge.id: edge for edge in edges}  # of two of one id, the classifier's, which comes last
    return SessionLinks(
        edges=tuple(by_id[edge_id] for edge_id in sorted(by_id)),
        verdicts=tuple(_verdict(pair, judgement) for pair, judgement in judged),
        looked_at=looked_at,
        left_out=left_out,
    )


def _with_neighbour(newer: Row, chosen: Sequence[Candidate], previous: Row | None) -> tuple[Candidate, ...]:
    """Candidates, and the statement right before: "I was joking" shares no word with what it takes back.

    Of the same people or by the same speaker: "The wedding is on Sunday" names nobody.
    """
    if previous is None or any(candidate.row is previous for candidate in chosen):
        return tuple(chosen)
    if own_pair(newer, previous) or not (same_people(newer, previous) or same_speaker(newer, previous)):
        return tuple(chosen)
    return (*chosen, Candidate(row=previous, similarity=cosine(newer.vector, previous.vector)))


def _edge(space: SpaceKey, pair: Pair, judgement: Judgement) -> Edge:
    """The edge of a verdict. Updates and ``contradicts`` run from the newer to the older, the others with time."""
    assert judgement.relation is not None
    backwards = judgement.relation in ("updates", "possibly_updates", "contradicts")
    src, dst = (pair.newer, pair.older) if backwards else (pair.older, pair.newer)
    if judgement.by_time and judgement.kind in ("change", "done"):
        src, dst = later_first(pair.newer, pair.older)
    elif judgement.by_time and not backwards:
        src, dst = earlier_first(pair.newer, pair.older)
    return make_edge(
        space,
        src=src,
        dst=dst,
        newer=pair.newer,
        relation=judgement.relation,
        kind=judgement.kind,
        confidence=judgement.confidence,
        reason=judgement.reason,
    )


def _verdict(pair: Pair, judgement: Judgement) -> Verdict:
    return Verdict(
        newer=pair.newer.id,
        older=pair.older.id,
        relation=judgement.relation,
        kind=judgement.kind,
        confidence=judgement.confidence,
        reason=judgement.reason,
        judge=judgement.judge,
    )
