"""The embed stage on a broker in memory: what workers that die leave in the index is what the embedded system has."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from ops.cli.__main__ import main
from ops.embed_stages import EmbedStages
from ops.embedding import IndexPoints
from ops.observing import SILENT
from schemas.codec import decode, encode
from schemas.dead_letters import DeadLetter
from schemas.entry import Entry
from schemas.events import Source
from schemas.ids import SpaceKey
from schemas.messages import MessageRetracted
from schemas.record import Record
from schemas.transport import space_key
from streams.embed.queue import Queue
from streams.embed.stage import RETRY_MAX_US, ROWS_FORMAT, SETTLE_US, EmbedStage, Indexed, OtherRowsError
from streams.ports import Output
from streams.state import MemoryState, OverlayState
from streams.worker.fold import STATE
from streams.worker.local import LocalStates, state_prefix
from streams.worker.runner import Ran, Runner, Surroundings
from tests.kit.indexes import FickleIndex, held_by
from tests.kit.membroker import Killed, MemoryBroker
from tests.kit.records import SPACE, distilled, entries, event, posted
from tests.kit.sim import undisturbed
from tests.kit.simchat import chat
from tests.kit.simprocess import PARTITIONS, Stores, encoder
from views.embed import Embed
from views.vectors.points import IndexAwayError

BEGIN = 2_000_000_000_000_000
SECOND = 1_000_000


class Fate:
    """Kills the process at a write to the index, counted from 1, before or after it."""

    def __init__(self) -> None:
        self.asked = 0
        self.kill_at: int | None = None

    def __call__(self) -> None:
        self.asked += 1
        if self.asked == self.kill_at:
            raise Killed


class World:
    """A broker that holds what an embedded run wrote, an index that outlives processes, and these."""

    def __init__(self, directory: Path, stores: Stores) -> None:
        self.broker = MemoryBroker()
        self.fate = Fate()
        self.index = FickleIndex(encoder().dimension, self.fate)
        self.ran: list[Ran] = []
        self.told: list[Indexed] = []
        self._directory = directory
        self._threads = ThreadPoolExecutor(1)
        self._now = BEGIN
        for topic in EmbedStage.inputs:
            for partition in range(PARTITIONS):
                for raw in stores.log.read(topic, partition, 0, stores.log.end(topic, partition)):
                    key = space_key(SpaceKey(raw.tenant, raw.space))
                    self.broker.put(topic, partition, key, raw.value)

    def clock(self) -> int:
        """Two seconds pass between any two looks."""
        self._now += 2 * SECOND
        return self._now

    async def process(self, store: str) -> None:
        """A worker process of all partitions, from start to rest, or to its death."""
        states = LocalStates(self._directory / store, log="l", partitions=PARTITIONS)
        try:
            around = Surroundings(
                broker=self.broker, states=states, partitions=PARTITIONS, threads=self._threads, clock=self.clock,
                observe=self.ran.append, tick_s=0.0,
            )  # fmt: skip
            for partition in range(PARTITIONS):
                stage = EmbedStage(IndexPoints(Embed(self.index, encoder()), "target"), self.told.append)
                runner = Runner(stage, partition, around)
                await runner.take_over()
                while await runner.step():
                    pass
        finally:
            states.close()

    def dead_letters(self) -> list[DeadLetter]:
        """What was parked."""
        letters = [
            decode("dead-letters", s.value) for p in range(PARTITIONS) for s in self.broker.log("dead-letters", p)
        ]
        return [letter for letter in letters if isinstance(letter, DeadLetter)]


async def test_the_index_is_that_of_the_embedded_system(tmp_path: Path) -> None:
    for seed in range(3):
        stores = undisturbed(chat(random.Random(seed)))
        world = World(tmp_path / str(seed), stores)
        await world.process("one")
        expected = held_by(stores.index)
        assert len(expected) > 3
        assert held_by(world.index) == expected


@pytest.mark.parametrize("keeps_its_store", [True, False])
async def test_a_kill_at_any_write_to_the_index_changes_nothing(tmp_path: Path, keeps_its_store: bool) -> None:
    stores = undisturbed(chat(random.Random(4)))
    counting = World(tmp_path / "counting", stores)
    await counting.process("one")
    assert counting.fate.asked > 5
    for at in range(1, counting.fate.asked + 1):
        world = World(tmp_path / f"{at}", stores)
        world.fate.kill_at = at
        with pytest.raises(Killed):
            await world.process("one")
        await world.process("one" if keeps_its_store else "another")
        assert held_by(world.index) == held_by(stores.index), f"killed at {at}"


@pytest.mark.parametrize("killed", ["before", "after"])
async def test_a_kill_at_any_write_to_the_broker_changes_nothing(
    tmp_path: Path, killed: Literal["before", "after"]
) -> None:
    stores = undisturbed(chat(random.Random(5)))
    counting = World(tmp_path / "counting", stores)
    await counting.process("one")
    for at in range(1, counting.broker.writes + 1):
        world = World(tmp_path / f"{at}", stores)
        world.broker.kill_at, world.broker.killed = at, killed
        with pytest.raises(Killed):
            await world.process("one")
        world.broker.kill_at = None
        await world.process("one" if at % 2 else "another")
        assert held_by(world.index) == held_by(stores.index), f"killed {killed} write {at}"


async def test_an_index_that_is_away_holds_up_no_record_and_parks_none(tmp_path: Path) -> None:
    stores = undisturbed(chat(random.Random(6)))
    usual = World(tmp_path / "usual", stores)
    await usual.process("one")
    world = World(tmp_path / "away", stores)
    world.index.away = True
    await world.process("one")
    assert sum(ran.records for ran in world.ran) == sum(ran.records for ran in usual.ran), "all are read"
    assert world.dead_letters() == usual.dead_letters(), "garbage, and nothing else"
    assert held_by(world.index) == {}
    assert world.told[-1].away == "told to be away"
    assert world.told[-1].waiting > 0
    world.index.away = False
    await world.process("one")
    assert held_by(world.index) == held_by(stores.index)
    assert world.told[-1].waiting == 0


# --- the stage by itself ----------------------------------------------------------------------------------------------


class Alone:
    """A stage with its state; every step is decided."""

    def __init__(self) -> None:
        self.index = FickleIndex(encoder().dimension)
        self.told: list[Indexed] = []
        self.state = MemoryState()
        self.now = BEGIN
        self.log: list[Record] = []
        self.begin()

    def begin(self) -> None:
        """A new worker takes over."""
        self.stage = EmbedStage(IndexPoints(Embed(self.index, encoder()), "target"), self.told.append)

    def read(self, *records: Record) -> list[Entry]:
        """The records arrive."""
        self.log += records
        new = entries(self.log)[-len(records) :]
        for entry in new:
            assert self.stage.apply(entry, self.state, self.now) == ()
        return new

    def tick(self, later: int = SECOND) -> Sequence[Output]:
        """Time passes."""
        self.now += later
        return self.stage.tick(self.state, self.now)

    def refs(self) -> list[str]:
        """Events in the index."""
        return self.index.refs(SPACE, "event")


SAID = Source(conversation_id="c1", message_id="m1", start=0, end=1)


def test_points_are_set_as_time_passes_and_not_before() -> None:
    alone = Alone()
    alone.read(posted(), distilled(event("e1", sources=(SAID,))))
    assert alone.refs() == []
    assert alone.tick() == ()
    assert alone.refs() == ["e1"]
    assert alone.told[-1].written == 2
    assert alone.told[-1].waiting == 0


def test_what_is_named_many_times_is_set_once() -> None:
    alone = Alone()
    alone.read(posted(), *(distilled(event("e1", text=f"text {n}"), revision=n) for n in range(9)))
    alone.tick()
    assert alone.told[-1].written == 2


def test_a_message_that_is_retracted_takes_its_events_along() -> None:
    alone = Alone()
    alone.read(posted(), distilled(event("e1", sources=(SAID,)), event("e2", sources=())))
    alone.tick()
    about = {"tenant": SPACE.tenant, "space": SPACE.space, "conversation_id": "c1", "message_id": "m1"}
    alone.read(MessageRetracted(**about, received_at=1))
    alone.tick()
    assert alone.refs() == ["e2"]
    assert alone.index.refs(SPACE, "note") == []
    assert alone.told[-1].deleted == 2


def test_pauses_grow_while_the_index_is_away_and_end_when_it_is_back() -> None:
    alone = Alone()
    alone.read(posted())
    alone.index.away = True
    begun = alone.now
    while alone.now < begun + 10 * RETRY_MAX_US:
        alone.tick()
    assert 10 < len(alone.told) < 20
    alone.index.away = False
    alone.tick(RETRY_MAX_US)
    assert alone.index.refs(SPACE, "note") == ['["c1","m1"]']
    alone.index.away = True
    alone.read(posted(message="m2"))
    failed = len(alone.told)
    alone.tick()
    alone.tick()
    assert len(alone.told) == failed + 2, "it begins with the short pause again"


def test_a_write_that_was_given_up_and_arrives_late_is_put_right() -> None:
    alone = Alone()
    alone.tick(2 * SETTLE_US)
    alone.read(distilled(event("e1", text="first"), revision=1))
    alone.tick(2 * SETTLE_US)
    before = held_by(alone.index)

    def fail() -> None:
        raise IndexAwayError("timed out")

    alone.index._fate = fail
    alone.read(distilled(event("e1", text="second"), revision=2))
    alone.tick()
    alone.index._fate = lambda: None
    alone.read(distilled(event("e1", text="third"), revision=3))
    alone.tick(2 * SECOND)
    wanted = held_by(alone.index)
    assert wanted != before
    (late,) = alone.index.late
    late()
    assert held_by(alone.index) != wanted
    alone.tick(2 * SETTLE_US)
    assert held_by(alone.index) == wanted


def test_a_refused_point_is_parked_once_with_its_record_and_the_others_are_set() -> None:
    alone = Alone()
    alone.index.refuses = {"e1"}
    (entry,) = alone.read(distilled(event("e1"), event("e2")))
    (output,) = alone.tick()
    letter = output.record
    assert isinstance(letter, DeadLetter)
    assert (letter.stage, letter.topic, letter.offset) == ("embed", "events", entry.offset)
    assert letter.payload == encode(entry.record)
    assert "told to refuse" in letter.error
    assert alone.refs() == ["e2"]
    assert alone.told[-1].refused == 1
    assert alone.tick(2 * SETTLE_US) == (), "settling writes no second letter"
    assert Queue(alone.state).waiting == 0


def test_a_record_that_is_sent_again_sets_its_points_that_were_refused() -> None:
    alone = Alone()
    alone.index.refuses = {"e1"}
    again = distilled(event("e1"), event("e2"))
    alone.read(again)
    alone.tick()
    alone.index.refuses = set()
    writes = alone.index.writes
    alone.read(again)
    assert alone.tick() == ()
    assert alone.refs() == ["e1", "e2"]
    assert alone.told[-1].written == 1, "the other one was right all along"
    assert alone.index.writes > writes


def test_an_index_that_is_another_one_is_filled_from_the_state() -> None:
    alone = Alone()
    alone.read(posted(), distilled(event("e1"), event("e2")))
    alone.tick()
    expected = held_by(alone.index)
    alone.index.delete_space(SPACE)
    alone.stage = EmbedStage(IndexPoints(Embed(alone.index, encoder()), "another"), alone.told.append)
    alone.tick()
    assert held_by(alone.index) == expected


# --- the worker -------------------------------------------------------------------------------------------------------


def test_a_worker_that_embeds_without_a_server_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("STILLTRUE_QDRANT", raising=False)
    assert main(["--store", str(tmp_path), "worker", "--stages", "link,embed"]) == 2
    assert "--qdrant URL or $STILLTRUE_QDRANT" in capsys.readouterr().err


def test_a_worker_says_once_that_the_index_is_away_and_once_that_it_is_back() -> None:
    said: list[str] = []
    index = FickleIndex(encoder().dimension)
    index.made = "target"  # pyright: ignore[reportAttributeAccessIssue]
    stages = EmbedStages(index, encoder(), SILENT, said.append)  # pyright: ignore[reportArgumentType]
    first, second = stages.make(), stages.make()
    states = (MemoryState(), MemoryState())
    (entry,) = entries([posted()])
    for partition, (stage, state) in enumerate(zip((first, second), states, strict=True)):
        stage.apply(msgspec.structs.replace(entry, partition=partition), state, BEGIN)
    index.away = True
    for now in (BEGIN, BEGIN + 2 * SECOND):
        first.tick(states[0], now)
        second.tick(states[1], now)
    index.away = False
    first.tick(states[0], BEGIN + 100 * SECOND)
    assert len(said) == 1
    second.tick(states[1], BEGIN + 100 * SECOND)
    assert said == ["vector index: told to be away; what is to be written waits", "vector index: it is back"]


async def test_rows_of_another_layout_are_refused_before_anything_is_folded(tmp_path: Path) -> None:
    world = World(tmp_path, undisturbed(chat(random.Random(4))))
    await world.process("one")
    states = LocalStates(tmp_path / "one", log="l", partitions=PARTITIONS)
    stage = EmbedStage(IndexPoints(Embed(world.index, encoder()), "target"), world.told.append)
    state = OverlayState(states, STATE, state_prefix(stage.name, 0))
    state.put(b"format", str(ROWS_FORMAT + 1).encode())
    with pytest.raises(OtherRowsError, match="delete its steps"):
        stage.tick(state, BEGIN)
    states.close()
