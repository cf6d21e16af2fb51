"""Whatever dies, hangs or is away, and however topics are interleaved, the index ends as what the records say."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.embedding import IndexPoints
from schemas.control import MessageErased, ProducerActivated
from schemas.entry import Entry
from schemas.events import Source
from schemas.ids import MessageKey
from schemas.messages import MessageEdited, MessageRetracted
from schemas.record import Record
from schemas.topics import TopicName
from streams.embed.queue import Queue
from streams.embed.stage import SETTLE_US, EmbedStage
from streams.state import MemoryState
from tests.kit.encoders import HashingEncoder
from tests.kit.indexes import FickleIndex, Held, held_by
from tests.kit.records import (
    EVENTS,
    MESSAGES,
    PRODUCERS,
    SESSIONS,
    SPACE,
    distilled,
    entries,
    event,
    posted,
    streams_of_records,
)
from views.embed import Embed
from views.encoder.cached import CachedEncoder
from views.snapshot import cut
from views.vectors.memory import MemoryIndex
from views.vectors.points import IndexAwayError

ENCODER = CachedEncoder(HashingEncoder(8))
BEGIN = 1_900_000_000_000_000
SECOND = 1_000_000
KEYS = [MessageKey(*key) for key in MESSAGES]
BUDGET = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def wanted(log: list[Entry]) -> Held:
    """What an index holds that the definition fills."""
    index = MemoryIndex(ENCODER.dimension)
    found = cut(log, SPACE, 2**62)
    events = {event_id: row.event for event_id, row in found.view.events.items()}
    notes = {key: found.message(key) for key in KEYS}
    Embed(index, ENCODER).sync(SPACE, notes, events)
    return held_by(index)


class Partition:
    """One partition: the decided state, the worker that owns it, and one that does not know that it lost it.

    A step works on a copy of the state; what is not decided is thrown away with the worker, but what it wrote into the
    index stays.
    """

    def __init__(self, rng: random.Random, log: list[Entry]) -> None:
        self._rng = rng
        self._left: dict[TopicName, list[Entry]] = {}
        for entry in log:
            if entry.topic in EmbedStage.inputs:
                self._left.setdefault(entry.topic, []).append(entry)
        self.index = FickleIndex(ENCODER.dimension, self._fate)
        self._calm = self._near = False
        self.met: Counter[str] = Counter()
        self._target = "first"
        self.now = BEGIN
        self.state = MemoryState()
        self.stage = self._worker()
        self._former: tuple[EmbedStage, MemoryState, int] | None = None

    def _fate(self) -> None:
        if not self._calm and self._rng.random() < (0.2 if self._near else 0.03):
            self.met["away"] += 1
            raise IndexAwayError("in the middle of it")

    def _worker(self) -> EmbedStage:
        return EmbedStage(IndexPoints(Embed(self.index, ENCODER), self._target), lambda _: None)

    def live(self) -> None:
        """Until every record is folded: anything may happen."""
        while left := sum(len(entries) for entries in self._left.values()):
            self._near = left < 5
            pause = 40 * SECOND if not self.index.late and not self._near else 0
            self.now += self._rng.choice((0, SECOND, 2 * SECOND, pause))
            if not self._near:
                self._haunt()
            dice = self._rng.random()
            if dice < 0.1 or (left == 4 and self._former is None):
                self._former = (self.stage, self.state.copy(), self.now + SETTLE_US - 10 * SECOND)
                self.stage = self._worker()
            elif dice < 0.12:
                self.met["index lost"] += 1
                self.index.late.clear()
                for space, kind in list(self.index._points):
                    self.index.delete_space(space) if kind == "note" else None
                self._target += "'"
                self.stage, self._former = self._worker(), None
            elif dice < 0.6:
                topic = self._rng.choice([topic for topic, left in self._left.items() if left])
                if self._step(lambda state, t=topic: self.stage.apply(self._left[t][0], state, self.now)):
                    del self._left[topic][0]
            else:
                self._step(lambda state: self.stage.tick(state, self.now))
            if not self._near and self._rng.random() < 0.1:
                self._arrive()
        self._end()

    def _step(self, act: Callable[[MemoryState], object]) -> bool:
        """Whether the step was decided."""
        state = self.state.copy()
        act(state)
        if self._rng.random() < 0.05:
            self.met["killed"] += 1
            self.stage = self._worker()
            return False
        self.state = state
        return True

    def _haunt(self) -> None:
        """The former owner goes on, not for ever: it folds nothing that counts, but it writes."""
        if self._former is None or self._rng.random() < 0.5:
            return
        stage, state, until = self._former
        if self.now >= until:
            self._former = None
        else:
            writes = self.index.writes
            stage.tick(state, self.now)
            self.met["haunted"] += self.index.writes > writes

    def _end(self) -> None:
        """The owner gets all done; then what is late arrives."""
        self._calm = True
        for _ in range(40):
            self.stage.tick(self.state, self.now)
            self.now += 100_000
        for _ in range(10):
            self._haunt()
        self._arrive()

    def _arrive(self) -> None:
        for write in self.index.late:
            write()
        self.index.late.clear()

    def settle(self) -> None:
        """Nothing happens any more but time."""
        self._former = None
        for _ in range(4):
            self.now += SETTLE_US + 31 * SECOND
            for _ in range(200):
                before = self.index.writes
                self.stage.tick(self.state, self.now)
                if Queue(self.state).waiting == 0 and self.index.writes == before:
                    break
        assert not Queue(self.state).take(1, 2**62), "something still waits"


def busy(rng: random.Random) -> list[Record]:
    """Few messages, changed again and again, and sets of events that come and go with them."""
    about = {"tenant": SPACE.tenant, "space": SPACE.space}
    records: list[Record] = [posted(*key, f"text of {'/'.join(key)}") for key in KEYS]
    for n in range(120):
        conversation, message = rng.choice(KEYS)
        named = {**about, "conversation_id": conversation, "message_id": message}
        dice = rng.random()
        if dice < 0.3:
            records.append(MessageEdited(**named, content=f"edit {n}", received_at=1))
        elif dice < 0.34:
            records.append(MessageRetracted(**named, received_at=1))
        elif dice < 0.38:
            records.append(posted(conversation, message, f"anew {n}"))
        elif dice < 0.42:
            records.append(MessageErased(**named, upto=rng.randrange(60), at=1))
        elif dice < 0.46:
            chosen = {"producer": rng.choice(PRODUCERS), "fallback": None}
            records.append(ProducerActivated(**about, **chosen, stage="distil", at=n))  # pyright: ignore[reportArgumentType]
        else:
            source = Source(conversation_id=conversation, message_id=message, start=0, end=1)
            stated = [event(name, sources=(source,), text=f"{name} {n % 3}") for name in EVENTS if rng.random() < 0.4]
            where = {"session": rng.choice(SESSIONS), "producer": rng.choice(PRODUCERS)}
            records.append(distilled(*stated, **where, revision=n))
    return records


def check(records: list[Record], seed: int) -> Partition:
    """Live through it all, and compare."""
    log = entries(records)
    partition = Partition(random.Random(seed), log)
    partition.live()
    partition.settle()
    assert held_by(partition.index) == wanted(log)
    return partition


@pytest.mark.parametrize("seed", range(25))
def test_a_busy_partition_ends_as_the_definition_says(seed: int) -> None:
    check(busy(random.Random(seed)), seed)


def test_the_busy_runs_meet_what_they_are_for() -> None:
    met: Counter[str] = Counter()
    for seed in range(5):
        met += check(busy(random.Random(seed)), seed).met
    assert min(met[what] for what in ("killed", "haunted", "away", "index lost")) > 5


@BUDGET
@given(streams_of_records(max_size=16), st.integers(0, 2**32))
def test_any_records_end_as_the_definition_says(records: list[Record], seed: int) -> None:
    messages: list[Record] = [posted(*key, f"text of {'/'.join(key)}") for key in KEYS]
    mixed = [*messages, *records]
    random.Random(seed).shuffle(mixed)
    check(mixed, seed)
