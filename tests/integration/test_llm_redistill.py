"""Reading a space anew by a copy of its records, as ``redistill --kafka`` does: a log stands for the broker."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from ops.llm.on_broker import READ, Copy
from ops.llm.redistilling import Redistilled
from ops.llm.settings import LlmSettings
from ops.llm.shadow import Shadow
from ops.opening import make_asker
from ops.settings import Settings
from schemas.asking import ModelAsked, ModelReplied
from schemas.control import ProducerActivated
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.log import LogEntry
from tests.integration.test_llm_runtime import SPACE, Orchard, judged, listed
from tests.kit.encoders import HashingEncoder
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe, status

SAID = ("The goats of row 1 went to the far orchard. Yes.", "The goats of row 1 went to the barn. No.")


class Broker:
    """An embedded system that the rules alone read, and the way to its records."""

    def __init__(self, *said: str) -> None:
        self.orchard = Orchard(None, model=None)
        for content in said:
            self.orchard.say(content)
        self.orchard.finish()

    def redistill(self, url: str | None, *, switch: bool = False, model: str | None = "other") -> Redistilled:
        """By a copy of what there is now."""
        log = self.orchard.log
        told = [entry for topic in READ for entry in log.read_space(topic, SPACE)]
        other = Settings(llm=LlmSettings(model=model, endpoint=url, tries=1, retry_wait_max_s=0.05, timeout_s=5.0))
        copy = Copy(SPACE, told, self.write)
        asker = make_asker(copy.log, other.llm)
        try:
            return copy.redistill(Settings(), other, HashingEncoder(), asker, lambda: self.orchard.now, switch=switch)
        finally:
            if asker is not None:
                asker.close()

    def write(self, topic: TopicName, values: Sequence[bytes]) -> None:
        self.orchard.now += 1
        with self.orchard.log.batch() as batch:
            for value in values:
                batch.append(topic, SPACE, value, self.orchard.now)


def answer(body: Body, before: int) -> Answer:
    if is_probe(body):
        return completion('{"ok": true}')
    data = json.loads(body["messages"][1]["content"])
    return completion(judged(data) if "pairs" in data else listed(data["messages"][-1]["text"]))


def questions(server: FaultServer) -> int:
    return sum(not is_probe(body) for body in server.requests)


@pytest.mark.parametrize("first", ["far orchard", "barn"])
def test_what_was_answered_once_is_not_asked_again_in_whatever_order_the_replies_came(first: str) -> None:
    """Two sessions are asked about at once; one reply waits for the other."""
    done = threading.Event()

    def serve(body: Body, before: int) -> Answer:
        text = body["messages"][-1]["content"]
        if not is_probe(body) and '"pairs"' not in text:
            done.set() if first in text else done.wait(5)
        return answer(body, before)

    with FaultServer(serve, at_once=True) as server:
        broker = Broker(*SAID)
        told = broker.redistill(server.url)
        assert told.open == 0
        assert questions(server) == 3
        again = broker.redistill(server.url)
        assert questions(server) == 3
    assert again.comparison == told.comparison
    assert len(broker.orchard.records("asks", ModelAsked)) == len(broker.orchard.records("replies", ModelReplied)) == 3
    assert broker.orchard.records("events", EventsDistilled)[-1].producer.startswith("offline-"), "it was only compared"


def test_replies_that_come_while_the_space_is_read_are_recorded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads takes his time: whatever was asked is answered by the time he looks."""
    first, read = threading.Event(), Shadow.run

    def serve(body: Body, before: int) -> Answer:
        text = body["messages"][-1]["content"]
        if not is_probe(body) and '"pairs"' not in text:
            first.set() if "barn" in text else first.wait(5) and time.sleep(0.2)
        return answer(body, before)

    def read_late(shadow: Shadow) -> list[ModelAsked]:
        log, deadline = shadow._from, time.monotonic() + 5
        while log.end("replies", 0) < log.end("asks", 0) and time.monotonic() < deadline:
            time.sleep(0.01)
        return read(shadow)

    monkeypatch.setattr(Shadow, "run", read_late)
    with FaultServer(serve, at_once=True) as server:
        broker = Broker(*SAID)
        broker.redistill(server.url)
    assert len(broker.orchard.records("replies", ModelReplied)) == questions(server) == 3


def test_a_reply_that_comes_while_the_others_are_written_is_written_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer(answer) as server:
        broker = Broker(*SAID)
        broker.redistill(server.url)
    log = broker.orchard.log
    asks, replies = (list(log.read_space(topic, SPACE)) for topic in ("asks", "replies"))
    written: list[tuple[TopicName, int]] = []
    copy = Copy(SPACE, list(log.read_space("messages", SPACE)), lambda t, values: written.append((t, len(values))))
    late = [*zip(asks, replies, strict=True)]

    def come() -> None:
        with copy.log.batch() as batch:
            for entry in late.pop(0):
                batch.append(entry.topic, SPACE, entry.value, entry.time_us)

    read = copy.log.read_space

    def read_and_more(topic: TopicName, space: SpaceKey, offset: int = 0) -> Iterator[LogEntry]:
        yield from read(topic, space, offset)
        if topic == "replies" and late:
            come()

    come()
    monkeypatch.setattr(copy.log, "read_space", read_and_more)
    for _ in range(3):
        copy.write_replies()
    assert written == [("replies", 1), ("asks", 1)] * 3


def test_a_switch_writes_the_sets_and_then_that_they_count() -> None:
    with FaultServer(answer) as server:
        broker = Broker(*SAID)
        told = broker.redistill(server.url, switch=True)
    made = [record for record in broker.orchard.records("events", EventsDistilled) if record.producer == told.producer]
    assert len(made) == 2
    activation = broker.orchard.records("producers", ProducerActivated)[-1]
    assert (activation.stage, activation.producer) == ("distil", told.producer)
    broker.orchard.finish()
    assert broker.orchard.texts() == sorted(text.split(".")[0] for text in SAID)
    back = broker.redistill(None, switch=True, model=None)
    assert (back.open, broker.orchard.records("producers", ProducerActivated)[-1].producer) == (0, back.producer)


def test_what_the_endpoint_does_not_answer_leaves_everything_as_it_was() -> None:
    with FaultServer(lambda body, _: completion('{"ok": true}') if is_probe(body) else status(400)) as server:
        broker = Broker(*SAID)
        ends = {topic: broker.orchard.log.end(topic, 0) for topic in READ}
        told = broker.redistill(server.url, switch=True)
    assert told.open == 2
    assert {topic: broker.orchard.log.end(topic, 0) for topic in READ} == ends


def test_a_space_of_which_nothing_is_known_is_refused() -> None:
    with pytest.raises(LookupError, match="orchard"):
        Copy(SPACE, [], lambda topic, values: None)
