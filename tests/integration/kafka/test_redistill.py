"""A space on a broker, read anew with a model beside the view that counts, switched to, and switched back."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.integration.kafka.test_model import SPACE, said, until
from tests.kit.asking import found
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe
from tests.kit.kafka import Broker
from tests.kit.nodeprocess import NodeProcess
from tests.kit.viewprocess import ViewProcess
from tests.kit.workerprocess import ROOT, WorkerProcess

TEXTS = ("I live in the tower of Ostrava.", "I sing.", "The tower of Ostrava went to my cousin.", "Good night.")
RULES = "session_max_messages = 2\nopen_revision_messages = 1\n"


def serve(body: Body, before: int) -> Answer:
    """Whatever is said of the tower, without its full stop; and what is said later of it is a change."""
    if is_probe(body):
        return completion('{"ok": true}')
    asked = json.loads(body["messages"][1]["content"])
    if "pairs" in asked:
        verdicts = [
            {"pair": pair["pair"], "reason": "Later.", "verdict": "change", "confidence": 0.9}
            for pair in asked["pairs"]
        ]
        return completion(json.dumps({"verdicts": verdicts}))
    told = [message for message in asked["messages"] if "tower" in message["text"] and not message.get("context")]
    events = [found(message["n"], message["text"].rstrip("."), attribute="fancy") for message in told]
    return completion(json.dumps({"events": events}))


def test_another_model_is_compared_counts_when_it_is_told_to_and_asks_nobody_twice(
    full_kafka: Broker, prefix: str, tmp_path: Path
) -> None:
    with FaultServer(serve) as server, ExitStack() as started:
        full_kafka.make_topics(prefix)
        other = RULES + f'[llm]\nmodel = "other"\nendpoint = "{server.url}"\n'
        for name, text in (("rules", RULES), ("other", other)):
            (tmp_path / f"{name}.toml").write_text(text)
        worker = WorkerProcess(tmp_path / "worker", full_kafka.bootstrap, prefix, settings=RULES)
        started.callback(worker.kill)
        view = ViewProcess(tmp_path / "view", full_kafka.bootstrap, prefix)
        started.callback(view.kill)
        node = NodeProcess(tmp_path / "node", full_kafka.bootstrap, prefix, settings=RULES)
        started.callback(node.kill)
        node.wait_ready()

        def entries() -> list[tuple[str, str | None, str | None]]:
            reply = node.ask("GET", f"{SPACE}/state?include=all&as_of=2031-04-01T00:00:00Z")
            assert reply.status == 200, reply
            told = [(e["event"]["text"], e["event"]["attribute"], e["valid_until"]) for e in reply.body["entries"]]
            return sorted(told, key=str)

        def redistill(producer: str, present: str, action: str) -> tuple[int, dict[str, Any]]:
            command = [str(ROOT / "stilltrue"), "--json", "redistill", "orchard", "--kafka", action]
            command += ["--producer", str(tmp_path / f"{producer}.toml"), "--config", str(tmp_path / f"{present}.toml")]
            command += ["--bootstrap", full_kafka.bootstrap, "--prefix", prefix]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            assert ran.stdout, ran.stderr
            return ran.returncode, json.loads(ran.stdout)

        posted = node.ask("POST", f"{SPACE}/messages", {"messages": [said(n, text) for n, text in enumerate(TEXTS)]})
        assert posted.status == 200, posted
        until(lambda: sum("tower" in text for text, _, _ in entries()) == 2, "the rules have not read it")
        former = entries()

        code, told = redistill("other", "rules", "--compare")
        assert (code, told["switched"], told["result"]["open"]) == (0, False, 0)
        asked = len(server.requests)
        assert asked > 2
        again = redistill("other", "rules", "--compare")[1]
        assert again["result"]["comparison"] == told["result"]["comparison"]
        assert len(server.requests) == asked, "nobody is asked again"
        assert entries() == former, "it was only compared"

        worker.stop()
        worker = WorkerProcess(tmp_path / "worker", full_kafka.bootstrap, prefix, settings=other)
        started.callback(worker.kill)
        code, told = redistill("other", "other", "--switch")
        assert (code, told["switched"]) == (0, True)
        compared = [("fancy", False), ("fancy", True)]
        until(lambda: [(a, end is None) for _, a, end in entries()] == compared, "what was compared does not count")
        pairs = [body for body in server.requests if '"pairs"' in body["messages"][-1]["content"]]
        assert len(pairs) == 1, "the workers use what was said of the pair"

        worker.stop()
        worker = WorkerProcess(tmp_path / "worker", full_kafka.bootstrap, prefix, settings=RULES)
        started.callback(worker.kill)
        assert redistill("rules", "rules", "--switch")[0] == 0
        until(lambda: entries() == former, f"not as before: {entries()}")
