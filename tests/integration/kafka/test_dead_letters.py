"""Poison on every topic of a real broker: parked once by every reader, told, and read again after a fix."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import msgspec
import pytest
from confluent_kafka import Consumer, TopicPartition

from ops.deadletters.broker import broker_letters
from ops.deadletters.letters import Listed
from ops.deadletters.redrive import CannotRedriveError, choose, listed_in
from ops.distributed import Work, run_worker
from ops.kafka.topics import RECORD_MAX_BYTES
from ops.limits import session_limits
from ops.settings import Settings
from schemas.codec import decode, encode
from schemas.control import SpaceErased
from schemas.messages import MessagePosted
from schemas.sessions import SessionRevised
from schemas.topics import TOPICS, TopicName
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.link.stage import LinkStage
from streams.log import partition_of
from streams.ports import Stage
from streams.sessions.stage import Sessionize
from streams.themes.stage import ThemesStage
from streams.worker.runner import Ran
from tests.kit.brokers import PARTITIONS, silent
from tests.kit.decided import all_taken
from tests.kit.kafka import Broker
from tests.kit.kafkalog import NOW, Client, stored_view
from tests.kit.kafkaread import read_all, watermarks
from tests.kit.parked import BOOM, SPACE, BugError, broken, chat, poison
from tests.kit.viewprocess import ViewProcess
from tests.kit.workerprocess import WorkerProcess
from views.maintain import VIEW_TOPICS
from views.snapshot import read_space

ROOT = Path(__file__).resolve().parents[3]
KEY = str(SPACE).encode()
NOISE_BYTES = 8 * 1024 * 1024 - 4096
STAGES = (Sessionize, DistilStage, ThemesStage, LinkStage)


def readers(topic: TopicName) -> list[str]:
    """Who parks what is bad on a topic."""
    return [*(stage.name for stage in STAGES if topic in stage.inputs), *(["view"] if topic in VIEW_TOPICS else [])]


def messages(*contents: str) -> list[bytes]:
    """Records of ``messages`` as a producer writes them."""
    return [encode(posted(n, content)) for n, content in enumerate(contents)]


def posted(n: int, content: str) -> MessagePosted:
    said = json.loads(chat(*[""] * n, content)[n])
    return MessagePosted(
        tenant=SPACE.tenant, space=SPACE.space, conversation_id="c", message_id=said["message_id"], session_id=None,
        speaker="Ewout", speaker_id=None, role="user", content=content, sent_at=NOW + n * 86_400_000_000,
        utc_offset_min=0, tz=None, seq=n, received_at=NOW, time_assumed=False, ends_session=True,
    )  # fmt: skip


class System:
    """One system's processes and what an operator runs beside them."""

    def __init__(self, broker: Broker, prefix: str, directory: Path, stack: ExitStack) -> None:
        self.bootstrap, self.prefix = broker.bootstrap, prefix
        self.directory = directory
        self.client = Client(broker.bootstrap, prefix, **{"message.max.bytes": 9 * 1024 * 1024})
        self.space = SPACE
        self._stack = stack

    def worker(self, settings: str = "") -> WorkerProcess:
        """All stages."""
        names = ",".join(stage.name for stage in STAGES)
        made = WorkerProcess(
            self.directory / "worker", self.bootstrap, self.prefix, "--stages", names, settings=settings
        )
        self._stack.callback(made.kill)
        return made

    def view(self) -> dict[str, Any]:
        """The view reads what the log holds now."""
        return ViewProcess(self.directory / "view", self.bootstrap, self.prefix, "--once").finished()

    def account(self) -> dict[str, int]:
        """Where the messages are."""
        view = stored_view(self.directory / "view")
        account = msgspec.structs.asdict(read_space(view, self.space).account)
        accepted = account.pop("accepted")
        assert account.pop("statements_left_out") == 0
        assert sum(account.values()) == accepted
        return account

    def run(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """``dead-letters`` on the broker."""
        command = [str(ROOT / "stilltrue"), "--json", "dead-letters", *arguments]
        command += ["--bootstrap", self.bootstrap, "--prefix", self.prefix]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    def letters(self) -> list[dict[str, Any]]:
        """What ``list`` tells."""
        return self.run("list")[1]["letters"]

    def listed(self) -> Sequence[Listed]:
        """The letters, as ``list`` finds them, without a process of its own: for looking again and again."""
        return asyncio.run(all_letters(self))

    def settle(self) -> None:
        """Until every stage has taken all there is."""
        self.until(lambda: all_taken(self.bootstrap, self.prefix) is not None, "a stage did not take everything")

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Look again and again."""
        from tests.integration.kafka.test_workers import until

        until(done, what)


@pytest.fixture
def system(full_kafka: Broker, prefix: str, tmp_path: Path) -> Iterator[System]:
    full_kafka.make_topics(prefix)
    with ExitStack() as stack:
        yield System(full_kafka, prefix, tmp_path, stack)


def test_poison_on_every_topic_is_parked_once_by_every_reader_and_redriven_once(system: System) -> None:
    noise = Random(5).randbytes(NOISE_BYTES)
    expected: Counter[tuple[str, str]] = Counter()

    def put(topic: TopicName, key: bytes | None, value: bytes | None) -> None:
        system.client.put(
            topic, key, value, partition=partition_of(SPACE, PARTITIONS), headers=[("traceparent", b"00-\xff")]
        )
        expected.update((stage, topic) for stage in readers(topic))

    for topic in TOPICS:
        for value in poison(topic).values():
            put(topic, KEY, value)
        put(topic, None, messages("I live in Utrecht.")[0])
        put(topic, b"no slash", b"\xc1")
        put(topic, b"\xff/" + b"k" * 3_000, b"\xc1")
    for topic in ("messages", "dead-letters"):
        put(topic, KEY, noise)
    for value in messages("I live in Utrecht.", "I moved to Delft last week."):
        system.client.put("messages", KEY, value)
    system.client.flush()
    worker = system.worker()

    def counted() -> Counter[tuple[str, str]]:
        return Counter((one.letter.stage, one.letter.topic) for one in system.listed())

    stages = Counter({key: count for key, count in expected.items() if key[0] != "view"})
    system.until(lambda: counted() == stages, "not every stage parked what it reads, once")
    system.until(lambda: len(read_all(system.bootstrap, system.prefix, "edges")) > poisoned("edges"), "no edges")
    system.view()
    letters = system.letters()
    assert counted() == expected
    assert [(one["id"], one["times"], one["bytes"]) for one in letters if one["times"] != 1] == []
    assert system.account() == {"source_of_event": 2, "read_yielded_none": 0, "waiting": 0, "parked": 0}
    worker.kill()
    worker = system.worker()
    system.until(lambda: worker.running, "it did not start again")

    code, did = system.run("redrive", "--all", "--stage", "sessionize")
    assert code == 0
    assert len(did["redriven"]) == expected["sessionize", "messages"]
    again = expected["sessionize", "messages"]
    system.until(lambda: counted()["sessionize", "messages"] == 2 * again, "the copies were not parked")
    assert len(system.run("redrive", "--all", "--stage", "sessionize", "--dry-run")[1]["would"]) == again
    lying = read_all(system.bootstrap, system.prefix, "messages")
    copies = [m for m in lying if "redrive.of" in dict(m.headers() or [])]
    originals = {(m.key(), m.value()) for m in lying if "redrive.of" not in dict(m.headers() or [])}
    assert len(copies) == again
    assert {(m.key(), m.value()) for m in copies} <= originals
    assert all(dict(m.headers() or [])["traceparent"] == b"00-\xff" for m in copies)
    assert system.view()["parked"] == again, "the view reads the copies too"
    assert system.account() == {"source_of_event": 2, "read_yielded_none": 0, "waiting": 0, "parked": 0}
    worker.stop()


def poisoned(topic: TopicName) -> int:
    """Records that were put there to do harm."""
    return len(poison(topic)) + 3


def test_a_message_parked_under_a_limit_is_read_once_the_limit_is_raised(system: System, tmp_path: Path) -> None:
    long = "I live in Utrecht. " + "-" * 70_000
    values = messages(long, "I work at the mill.")
    stolen = encode(msgspec.structs.replace(posted(2, "I adopted a goat."), space="hedge"))
    for value in (*values, stolen):
        system.client.put("messages", KEY, value)
    system.client.flush()
    worker = system.worker()
    system.until(lambda: len(system.listed()) == 2, "they were not parked")
    system.settle()

    def parked() -> bool:
        system.view()
        return system.account() == {"source_of_event": 1, "read_yielded_none": 0, "waiting": 0, "parked": 1}

    system.until(parked, "the message beside them was not read")
    worker.stop()

    worker = system.worker("content_max_bytes = 100000\nsession_max_messages = 50\n")
    theirs = next(one for one in system.letters() if one["error"].startswith("messages: the key names"))
    fixed = tmp_path / "fixed.json"
    fixed.write_bytes(msgspec.json.encode(posted(2, "I adopted a goat.")))
    assert system.run("redrive", theirs["id"], "--from", str(fixed))[0] == 0
    code, did = system.run("redrive", "--stage", "sessionize")
    assert (code, len(did["redriven"]), len(did["left"])) == (0, 1, 1)
    system.settle()

    def done() -> bool:
        system.view()
        return system.account() == {"source_of_event": 3, "read_yielded_none": 0, "waiting": 0, "parked": 0}

    system.until(done, "they were not read")
    assert all(one["redriven"] for one in system.letters())
    worker.stop()


async def test_a_bug_costs_a_worker_one_restart_wherever_it_starts_again(system: System, tmp_path: Path) -> None:
    for value in messages("I live in Utrecht.", f"I moved to {BOOM}.", "I work at the mill.", f"I left {BOOM}."):
        system.client.put("messages", KEY, value)
    system.client.flush()
    with broken("distil"):
        with pytest.raises(BugError):
            await work(system, tmp_path / "one", lambda _: False)
        await work(system, tmp_path / "two", lambda ran: parked(ran) >= 2)
    letters = await all_letters(system)
    assert {(one.letter.stage, one.letter.topic) for one in letters} == {("distil", "sessions")}
    async with broker_letters(system.bootstrap, system.prefix) as door:
        for one in choose(letters, letters, again=False)[0]:
            await door.redrive(one, None, NOW)
    await work(system, tmp_path / "two", lambda ran: distilled(ran) >= len(letters))
    sets = [decode("events", m.value() or b"") for m in read_all(system.bootstrap, system.prefix, "events")]
    assert {i for made in sets for i in made.read} == {"m0", "m1", "m2", "m3"}  # pyright: ignore[reportAttributeAccessIssue]
    assert [one.id for one in await all_letters(system)] == [one.id for one in letters]


def distilled(ran: Sequence[Ran]) -> int:
    return sum(one.records for one in ran if one.stage == "distil")


def parked(ran: Sequence[Ran]) -> int:
    return sum(one.parked for one in ran)


async def all_letters(system: System) -> Sequence[Listed]:
    async with broker_letters(system.bootstrap, system.prefix) as door:
        return await listed_in(door)


async def work(system: System, store: Path, done: Callable[[Sequence[Ran]], bool]) -> None:
    """A worker in this process, with its own store, until it is done. It ends with what its stages raise."""
    stop, ran = asyncio.Event(), list[Ran]()

    def observe(one: Ran) -> None:
        ran.append(one)
        if done(ran):
            stop.set()

    makers: dict[str, Callable[[], Stage]] = {
        "sessionize": lambda: Sessionize(session_limits(Settings())),
        "distil": lambda: DistilStage(OfflineDistiller()),
    }
    where = Work(bootstrap=system.bootstrap, prefix=system.prefix, stages=tuple(makers), store=store)
    async with asyncio.timeout(120):
        await run_worker(where, makers, stop=stop, clock=lambda: NOW, observe=observe, on_assigned=lambda _: None)


async def test_a_redrive_that_dies_before_it_is_noted_is_not_done_twice(system: System) -> None:
    system.client.put("messages", KEY, b"\xc1")
    system.client.flush()
    worker = system.worker()
    await asyncio.to_thread(system.until, lambda: len(system.listed()) == 1, "it was not parked")
    worker.stop()
    (listed,) = await all_letters(system)
    (chosen,), _ = choose([listed], [listed], again=False)
    async with broker_letters(system.bootstrap, system.prefix) as door:
        died = mock.patch("ops.deadletters.broker.done", side_effect=ConnectionResetError)  # before it is noted
        with died, pytest.raises(ConnectionResetError):
            await door.redrive(chosen, None, NOW)
    (listed,) = await all_letters(system)
    assert listed.begun is not None
    (chosen,), _ = choose([listed], [listed], again=False)
    async with broker_letters(system.bootstrap, system.prefix) as door:
        await door.redrive(chosen, None, NOW)
    assert len(read_all(system.bootstrap, system.prefix, "messages")) == 2
    (listed,) = await all_letters(system)
    assert listed.begun is None
    assert [note.to_offset for note in listed.redriven] == [1]
    erased = SpaceErased(tenant=SPACE.tenant, space=SPACE.space, upto=2, at=NOW)
    system.client.put("erasures", KEY, encode(erased))
    system.client.flush()
    (chosen,), _ = choose([listed], [listed], again=True)
    async with broker_letters(system.bootstrap, system.prefix) as door:
        with pytest.raises(CannotRedriveError, match="was erased"):
            await door.redrive(chosen, None, NOW)
    assert len(read_all(system.bootstrap, system.prefix, "messages")) == 2


def test_a_session_larger_than_a_record_passes_in_pieces(system: System) -> None:
    count, padding = 4_000, "The river was high. " * 144
    assert count * len(padding) > RECORD_MAX_BYTES
    for n in range(count):
        record = msgspec.structs.replace(
            posted(0, f"{n} {padding}"), message_id=f"m{n}", seq=n, session_id="whole", ends_session=False
        )
        system.client.put("messages", KEY, encode(record))
    system.client.flush()
    made = WorkerProcess(
        system.directory / "worker", system.bootstrap, system.prefix, "--stages", "sessionize",
        settings="open_silence_s = 0.5\n",
    )  # fmt: skip
    try:
        system.until(lambda: f"m{count - 1}" in last_session(system), "the last message is in no session")
        did = made.stop()
    finally:
        made.kill()
    assert did["sessionize"]["records"] == count
    assert did["sessionize"]["parked"] == 0
    assert read_all(system.bootstrap, system.prefix, "dead-letters") == []
    newest: dict[str, SessionRevised] = {}
    for message in read_all(system.bootstrap, system.prefix, "sessions"):
        session = decode("sessions", message.value() or b"")
        assert isinstance(session, SessionRevised)
        newest[session.session_id] = session
    names = [message.message_id for session in newest.values() for message in session.messages]
    assert len(names) == len(set(names)) == count


def last_session(system: System) -> set[str]:
    """The messages of the session that was published last."""
    place = TopicPartition(f"{system.prefix}sessions", partition_of(SPACE, PARTITIONS))
    consumer = Consumer({"bootstrap.servers": system.bootstrap, "group.id": "unused", "logger": silent()})
    try:
        low, high = watermarks(consumer, place)
        if low == high:
            return set()
        place.offset = high - 1
        consumer.assign([place])
        message = consumer.poll(10)
        session = decode("sessions", (message.value() if message else None) or b"")
        assert isinstance(session, SessionRevised)
        return {message.message_id for message in session.messages}
    finally:
        consumer.close()
