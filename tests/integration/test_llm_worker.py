"""The desk on a worker, with its real errands, against an endpoint of a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from ops.distributed import stage_makers
from ops.llm.errands import ModelErrands
from ops.llm.settings import LlmSettings
from ops.measuring import tell_stage
from ops.metrics import Metrics
from ops.observing import SILENT
from ops.settings import Settings
from schemas.asking import ModelReplied
from schemas.codec import decode, encode
from schemas.dead_letters import DeadLetter
from schemas.record import Record
from schemas.topics import TopicName
from streams.llm.desk import Desk
from streams.worker.local import LocalStates
from streams.worker.runner import Runner, Surroundings
from tests.kit.asking import Distilling, events_text, found, replied, said, session
from tests.kit.encoders import HashingEncoder
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe, status
from tests.kit.membroker import MemoryBroker


async def drive(runner: Runner, broker: MemoryBroker, done: Callable[[], bool]) -> None:
    """Hand the runner what comes on its topics, as a consumer would."""
    sent: dict[TopicName, int] = {"asks": 0, "replies": 0}
    async with asyncio.timeout(30):
        while not done():
            for topic, known in sent.items():
                for record in broker.log(topic)[known:]:
                    runner.offer(topic, record)
                sent[topic] = len(broker.log(topic))
            await runner.step()
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("limit", ["space_tokens_per_day", "tokens_per_day"])
def test_a_budget_holds_on_a_worker_however_many_are_asked_at_once(tmp_path: Path, limit: str) -> None:
    """Five questions of 150 tokens each, four at once; the fifth and two more wait for the next day."""
    distilling = Distilling()
    sessions = [session(said(f"I keep {n} bees."), session_id=str(n)) for n in range(5)]
    asked = [one for each in sessions for one in distilling.ask(each)]
    llm = {limit: 300, "concurrency": 4}

    with FaultServer(lambda body, _: completion('{"ok": true}' if is_probe(body) else '{"events": []}')) as server:
        settings = LlmSettings(model="scripted", endpoint=server.url, **llm)

        async def run() -> tuple[MemoryBroker, bool]:
            broker = MemoryBroker()
            for one in asked:
                broker.put("asks", 0, b"t/s", encode(one))
            around = Surroundings(
                broker=broker, states=LocalStates(tmp_path, log="l", partitions=1), partitions=1,
                threads=ThreadPoolExecutor(1), clock=lambda: 1, observe=lambda _: None, tick_s=0.0,
            )  # fmt: skip
            errands = ModelErrands(settings, clock=lambda: 1, observer=SILENT)
            runner = Runner(Desk(), 0, around, errands)
            await runner.take_over()
            await drive(runner, broker, lambda: errands.held_back and not runner.in_flight)
            await errands.close()
            around.states.close()
            return broker, errands.held_back

        broker, held_back = asyncio.run(run())
    assert held_back
    assert len(broker.log("replies")) == 2
    assert sum(not is_probe(body) for body in server.requests) == 2


def test_a_workers_metrics_tell_what_was_made_of_replies_and_what_was_withdrawn(tmp_path: Path) -> None:
    stage = Distilling().stage
    one, edited = session(said("I keep bees.")), session(said("I keep wasps."), revision=11)
    (asked,) = Distilling().ask(edited)
    reply = replied(asked, events_text(found(1, "I keep wasps"), found(1, "I keep lions")))
    registry = CollectorRegistry()
    metrics = Metrics(registry, clock=lambda: 1)

    async def run() -> None:
        around = Surroundings(
            broker=MemoryBroker(), states=LocalStates(tmp_path, log="l", partitions=1), partitions=1,
            threads=ThreadPoolExecutor(1), clock=lambda: 1, observe=lambda ran: tell_stage(metrics, ran), tick_s=0.0,
        )  # fmt: skip
        runner = Runner(stage, 0, around)
        await runner.take_over()
        records: tuple[tuple[TopicName, Record], ...] = (("sessions", one), ("sessions", edited), ("replies", reply))
        for topic, record in records:
            around.broker.put(topic, 0, b"t/s", encode(record))
            runner.offer(topic, around.broker.log(topic)[-1])
            await runner.step()
        around.states.close()

    asyncio.run(run())

    def value(name: str, **labels: str) -> float:
        return registry.get_sample_value(f"stilltrue_llm_{name}_total", {"stage": "distil"} | labels) or 0.0

    assert (value("objects", fate="kept"), value("objects", fate="ungrounded")) == (1, 1)
    assert (value("replies_read", outcome="done"), value("questions_withdrawn")) == (1, 1)


def test_every_question_on_the_broker_gets_its_reply_or_is_parked(tmp_path: Path) -> None:
    def serve(body: Body, before: int) -> Answer:
        if is_probe(body):
            return completion('{"ok": true}')
        return status(400) if "wasps" in body["messages"][1]["content"] else completion('{"events": []}')

    distilling = Distilling()
    sessions = [session(said(f"I keep {what}."), session_id=what) for what in ("bees", "wasps", "goats")]
    asked = [one for each in sessions for one in distilling.ask(each)]

    async def run(url: str) -> MemoryBroker:
        llm = LlmSettings(model="scripted", endpoint=url, tries=1)
        settings, broker = Settings(llm=llm), MemoryBroker()
        for one in asked:
            broker.put("asks", 0, b"t/s", encode(one))
        around = Surroundings(
            broker=broker, states=LocalStates(tmp_path, log="l", partitions=1), partitions=1,
            threads=ThreadPoolExecutor(1), clock=lambda: 1, observe=lambda _: None, tick_s=0.0,
        )  # fmt: skip
        errands = ModelErrands(llm, clock=lambda: 1, observer=SILENT)
        runner = Runner(stage_makers(("ask",), settings, HashingEncoder())["ask"](), 0, around, errands)
        await runner.take_over()
        await drive(
            runner,
            broker,
            lambda: bool(broker.log("dead-letters")) and len(broker.log("replies")) >= 3 and not runner.in_flight,
        )
        await errands.close()
        around.states.close()
        return broker

    with FaultServer(serve) as server:
        broker = asyncio.run(run(server.url))
    replies = [decode("replies", record.value) for record in broker.log("replies")]
    outcomes = {reply.session_id: reply.outcome for reply in replies if isinstance(reply, ModelReplied)}
    assert outcomes == {"bees": "stop", "wasps": "failed", "goats": "stop"}
    (letter,) = [decode("dead-letters", record.value) for record in broker.log("dead-letters")]
    assert isinstance(letter, DeadLetter)
    assert (letter.stage, letter.topic) == ("ask", "asks")
