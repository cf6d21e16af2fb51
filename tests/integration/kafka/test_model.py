"""A language model on a broker: sessions read, pairs judged and questions answered, by a script."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from schemas.asking import ModelAsked, ModelReplied
from schemas.codec import decode
from tests.kit.asking import found
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe, status
from tests.kit.kafka import Broker
from tests.kit.kafkaread import read_all
from tests.kit.nodeprocess import NodeProcess
from tests.kit.viewprocess import ViewProcess
from tests.kit.workerprocess import WorkerProcess

SPACE = "/v1/spaces/orchard"
LONG_S = 120.0
ANSWER = "In the tower of Ostrava."


def said(n: int, content: str) -> dict[str, object]:
    """A message."""
    return {
        "message_id": f"m{n}", "conversation_id": "c", "speaker": "Odile", "content": content,
        "sent_at": f"2031-03-03T09:{n:02d}:00Z",
    }  # fmt: skip


def serve(body: Body, before: int) -> Answer:
    """Busy at first; then a reply to whatever is asked, by the form it asks for."""
    if is_probe(body):
        return completion('{"ok": true}')
    if before == 2:
        return status(429, Retry_After="0")
    asked = json.loads(body["messages"][1]["content"])
    if "pairs" in asked:
        verdicts = [
            {"pair": n, "reason": "Nothing changed.", "verdict": "none", "confidence": 0.9}
            for n, _ in enumerate(asked["pairs"], start=1)
        ]
        return completion(json.dumps({"verdicts": verdicts}))
    if "question" in asked:
        cited = [{"id": note["id"], "told_as": "current"} for note in asked.get("notes", ()) if "tower" in note["text"]]
        answer = {"reason": "Said so.", "known": bool(cited), "answer": ANSWER if cited else "", "citations": cited}
        return completion(json.dumps(answer))
    events = [
        found(message["n"], message["text"], attribute="fancy")
        for message in asked["messages"]
        if "tower" in message["text"]
    ]
    return completion(json.dumps({"events": events}))


def until(done: Callable[[], bool], what: str) -> None:
    """Look again and again."""
    deadline = time.monotonic() + LONG_S
    while not done():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def test_a_model_reads_and_answers_on_a_broker(full_kafka: Broker, prefix: str, tmp_path: Path) -> None:
    with FaultServer(serve) as server, ExitStack() as started:
        full_kafka.make_topics(prefix)
        model = f'[llm]\nmodel = "scripted"\nendpoint = "{server.url}"\nanswer = true\nretry_wait_max_s = 0.1\n'
        settings = f"session_max_messages = 2\nopen_revision_messages = 1\n{model}"
        worker = WorkerProcess(tmp_path / "worker", full_kafka.bootstrap, prefix, settings=settings)
        started.callback(worker.kill)
        asker = WorkerProcess(tmp_path / "ask", full_kafka.bootstrap, prefix, "--stages", "ask", settings=settings)
        started.callback(asker.kill)
        view = ViewProcess(tmp_path / "view", full_kafka.bootstrap, prefix)
        started.callback(view.kill)
        node = NodeProcess(tmp_path / "node", full_kafka.bootstrap, prefix, settings=settings)
        started.callback(node.kill)
        node.wait_ready()

        texts = ("I live in the tower of Ostrava.", "I sing in the choir.", "Good night.")
        posted = node.ask("POST", f"{SPACE}/messages", {"messages": [said(n, text) for n, text in enumerate(texts)]})
        assert posted.status == 200, posted

        def entries() -> list[Any]:
            reply = node.ask("GET", f"{SPACE}/state?include=all&as_of=2031-04-01T00:00:00Z")
            assert reply.status == 200, reply
            return [entry["event"] for entry in reply.body["entries"]]

        until(lambda: [event["attribute"] for event in entries()] == ["fancy"], "what the model says does not count")
        question = {"question": "Where does Odile live?", "asked_at": "2031-04-01T00:00:00Z"}
        first = node.ask("POST", f"{SPACE}/query", question).body
        asked = len(server.requests)
        again = node.ask("POST", f"{SPACE}/query", question).body
        assert first["answer"]["text"] == again["answer"]["text"] == ANSWER, first["answer"]
        assert first["answer"]["kind"] == "generated"
        assert len(server.requests) == asked, "the same question was asked twice"

        def recorded(topic: str, kind: type) -> list[Any]:
            records = [decode(topic, m.value() or b"") for m in read_all(full_kafka.bootstrap, prefix, topic)]
            return [record.stage for record in records if isinstance(record, kind)]

        until(lambda: recorded("replies", ModelReplied).count("answer") == 1, "the reply is no record")
        assert sorted(recorded("asks", ModelAsked)) == sorted(recorded("replies", ModelReplied))
        erased = node.ask("POST", f"{SPACE}/erasures", {"scope": "message", "message_id": "m0", "conversation_id": "c"})
        assert erased.status == 200, erased
        gone = node.ask("POST", f"{SPACE}/query", question).body
        assert "Ostrava" not in json.dumps(gone)


def test_with_the_endpoint_away_the_rules_answer_and_say_why(full_kafka: Broker, prefix: str, tmp_path: Path) -> None:
    with FaultServer(lambda _, __: status(401)) as server, ExitStack() as started:
        full_kafka.make_topics(prefix)
        settings = f'[llm]\nmodel = "scripted"\nendpoint = "{server.url}"\nanswer = true\n'
        node = NodeProcess(tmp_path / "node", full_kafka.bootstrap, prefix, settings=settings)
        started.callback(node.kill)
        node.wait_ready()
        reply = node.ask("POST", f"{SPACE}/query", {"question": "Who?", "asked_at": "2031-04-01T00:00:00Z"}).body
        assert "the endpoint does not answer" in reply["answer"]["fallback"]
        node.stop()
