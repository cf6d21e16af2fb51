"""Slow work beside a stage: a few at a time, in order in a session, asked once whoever dies, given up at a stop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from schemas.asking import ModelAsked, ModelReplied, Prompt
from schemas.codec import encode
from schemas.entry import Entry
from schemas.topics import TopicName
from streams.log.protocol import TableReader
from streams.ports import Output, StageState
from streams.worker.errands import Errand
from streams.worker.local import LocalStates
from streams.worker.runner import Runner, Surroundings
from tests.kit.membroker import MemoryBroker

KEY = b"orchard/row"
LIMIT = 3


class Desk:
    """A stage whose questions lie in its rows until a reply takes them off."""

    name = "ask"
    inputs: tuple[TopicName, ...] = ("asks", "replies")

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        if isinstance(entry.record, ModelAsked):
            row = b"open/%09d" % entry.offset
            state.put(b"id/" + entry.record.ask_id.encode(), row)
            state.put(row, msgspec.msgpack.encode((entry.record.ask_id, entry.record.session_id)))
        elif isinstance(entry.record, ModelReplied):
            row = state.get(b"id/" + entry.record.ask_id.encode())
            assert row is not None, "a reply nobody asked for"
            state.delete(row)
        return ()

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        return ()


class Model:
    """Answers when it is told to; remembers what it was asked, and what was given up."""

    limit = LIMIT

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.given_up: list[str] = []
        self.fails = False
        self._doors: dict[str, asyncio.Event] = {}

    def open(self, tables: TableReader, table: str, prefix: bytes) -> Iterator[Errand]:
        for key, raw in tables.scan(table, prefix + b"open/", prefix + b"open0"):
            ask_id, session_id = msgspec.msgpack.decode(raw, type=tuple[str, str])
            yield Errand(id=f"{ask_id}@{key.decode()}", lane=session_id, data=ask_id.encode())

    def begin(self, errand: Errand) -> bool:
        return True

    def end(self, errand_id: str) -> None:
        pass

    async def run(self, errand: Errand) -> Output:
        name = errand.data.decode()
        self.asked.append(name)
        if self.fails:
            raise ZeroDivisionError
        try:
            await self._doors.setdefault(name, asyncio.Event()).wait()
        except asyncio.CancelledError:
            self.given_up.append(name)
            raise
        return Output(topic="replies", record=replied(name))

    def answer(self, *names: str) -> None:
        for name in names:
            self._doors.setdefault(name, asyncio.Event()).set()


def asked(name: str, session: str) -> bytes:
    prompt = Prompt(model="m", messages=(), schema_name="s", schema="{}", reply_max_tokens=1)
    return encode(
        ModelAsked(
            tenant="orchard", space="row", stage="distil", ask_id=name, producer="m+1", session_id=session,
            conversation_id=None, prompt=prompt, about=(), learned_at=1,
        )
    )  # fmt: skip


def replied(name: str) -> ModelReplied:
    return ModelReplied(
        tenant="orchard", space="row", stage="distil", ask_id=name, session_id="s", about=(), outcome="stop", text="",
        error="", model="m", via="live", calls=1, prompt_tokens=0, completion_tokens=0, cost_usd=0.0, at=1,
    )  # fmt: skip


class Process:
    """The runner of a worker process, on a broker and a store that outlive it."""

    def __init__(self, broker: MemoryBroker, store: Path) -> None:
        self.model = Model()
        self._broker = broker
        self._states = LocalStates(store, log="l", partitions=1)
        self._threads = ThreadPoolExecutor(1)
        around = Surroundings(
            broker=broker, states=self._states, partitions=1, threads=self._threads, clock=lambda: 1,
            observe=lambda _: None, tick_s=0.0,
        )  # fmt: skip
        self.runner = Runner(Desk(), 0, around, self.model)
        self._sent: dict[TopicName, int] = {"asks": 0, "replies": 0}

    async def settle(self, *, deliver: bool = True) -> None:
        """Until nothing happens by itself any more."""
        if not self.runner.ready.is_set():
            await self.runner.take_over()
        for _ in range(20):
            for topic in self._sent if deliver else ():
                for record in self._broker.log(topic)[self._sent[topic] :]:
                    self.runner.offer(topic, record)
                self._sent[topic] = len(self._broker.log(topic))
            while await self.runner.step():
                pass
            await asyncio.sleep(0)

    async def run(self) -> None:
        """As a worker does, until it is stopped."""
        await self.runner.run()
        self.close()

    def close(self) -> None:
        """Gone, as kill -9 leaves it: what was in flight is never heard of again."""
        self._threads.shutdown()
        self._states.close()


@pytest.fixture
def broker() -> MemoryBroker:
    return MemoryBroker()


def ask(broker: MemoryBroker, *questions: tuple[str, str]) -> None:
    for name, session in questions:
        broker.put("asks", 0, KEY, asked(name, session))


async def test_as_many_are_asked_at_once_as_the_limit_says(broker: MemoryBroker, tmp_path: Path) -> None:
    process = Process(broker, tmp_path)
    ask(broker, *((f"q{n}", f"session {n}") for n in range(8)))
    await process.settle()
    assert process.model.asked == ["q0", "q1", "q2"]
    process.model.answer("q1")
    await process.settle()
    assert process.model.asked == ["q0", "q1", "q2", "q3"], "a slow one holds up no other session"
    process.model.answer(*(f"q{n}" for n in range(8)))
    await process.settle()
    assert sorted(process.model.asked) == [f"q{n}" for n in range(8)]
    assert process.runner.in_flight == 0
    assert len(broker.log("replies")) == 8
    process.close()


async def test_a_sessions_questions_are_asked_one_after_another(broker: MemoryBroker, tmp_path: Path) -> None:
    process = Process(broker, tmp_path)
    ask(broker, ("a1", "a"), ("a2", "a"), ("b1", "b"), ("a3", "a"))
    await process.settle()
    assert process.model.asked == ["a1", "b1"]
    process.model.answer("a1")
    await process.settle(deliver=False)
    assert process.model.asked == ["a1", "b1"], "the stage has not heard of the first reply"
    await process.settle()
    assert process.model.asked == ["a1", "b1", "a2"]
    process.model.answer("a2", "a3")
    await process.settle()
    assert process.model.asked == ["a1", "b1", "a2", "a3"]
    process.close()


@pytest.mark.parametrize("keeps_its_store", [True, False])
async def test_after_a_kill_only_what_nobody_answered_is_asked(
    broker: MemoryBroker, tmp_path: Path, keeps_its_store: bool
) -> None:
    first = Process(broker, tmp_path / "first")
    ask(broker, *((f"q{n}", f"session {n}") for n in range(6)))
    await first.settle()
    first.model.answer("q0", "q2")
    await first.settle()
    first.model.answer("q3")
    await first.settle(deliver=False)  # the reply is written, the stage has not folded it
    first.close()
    second = Process(broker, tmp_path / ("first" if keeps_its_store else "second"))
    second.model.answer(*(f"q{n}" for n in range(6)))
    await second.settle()
    assert sorted(second.model.asked) == ["q1", "q4", "q5"]
    assert len(broker.log("replies")) == 6
    second.close()


async def test_a_stop_gives_up_what_is_in_flight_and_it_stays_open(broker: MemoryBroker, tmp_path: Path) -> None:
    process = Process(broker, tmp_path)
    ask(broker, ("q0", "a"), ("q1", "b"))
    await process.settle()
    assert process.runner.in_flight == 2
    process.runner.stop()
    await process.run()
    assert sorted(process.model.given_up) == ["q0", "q1"]
    again = Process(broker, tmp_path)
    await again.settle()
    assert again.model.asked == ["q0", "q1"]
    again.close()


async def test_what_an_errand_raises_ends_the_runner(broker: MemoryBroker, tmp_path: Path) -> None:
    process = Process(broker, tmp_path)
    process.model.fails = True
    ask(broker, ("q0", "a"))
    with pytest.raises(ZeroDivisionError):
        await process.run()
