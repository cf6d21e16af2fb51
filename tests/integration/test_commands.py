"""The commands as a user runs them: real processes, a real store, a real port of this machine."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest

from tests.kit.jsonlines import json_lines

ROOT = Path(__file__).resolve().parents[2]
CONVERSATION = ROOT / "ops" / "demo" / "conversation.jsonl"
HEAVY = {"torch", "onnxruntime", "onnx", "tokenizers", "aiohttp", "prometheus_client", "qdrant_client", "qdrant_edge"}


def command(store: Path, *arguments: str) -> list[str]:
    return [str(ROOT / "stilltrue"), "--store", str(store), *arguments]


def run(store: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(store, *arguments), capture_output=True, text=True, check=False, timeout=120)


def imported_by(store: Path, arguments: Sequence[str]) -> tuple[int, set[str]]:
    """Exit code of a command, and the top-level modules it imported."""
    python = [sys.executable, "-P", "-X", "importtime", "-m", "ops.cli", "--store", str(store), *arguments]
    done = subprocess.run(
        python, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=120
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.returncode, {line.rsplit("|", 1)[1].strip().split(".")[0] for line in lines}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the sample conversation."""
    directory = tmp_path_factory.mktemp("commands") / "store"
    done = run(directory, "import", str(CONVERSATION), "--space", "friends", "--received-at", "sent_at")
    assert done.returncode == 0, done.stderr
    assert "accepted 60, duplicate 0, parked 0" in done.stdout
    return directory


def test_every_message_is_accounted_for(store: Path) -> None:
    account = json.loads(run(store, "status", "friends", "--json").stdout)["account"]
    places = ("source_of_event", "read_yielded_none", "waiting", "parked")
    assert sum(account[place] for place in places) == account["accepted"] == 60
    assert account["waiting"] == account["parked"] == 0


def test_importing_again_leaves_the_view_as_it_is(store: Path) -> None:
    before = json.loads(run(store, "verify", "friends", "--json").stdout)
    again = run(store, "import", str(CONVERSATION), "--space", "friends", "--received-at", "sent_at")
    assert "accepted 0, duplicate 60, parked 0" in again.stdout
    after = json.loads(run(store, "verify", "friends", "--json").stdout)
    assert before["equal"]
    assert after["equal"]
    assert after["checksum"] == before["checksum"]


def test_rebuild_gives_the_same_checksum(store: Path) -> None:
    done = run(store, "rebuild", "friends")
    assert done.returncode == 0
    assert "same checksum as before" in done.stdout


@pytest.mark.parametrize("arguments", [("state", "friends"), ("status", "friends"), ("verify", "friends")])
def test_reading_loads_no_model_and_no_http(store: Path, arguments: tuple[str, ...]) -> None:
    code, imported = imported_by(store, arguments)
    assert code == 0
    assert "msgspec" in imported
    assert imported & HEAVY == set()


def test_reading_where_no_store_is_creates_none(tmp_path: Path) -> None:
    done = run(tmp_path / "nothing", "state", "friends")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "nothing").exists()


class Served:
    """``stilltrue serve`` in a process of its own."""

    def __init__(self, store: Path) -> None:
        self.process = subprocess.Popen(
            command(store, "serve", "--json", "--port", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        told = json_lines(_first_line(self.process.stdout))
        assert told, self.process.communicate()
        self.url: str = told[0]["serving"]

    def call(self, path: str, body: object = None) -> dict[str, object]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)


def _first_line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


def test_what_is_posted_to_the_service_can_be_read_beside_it_and_survives_it(tmp_path: Path) -> None:
    store = tmp_path / "store"
    served = Served(store)
    try:
        message = {
            "message_id": "1",
            "conversation_id": "c",
            "speaker": "Corin",
            "content": "I live in Mechelen.",
            "sent_at": "2026-01-10T10:00:00+01:00",
            "ends_session": True,
        }
        posted = served.call("/v1/spaces/solo/messages", {"messages": [message]})
        state = served.call(f"/v1/spaces/solo/state?wait_for={posted['wait_for']}")
        assert "Mechelen" in json.dumps(state["entries"])
        assert "Mechelen" in run(store, "state", "solo").stdout
        second = run(store, "import", str(CONVERSATION), "--space", "solo")
        assert second.returncode == 3
        assert second.stderr.count("\n") == 1
    finally:
        code = served.stop()
    assert code == 0
    assert "Mechelen" in run(store, "state", "solo").stdout


def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run(tmp_path / "store", "serve", "--port", port)
    assert done.returncode == 2
    assert f"port {port} on 127.0.0.1 is in use" in done.stderr
