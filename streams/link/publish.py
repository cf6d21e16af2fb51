"""Links sessions, and writes what changed of what was published of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from schemas.edges import EdgesInferred
from schemas.ids import digest
from schemas.verdicts import PairsJudged

from ..classify.protocol import Classifier
from ..keys import state_key
from ..parts import PartLimits, named, split
from ..ports import Output, StageState
from .session import SessionLinks, link_session
from .space import Space


class Publisher:
    """Links sessions and turns what changed into records."""

    def __init__(
        self,
        classifier: Classifier,
        space: Space,
        state: StageState,
        *,
        revision: int,
        covers: int,
        learned_at: int,
        limits: PartLimits,
    ) -> None:
        self._size = limits.size
        self._classifier = classifier
        self._space = space
        self._state = state
        self._revision = revision
        self._covers = covers
        self._learned_at = learned_at

    def publish(self, own: str | None, others: Sequence[str]) -> list[Output]:
        """The own session's edges always, the others' where they changed; verdicts where they changed."""
        edges: list[Output] = []
        verdicts: list[Output] = []
        for session_id in (*([own] if own is not None else []), *others):
            links = link_session(self._space.key, session_id, self._space.pool, self._classifier)
            new_edges, new_verdicts = self._differs(session_id, links)
            if session_id == own or new_edges:
                edges += self._edges(session_id, links)
            if new_verdicts:
                verdicts += self._verdicts(session_id, links)
        return edges + verdicts

    def _differs(self, session_id: str, links: SessionLinks) -> tuple[bool, bool]:
        """Whether edges and verdicts differ from what was last published, or who says so; remembers the new ones.

        No edges and no verdicts are the same whoever found none.
        """
        key = state_key("published", self._space.key, session_id)
        former = (self._state.get(key) or _NOTHING).split(b"|")
        by = (self._classifier.producer,)
        edges = digest(*(by if links.edges else ()), msgspec.msgpack.encode(links.edges)).encode()
        told = msgspec.msgpack.encode((links.verdicts, links.left_out))
        verdicts = digest(*(by if links.verdicts else ()), told).encode()
        self._state.put(key, edges + b"|" + verdicts)
        return former[0] != edges, former[1] != verdicts

    def _edges(self, session_id: str, links: SessionLinks) -> Iterator[Output]:
        """The set, in as many parts as it takes; only the last one claims anything."""
        parts = named("links", "edges", self._space.key, session_id, split(links.edges, self._size), self._state)
        for number, (name, edges) in enumerate(parts, start=1):
            record = EdgesInferred(
                tenant=self._space.key.tenant,
                space=self._space.key.space,
                session_id=name,
                producer=self._classifier.producer,
                revision=self._revision,
                edges=edges,
                covers=self._covers if number == len(parts) else 0,
                learned_at=self._learned_at,
            )
            yield Output(topic="edges", record=record)

    def _verdicts(self, session_id: str, links: SessionLinks) -> Iterator[Output]:
        """Likewise; the first one has the counts."""
        parts = named("links", "verdicts", self._space.key, session_id, split(links.verdicts, self._size), self._state)
        for number, (name, verdicts) in enumerate(parts):
            record = PairsJudged(
                tenant=self._space.key.tenant,
                space=self._space.key.space,
                session_id=name,
                producer=self._classifier.producer,
                prompt_hash=self._classifier.prompt_hash,
                revision=self._revision,
                verdicts=verdicts,
                pool_size=0 if number else links.looked_at,
                left_out=0 if number else links.left_out,
                learned_at=self._learned_at,
            )
            yield Output(topic="verdicts", record=record)


_EMPTY = (digest(msgspec.msgpack.encode(())), digest(msgspec.msgpack.encode(((), 0))))
_NOTHING = "|".join(_EMPTY).encode()
"""What counts as published before anything was: no edges, no verdicts."""
