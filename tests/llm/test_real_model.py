"""The wire against a real model, a small one. Its answers are taken as they come: what is done with them is tested.

Opt-in: ``make test-llm``. Minutes on a slow machine.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.asking import ModelAsked, ModelReplied, ReplyRead
from schemas.events import EventsDistilled
from tests.integration.test_llm_runtime import SPACE, Orchard

pytest.importorskip("xllamacpp", reason="make test-llm installs it")

SAID = ("I live in Ghent and I keep bees.", "I moved to Bruges last week.")

START_S = 300


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The endpoint."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("serve.py")), str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + START_S
        while not _is_up(port):
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not come up"
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(30)


def _is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


class _Endpoint:
    """As much of a server as ``Orchard`` needs."""

    def __init__(self, url: str) -> None:
        self.url = url


def test_every_question_is_answered_or_parked_and_no_message_is_lost(url: str) -> None:
    orchard = Orchard(_Endpoint(url), link=True, concurrency=1, timeout_s=900.0, reply_max_tokens=300)  # type: ignore[arg-type]
    for said in SAID:
        orchard.say(said)
        orchard.finish()
    standing = orchard.system.questions_of(SPACE)
    assert standing.away is None
    assert sum(standing.open.values()) == 0
    assert standing.spent_today.prompt_tokens > 0
    replies = orchard.records("replies", ModelReplied)
    assert {ask.ask_id for ask in orchard.records("asks", ModelAsked)} == {reply.ask_id for reply in replies}
    assert len(orchard.records("replies", ReplyRead)) == sum(reply.outcome != "failed" for reply in replies)
    account = orchard.system.account(SPACE)
    assert (account.accepted, account.waiting, account.parked) == (2, 0, 0)
    told = [event.text for made in orchard.records("events", EventsDistilled) for event in made.events]
    assert [text for text in told if not any(text in said for said in SAID)] == [], "nothing that nobody said"
    assert orchard.system.verify(SPACE).equal
    orchard.system.close()
