"""Stage runners on a broker in memory: whatever dies, whoever takes over, the view of the log is the embedded one."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from schemas.codec import decode, encode
from schemas.entry import Entry
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.parts import whole_of
from schemas.topics import TopicName
from streams.classify.offline import OfflineClassifier
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.link.stage import LinkStage
from streams.log.errors import BadStoreError
from streams.parts import PartLimits
from streams.ports import Output, Stage, StageState
from streams.sessions.definition import SessionLimits
from streams.sessions.stage import Sessionize
from streams.worker.inbox import KEPT_RECORDS, Inbox
from streams.worker.local import LocalStates
from streams.worker.runner import FencedError, LogLostError, Ran, Runner, Surroundings
from streams.worker.step import Out, Step, StepReader, split_step, steps_topic
from tests.kit import messages
from tests.kit.encoders import HashingEncoder
from tests.kit.membroker import Killed, MemoryBroker
from tests.kit.simchat import saying
from views.checksum import checksum
from views.maintain import VIEW_TOPICS
from views.spec import recompute

SPACE = SpaceKey("orchard", "row")
MINUTE = 60_000_000
START = 1_900_000_000_000_000
LIMITS = SessionLimits(gap_us=30 * MINUTE, max_messages=8, publish_after=3, quiet_us=2_000_000)
PARTS = PartLimits(size=1_000, events=2, statements=3)
"""So small that most sets are written in parts."""

STAGES: dict[str, Callable[[], Stage]] = {
    "sessionize": lambda: Sessionize(LIMITS),
    "distil": lambda: DistilStage(OfflineDistiller(), limits=PARTS),
    "link": lambda: LinkStage(OfflineClassifier(), HashingEncoder(), PARTS),
}


class World:
    """One broker, and worker processes that come and go."""

    def __init__(self, directory: Path) -> None:
        self.broker = MemoryBroker()
        self.ran: list[Ran] = []
        self._directory = directory
        self._threads = ThreadPoolExecutor(1)
        self._now = START

    def clock(self) -> int:
        """Two seconds pass between any two looks."""
        self._now += 2_000_000
        return self._now

    def states(self, store: str, log: str = "l") -> LocalStates:
        """The local states of a worker process."""
        return LocalStates(self._directory / store, log=log, partitions=1)

    def runner(self, stage: str, states: LocalStates, made: Stage | None = None) -> Runner:
        """A runner of such a process; with that instance of the stage instead of one as it is."""
        around = Surroundings(
            broker=self.broker, states=states, partitions=1, threads=self._threads, clock=self.clock,
            observe=self.ran.append, tick_s=0.0, newest_only=frozenset(STAGES), acting=frozenset({"embed"}),
        )  # fmt: skip
        return Runner(made or STAGES[stage](), 0, around)

    async def process(self, store: str, stages: Sequence[str] = tuple(STAGES)) -> None:
        """A worker process from start to rest, or to its death: every stage runs until it has nothing to do."""
        states = self.states(store)
        try:
            for stage in stages:
                runner = self.runner(stage, states)
                await runner.take_over()
                while await runner.step():
                    pass
        finally:
            states.close()

    def view(self) -> str:
        """The checksum of the view that the log defines."""
        entries: list[Entry] = []
        for topic in VIEW_TOPICS:
            for stored in self.broker.log(topic):
                record = decode(topic, stored.value)
                entries.append(Entry(topic=topic, partition=0, offset=stored.offset, record=record))
        return checksum(recompute(entries))

    def dead_letters(self) -> list[bytes]:
        """The parked bytes."""
        return [decode("dead-letters", stored.value).payload for stored in self.broker.log("dead-letters")]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def posted(n: int, at: int, content: str) -> MessagePosted:
    return messages.posted(
        f"m{n}", START + at * MINUTE, space=SPACE, speaker="Ewout", content=content, seq=n, received_at=START
    )


def chat(seed: int) -> list[bytes]:
    """Messages out of order, so that sessions grow together and fall apart, with edits and a retraction."""
    rng = random.Random(seed)
    order = list(range(24))
    rng.shuffle(order)
    records: list[MessagePosted | MessageEdited | MessageRetracted] = [posted(n, n * 20, saying(rng)) for n in order]
    about = {"tenant": SPACE.tenant, "space": SPACE.space, "conversation_id": "c", "received_at": START}
    records.append(MessageEdited(message_id="m3", content=saying(rng), **about))
    records.append(MessageRetracted(message_id="m9", **about))
    return [encode(record) for record in records]


async def produce_and_run(world: World, values: Sequence[bytes], store: Callable[[int], str]) -> None:
    """Produce a few at a time; after each, a process comes and goes. Which store it has is up to the caller."""
    for n in range(0, len(values), 9):
        for value in values[n : n + 9]:
            world.broker.put("messages", 0, str(SPACE).encode(), value)
        try:
            await world.process(store(n))
        except Killed:
            world.broker.kill_at = None
            await world.process(store(n + 1))


async def undisturbed(directory: Path, values: Sequence[bytes]) -> str:
    world = World(directory)
    for value in values:
        world.broker.put("messages", 0, str(SPACE).encode(), value)
    await world.process("calm")
    return world.view()


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """The view of a chat that nobody disturbs, and how often a process writes to the broker until it is there."""

    async def run() -> tuple[str, int]:
        counting = World(tmp_path_factory.mktemp("counting"))
        await produce_and_run(counting, chat(1), lambda _: "one")
        assert counting.view() == await undisturbed(tmp_path_factory.mktemp("calm"), chat(1))
        return counting.view(), counting.broker.writes

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("killed", "keeps_its_store", "first"),
    [("before", True, 1), ("after", True, 2), ("before", False, 3), ("after", False, 4)],
)
async def test_a_kill_at_any_write_changes_nothing(
    tmp_path: Path, calm: tuple[str, int], killed: Literal["before", "after"], keeps_its_store: bool, first: int
) -> None:
    expected, writes = calm
    for at in range(first, writes + 1, 4):
        world = World(tmp_path / str(at))
        world.broker.kill_at, world.broker.killed = at, killed
        await produce_and_run(world, chat(1), lambda n: "one" if keeps_its_store else f"store-{n}")
        assert world.view() == expected, f"killed {killed} write {at}"


async def test_a_partition_that_moves_away_and_back_is_the_same(tmp_path: Path, world: World) -> None:
    values = chat(2)
    await produce_and_run(world, values, lambda n: "here" if n % 2 == 0 else "there")
    assert world.view() == await undisturbed(tmp_path / "calm", values)


async def test_nothing_is_decided_again_after_a_takeover(world: World) -> None:
    for value in chat(3):
        world.broker.put("messages", 0, str(SPACE).encode(), value)
    await world.process("one")
    before = {topic: [s.value for s in world.broker.log(topic)] for topic in ("sessions", "events", "edges")}
    steps = {stage: len(world.broker.log(steps_topic("", stage))) for stage in STAGES}
    await world.process("another", ["link", "distil", "sessionize"])
    for topic, values in before.items():
        again = [s.value for s in world.broker.log(topic)]
        assert again[: len(values)] == values
        assert set(again) == set(values), "only what was said before is said again"
    assert steps["sessionize"] == len(world.broker.log(steps_topic("", "sessionize")))


async def test_of_two_owners_only_one_decides(world: World, tmp_path: Path) -> None:
    values = chat(4)
    ours, theirs = world.states("ours"), world.states("theirs")
    one, other = world.runner("sessionize", ours), world.runner("sessionize", theirs)
    await one.take_over()
    await other.take_over()
    fenced = 0
    for value in values:
        offset = world.broker.put("messages", 0, str(SPACE).encode(), value)
        for runner in (one, other) if offset % 2 else (other, one):
            runner.offer("messages", world.broker.log("messages")[offset])
            try:
                while await runner.step():
                    pass
            except FencedError:
                fenced += 1
                await runner.take_over()
    assert fenced > 0
    for runner in (one, other):
        await runner.take_over()
        while await runner.step():
            pass
    ours.close()
    theirs.close()
    await world.process("later", ["distil", "link"])
    assert world.view() == await undisturbed(tmp_path / "calm", values)


async def test_bad_records_are_parked_once_and_the_stage_goes_on(world: World, tmp_path: Path) -> None:
    values = chat(5)
    elsewhere = encode(msgspec.structs.replace(posted(99, 0, "I live in Utrecht."), space="another"))
    bad = [b"\xc1 not MessagePack", b"", encode(posted(1, 0, "x"))[:-4]]
    for value in [values[0], *bad, *values[1:]]:
        world.broker.put("messages", 0, str(SPACE).encode(), value)
    await world.process("one", ["sessionize"])
    await world.process("one", ["sessionize"])
    assert world.dead_letters() == bad
    assert sum(ran.parked for ran in world.ran) == len(bad)
    letter = world.broker.log("dead-letters")[0]
    assert dict(letter.headers)["dlq.offset"] == b"1"
    assert elsewhere not in world.dead_letters()
    calm = World(tmp_path / "calm")
    for value in values:
        calm.broker.put("messages", 0, str(SPACE).encode(), value)
    await calm.process("one", ["sessionize"])
    assert contents(world) == contents(calm)


async def test_a_step_publishes_each_session_once_however_many_messages_changed_it(world: World) -> None:
    for n in (*range(0, 24, 2), *range(1, 24, 2)):  # every second message lands between two others
        world.broker.put("messages", 0, str(SPACE).encode(), encode(posted(n, n * 5, "I moved to Utrecht.")))
    await world.process("one", ["sessionize"])
    revisions = [decode("sessions", stored.value) for stored in world.broker.log("sessions")]
    assert len(contents(world)) > 1
    steps = [ran for ran in world.ran if ran.records == 24]
    assert [ran.outputs for ran in steps] == [len({one.session_id for one in revisions})]


async def test_what_is_replaced_in_the_same_batch_costs_no_work(world: World, tmp_path: Path) -> None:
    values = chat(8)
    for value in values:  # a revision after every message
        world.broker.put("messages", 0, str(SPACE).encode(), value)
        await world.process("one", ["sessionize"])
    await world.process("one", ["distil", "link"])
    sessions = [decode("sessions", stored.value) for stored in world.broker.log("sessions")]
    distilled = [decode("events", stored.value) for stored in world.broker.log("events")]
    names = [one.session_id for one in distilled]
    assert len(set(names)) == len(names)
    assert {whole_of(name) for name in names} == {one.session_id for one in sessions}
    assert len({one.session_id for one in sessions}) < len(sessions)
    edges = [decode("edges", stored.value).session_id for stored in world.broker.log("edges")]
    assert len(edges) == len(set(edges))
    assert world.view() == await undisturbed(tmp_path / "calm", values)


async def test_a_record_that_is_parked_replaces_nothing(world: World) -> None:
    for n in range(3):
        world.broker.put("messages", 0, str(SPACE).encode(), encode(posted(n, n, "I moved to Utrecht.")))
    await world.process("one", ["sessionize"])
    good = decode("sessions", world.broker.log("sessions")[-1].value)
    foreign = msgspec.structs.replace(good, revision=good.revision + 2, messages=())
    world.broker.put("sessions", 0, b"orchard/another", encode(foreign))
    unusable = msgspec.msgpack.decode(encode(good)) | {"revision": good.revision + 4, "messages": 5}
    world.broker.put("sessions", 0, str(SPACE).encode(), msgspec.msgpack.encode(unusable))
    await world.process("one", ["distil"])
    assert len(world.dead_letters()) == 2
    assert {decode("events", stored.value).read for stored in world.broker.log("events")} == {("m0", "m1", "m2")}


@pytest.mark.parametrize("together", [1, 3, 24])
async def test_a_set_claims_only_messages_that_are_in_sets_before_it(world: World, together: int) -> None:
    order = list(range(24))
    random.Random(9).shuffle(order)
    for at in range(0, 24, together):
        for n in order[at : at + together]:
            value = encode(posted(n, n * 20, "I moved to Utrecht."))
            world.broker.put("messages", 0, str(SPACE).encode(), value)
        await world.process("one", ["sessionize"])
    await world.process("one", ["distil", "link"])
    read: dict[str, tuple[str, ...]] = {}
    claimed = 0
    for stored in world.broker.log("events"):
        found = decode("events", stored.value)
        read[found.session_id] = found.read
        claimed = max(claimed, found.covers)
        shown = {message for messages in read.values() for message in messages}
        assert {f"m{n}" for n in order[: found.covers]} <= shown
    assert claimed == 24, "in the end everything is claimed"
    assert max(decode("edges", stored.value).covers for stored in world.broker.log("edges")) == 24


def contents(world: World) -> list[tuple[str, tuple[str, ...]]]:
    """The newest revision of every session that holds messages."""
    newest: dict[str, tuple[int, tuple[str, ...]]] = {}
    for stored in world.broker.log("sessions"):
        session = decode("sessions", stored.value)
        found = (session.revision, tuple(message.content for message in session.messages))
        newest[session.session_id] = max(newest.get(session.session_id, (-1, ())), found)
    return sorted((name, texts) for name, (_, texts) in newest.items() if texts)


async def test_a_record_in_the_wrong_partition_is_parked(tmp_path: Path) -> None:
    world = World(tmp_path)
    states = LocalStates(tmp_path / "two", log="l", partitions=2)
    around = Surroundings(
        broker=world.broker, states=states, partitions=2, threads=ThreadPoolExecutor(1), clock=world.clock,
        observe=world.ran.append, tick_s=0.0,
    )  # fmt: skip
    for partition in (0, 1):
        world.broker.put("messages", partition, str(SPACE).encode(), encode(posted(1, 0, "I moved to Utrecht.")))
        runner = Runner(STAGES["sessionize"](), partition, around)
        await runner.take_over()
        while await runner.step():
            pass
    states.close()
    assert sorted(len(world.broker.log("sessions", partition)) for partition in (0, 1)) == [0, 1]
    assert sorted(len(world.broker.log("dead-letters", partition)) for partition in (0, 1)) == [0, 1]


async def test_a_lost_log_and_another_log_are_refused(world: World, tmp_path: Path) -> None:
    for value in chat(6):
        world.broker.put("messages", 0, str(SPACE).encode(), value)
    await world.process("one", ["sessionize"])
    with pytest.raises(BadStoreError):
        world.states("one", log="another cluster")
    lost = world.broker.topics.pop(("messages", 0))
    with pytest.raises(LogLostError, match="messages/0"):
        await world.process("one", ["sessionize"])
    world.broker.topics["messages", 0] = lost
    world.broker.topics.pop((steps_topic("", "sessionize"), 0))
    with pytest.raises(LogLostError, match="steps-sessionize/0"):
        await world.process("one", ["sessionize"])


async def test_an_input_that_a_stage_did_not_have_before_is_read_from_the_beginning(world: World) -> None:
    states = world.states("one")
    for value in chat(10):
        world.broker.put("messages", 0, str(SPACE).encode(), value)
    world.broker.put("clock", 0, str(SPACE).encode(), b"\xc1 not MessagePack")
    for inputs in (("messages",), ("messages", "clock")):
        stage = Sessionize(LIMITS)
        stage.inputs = inputs
        runner = world.runner("sessionize", states, stage)
        await runner.take_over()
        while await runner.step():
            pass
    states.close()
    assert world.dead_letters() == [b"\xc1 not MessagePack"]


async def test_a_runner_stops_after_the_step_it_is_in(world: World) -> None:
    states = world.states("one")
    runner = world.runner("sessionize", states)
    task = asyncio.create_task(runner.run())
    await runner.ready.wait()
    runner.stop()
    await task
    states.close()


class Acting:
    """Does something outside about every record it has seen, as time passes."""

    name = "embed"
    inputs: tuple[TopicName, ...] = ("messages",)

    def __init__(self, world: World) -> None:
        self._world = world

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Remember what is to be done."""
        state.put(f"{entry.offset:09d}".encode(), b"")
        return ()

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Do it, looking whether a step that is written says so."""
        steps = read_steps([stored.value for stored in self._world.broker.log(steps_topic("", self.name))])
        decided = steps[-1].positions["messages"] if steps else 0
        for key, _ in list(state.scan(b"", b"~")):
            assert int(key) < decided, "done for a step that nobody decided"
            state.delete(key)
        return ()


async def test_nothing_is_done_outside_for_a_step_that_is_not_decided(world: World) -> None:
    for n in range(5):
        world.broker.put("messages", 0, b"orchard/row", encode(posted(n, n, "I keep bees.")))
    states = world.states("one")
    runner = world.runner("embed", states, Acting(world))
    await runner.take_over()
    while await runner.step():
        pass
    steps = read_steps([stored.value for stored in world.broker.log(steps_topic("", "embed"))])
    assert steps[-1].positions == {"messages": 5}
    assert [value for _, value in steps[-1].changes] == [None] * 5, "and it is done then"
    states.close()


def step(n: int, size: int = 10) -> Step:
    rng = random.Random(n)
    return Step(
        positions={"messages": n}, changes=[(b"k", rng.randbytes(size)), (b"gone", None)],
        outputs=[Out("sessions", b"a/b", rng.randbytes(size), [("h", b"v")])],
    )  # fmt: skip


def read_steps(values: Sequence[bytes]) -> list[Step]:
    reader = StepReader()
    found = (reader.feed(offset, value) for offset, value in enumerate(values))
    return [step for step in found if step is not None]


def test_steps_come_back_whole_from_their_parts() -> None:
    values: list[bytes] = []
    for n in range(4):
        values += split_step(step(n, 500), len(values), part_bytes=100)
    assert len(values) > 20
    assert read_steps(values) == [step(n, 500) for n in range(4)]


def test_parts_that_are_not_where_their_writer_expected_them_do_not_count() -> None:
    whole = split_step(step(1), 0)
    late = split_step(step(2), 0)  # written by somebody who had not seen the first
    cut = split_step(step(3, 500), 3, part_bytes=100)[:2]  # its writer died in the middle
    after = split_step(step(4, 500), 5, part_bytes=100)
    assert read_steps([*whole, *late, b"\xc1 poison", *cut, *after]) == [step(1), step(4, 500)]


def test_a_part_that_was_sent_twice_does_not_count_twice() -> None:
    whole = split_step(step(1), 0)
    assert read_steps([*whole, *whole, *split_step(step(2), 2)]) == [step(1), step(2)]


def record(offset: int, topic: TopicName = "messages", size: int = 1) -> Fetched:
    return Fetched(
        topic=topic, partition=0, offset=offset, tenant="a", space="b", key=b"a/b", value=b"x" * size, headers=[]
    )


async def test_an_inbox_gives_only_what_follows_without_a_gap() -> None:
    inbox = Inbox(("events", "producers"))
    for offset in (3, 4, 5):
        inbox.offer(record(offset, "events"))
    inbox.offer(record(0, "producers"))
    assert [r.offset for r in inbox.take({"events": 0, "producers": 1}, 9)] == []
    assert inbox.missing({"events": 0, "producers": 1}) == ("events", 0, 3)
    assert [r.offset for r in inbox.take({"events": 4, "producers": 1}, 9)] == [4, 5]
    assert inbox.missing({"events": 6, "producers": 1}) is None
    assert inbox.lag({"events": 4, "producers": 1}) == 2


async def test_an_inbox_that_is_full_remembers_that_there_is_more() -> None:
    inbox = Inbox(("messages",))
    for offset in range(KEPT_RECORDS + 5):
        inbox.offer(record(offset))
    assert len(inbox.take({"messages": 0}, KEPT_RECORDS + 5)) == KEPT_RECORDS
    assert inbox.missing({"messages": KEPT_RECORDS}) == ("messages", KEPT_RECORDS, KEPT_RECORDS + 5)


class Looking(Sessionize):
    """Looks at its runner while it folds."""

    runner: Runner

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.seen: list[int] = []

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        self.seen.append(self.runner.in_flight)
        return super().apply(entry, state, now)


async def test_what_is_due_goes_out_in_the_step_that_folds_which_is_under_way_till_then(world: World) -> None:
    world.broker.put("messages", 0, str(SPACE).encode(), encode(posted(1, 0, "I live in Lecce.")))
    stage, states = Looking(), world.states("one")
    stage.runner = runner = world.runner("sessionize", states, stage)
    await runner.take_over()
    assert await runner.step()
    states.close()
    assert len(world.broker.log("sessions")) == len(world.broker.log(steps_topic("", "sessionize"))) == 1
    assert (stage.seen, runner.in_flight) == ([1], 0)
