"""The desk on a worker, with its real errands, against an endpoint of a script."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ops.distributed import stage_makers
from ops.llm.errands import ModelErrands
from ops.llm.settings import LlmSettings
from ops.observing import SILENT
from ops.settings import Settings
from schemas.asking import ModelReplied
from schemas.codec import decode, encode
from schemas.dead_letters import DeadLetter
from schemas.topics import TopicName
from streams.worker.local import LocalStates
from streams.worker.runner import Runner, Surroundings
from tests.kit.asking import Distilling, said, session
from tests.kit.encoders import HashingEncoder
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe, status
from tests.kit.membroker import MemoryBroker


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
        sent: dict[TopicName, int] = {"asks": 0, "replies": 0}
        async with asyncio.timeout(30):
            while not broker.log("dead-letters") or len(broker.log("replies")) < 3 or runner.in_flight:
                for topic, known in sent.items():
                    for record in broker.log(topic)[known:]:
                        runner.offer(topic, record)
                    sent[topic] = len(broker.log(topic))
                await runner.step()
                await asyncio.sleep(0.01)
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
