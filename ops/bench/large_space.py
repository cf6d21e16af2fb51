"""A large space in memory, and a search over it that costs next to nothing: what is left is the engine's own cost."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from query.cut import Cut
from query.packed_graph import packed_graph
from query.ports import Rankings
from schemas.edges import Edge, Relation
from schemas.events import Anchor, Event, Source, Stated
from schemas.ids import MessageKey, SpaceKey
from schemas.times import US_PER_DAY, US_PER_SECOND
from views.account import Tally
from views.reader import MessageText
from views.rows import EdgeRow, EventRow
from views.snapshot import Snapshot
from views.space import Seen, SeenEdge, Space, become, empty
from views.vectors.refs import note_ref

from .talk import SPEAKERS

if TYPE_CHECKING:
    from query.ports import Vector
    from query.settings import Discounts
    from views.vectors.protocol import PointKind

KEY = SpaceKey("bench", "large")
START = 1_600_000_000_000_000
SESSION_EVENTS = 8
EDGES_PER_EVENT = 3
DIMENSION = 384
_RELATIONS: tuple[Relation, ...] = ("before", "before", "causes", "enables", "updates", "contradicts")


class Large(msgspec.Struct, frozen=True, kw_only=True):
    """The space, cut; and what it takes in memory."""

    key: SpaceKey
    cut: Snapshot
    memory: dict[str, float]


def large_space(events: int, seed: int) -> Large:
    """As many notes and events, and three edges an event to earlier ones, most of them near."""
    rng = Random(seed)
    nothing: Seen = Seen(events=(), edges=(), messages=(), themes=(), readings=())
    start = _mb()
    messages = [_message(n) for n in range(events)]
    made = become(empty({}), nothing._replace(messages=((_key(n), text) for n, text in enumerate(messages))))
    noted = _mb()
    themes = ((f"s{n}", f"t{n % 97}") for n in range(events // SESSION_EVENTS + 1))
    rows = ((row.event.id, row) for row in (_row(n, messages[n]) for n in range(events)))
    made = become(made, nothing._replace(events=rows, themes=themes))
    made = become(made, nothing._replace(edges=_edges(rng, made, events)))
    share = 100_000 / events
    memory = {"mb_per_100k_notes": (noted - start) * share, "mb_per_100k_events": (_mb() - noted) * share}
    return Large(key=KEY, cut=Snapshot(made, Tally(), (), frozenset()), memory=memory)


def packed_in(large: Large, discounts: Discounts) -> dict[str, float]:
    """What its first question adds: the relations packed for all that follow. Seconds of CPU, and memory."""
    before, begun = _mb(), time.process_time()
    packed_graph(Cut(large.cut, large.cut), discounts)
    return {
        "pack_s_large": time.process_time() - begun,
        "mb_packed_per_100k_events": (_mb() - before) * 100_000 / len(large.cut.space.rows),
    }


class LargeSearch:
    """``NoteSearch`` that finds by chance, by the question: cosines fall from the first to the last."""

    def __init__(self, large: Large, seed: int) -> None:
        self._seed = seed
        self._count = len(large.cut.space.messages)
        self._vector = np.full(DIMENSION, DIMENSION**-0.5, dtype=np.float32)

    def query_vector(self, question: str, names: Sequence[str]) -> Vector:
        """One and the same."""
        del question, names
        return self._vector

    def rankings(
        self,
        space: SpaceKey,
        question: str,
        vector: Vector,
        kind: PointKind,
        depth: int,
        conversations: Sequence[str] | None,
    ) -> Rankings:
        """Some notes or events."""
        del space, vector, conversations
        rng = Random(f"{self._seed} {question} {kind}")
        found = rng.sample(range(self._count), min(2 * depth, self._count))
        refs = [note_ref(_key(n)) if kind == "note" else _event_id(n) for n in found]
        ranked = [(ref, 0.8 - 0.5 * place / len(refs)) for place, ref in enumerate(refs)]
        return Rankings(dense=ranked[:depth], sparse=ranked[depth:])

    def vectors(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> dict[str, Vector]:
        """The same for all."""
        del space, kind
        return dict.fromkeys(refs, self._vector)

    def cosines(self, space: SpaceKey, kind: PointKind, refs: Sequence[str], vector: Vector) -> dict[str, float]:
        """As of real vectors: one product each."""
        del space, kind
        return {ref: 0.3 * float(self._vector @ vector) for ref in refs}


def _message(number: int) -> MessageText:
    gap = number // SESSION_EVENTS * 6 * 3600
    return MessageText(
        conversation_id="c", message_id=f"m{number:07d}", speaker=SPEAKERS[number % 2], role="user",
        content=f"I told the harbour office about boat {number} and the new mooring at the pier.",
        sent_at=START + (number * 60 + gap) * US_PER_SECOND, utc_offset_min=0, seq=number, retracted=False,
    )  # fmt: skip


def _row(number: int, text: MessageText) -> EventRow:
    event = Event(
        id=_event_id(number), type="state_change", subject=text.speaker, participants=(text.speaker,),
        speaker=text.speaker, text=text.content,
        sources=(Source(conversation_id="c", message_id=text.message_id, start=0, end=len(text.content)),),
        stated=Stated(text.sent_at, number, text.message_id, 0),
        anchor=Anchor(
            start=text.sent_at, until=text.sent_at + US_PER_DAY, precision="day", phrase=None, resolution="message_time"
        ),
        valid_from=None, ends_at=None, holds=True, modality="asserted", polarity="affirmed",
        attribute=f"boat {number % 5_000}", value=str(number), expected_until=None, confidence=1.0,
    )  # fmt: skip
    return EventRow(
        event=event, producers=("offline",), session_ids=(f"s{number // SESSION_EVENTS}",), valid_from=text.sent_at,
        valid_until=None, superseders=(), superseded=False, corrected=False, withdrawal=False, demoted_from=None,
        demoters=(), contradicts=(),
    )  # fmt: skip


def _edges(rng: Random, made: Space, events: int) -> Iterator[tuple[str, SeenEdge]]:
    for number in range(1, events):
        for n in range(EDGES_PER_EVENT):
            far = number if rng.random() < 0.2 else min(number, 40)
            other, relation = number - rng.randint(1, far), rng.choice(_RELATIONS)
            src, dst = (other, number) if relation in ("before", "causes", "enables") else (number, other)
            edge = Edge(
                id=f"r{number:07d}.{n}", src=_event_id(src), dst=_event_id(dst), relation=relation,
                kind="change" if relation == "updates" else None, confidence=rng.uniform(0.5, 1.0), justification="",
                slice=("c",), span=None,
            )  # fmt: skip
            row = EdgeRow(
                edge=edge, producers=("offline",), accepted=False, effective=relation == "updates", invalid_from=None
            )
            yield edge.id, SeenEdge(row=row, slices=(edge.slice,), ruled_out=None)


def _key(number: int) -> MessageKey:
    return MessageKey("c", f"m{number:07d}")


def _event_id(number: int) -> str:
    return f"e{number:07d}"


def _mb() -> float:
    """Memory of the process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1_048_576
