"""Erasures over HTTP, and by command, on a whole system in memory."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from ops.cli.__main__ import main
from ops.cli.world import World
from query.service.app import create_app
from tests.kit.described import conforms
from tests.kit.embedded import SPACE, Home

PATH = f"/v1/spaces/{SPACE.space}/erasures"
SECRET, KEPT = "I live in Quillmark", "I work at the mill"


@pytest.fixture
def home() -> Home:
    made = Home()
    made.say("a/m1", f"{SECRET}.", "2031-03-01T10:00:00Z")
    made.say("m2", f"{KEPT}.", "2031-05-10T10:00:00Z")
    return made


@pytest.fixture
async def client(home: Home, aiohttp_client: Any) -> Any:
    return await aiohttp_client(create_app(home.system, CollectorRegistry(), clock=lambda: home.now))


async def test_an_erasure_is_answered_with_its_receipt_which_can_be_read_again(client: Any, home: Home) -> None:
    wanted = {"scope": "message", "conversation_id": "harbour", "message_id": "a/m1"}
    response = await client.post(PATH, json=wanted)
    receipt = await response.json()
    assert response.status == 200, receipt
    conforms(receipt, "ErasureOut")
    assert (receipt["scope"], receipt["messages"]) == ("message", 1)
    assert receipt["finished_at"] is not None
    assert sorted(home.entries()) == [KEPT]
    assert await (await client.get(f"{PATH}/{receipt['id']}")).json() == receipt
    assert await (await client.post(PATH, json=wanted)).json() == receipt


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "scope"),
        ({"scope": "everything"}, 400, "scope"),
        ({"scope": "space", "message_id": "m2"}, 400, "message_id"),
        ({"scope": "message", "message_id": "m2"}, 400, "conversation_id"),
        ({"scope": "conversation", "conversation_id": "attic"}, 404, "conversation_id"),
        ({"scope": "message", "conversation_id": "harbour", "message_id": "m7"}, 404, "message_id"),
        ({"scope": "space", "upto": 3}, 400, "upto"),
    ],
)
async def test_a_wrong_erasure_erases_nothing(client: Any, home: Home, body: Any, status: int, field: str) -> None:
    response = await client.post(PATH, json=body)
    assert (response.status, (await response.json())["error"]["field"]) == (status, field)
    assert sorted(home.entries()) == [SECRET, KEPT]


async def test_an_unknown_receipt_is_not_found(client: Any) -> None:
    assert (await client.get(f"{PATH}/e0")).status == 404


class Terminal:
    """Runs the command on the system, and keeps what it said."""

    def __init__(self, home: Home, store: Path) -> None:
        self._home = home
        self._store = store
        self.out = self.err = ""

    def run(self, *arguments: str) -> int:
        out, err = io.StringIO(), io.StringIO()
        world = World(open_system=self._open, now=lambda: self._home.now, out=out, err=err)
        code = main(["--store", str(self._store), *arguments], world)
        self.out, self.err = out.getvalue(), err.getvalue()
        return code

    def _open(self, store: Path, settings: object, *, writer: bool = True, observer: object = None) -> Any:
        return self._home.reopened()


@pytest.fixture
def terminal(home: Home, tmp_path: Path) -> Terminal:
    return Terminal(home, tmp_path)


def test_without_yes_the_command_says_what_it_would_do_and_does_nothing(terminal: Terminal, home: Home) -> None:
    assert terminal.run("erase", SPACE.space) == 2
    assert "2 messages and everything else of the space" in terminal.err
    assert terminal.run("erase", SPACE.space, "--conversation", "harbour") == 2
    assert "2 messages of conversation harbour" in terminal.err
    assert sorted(home.entries()) == [SECRET, KEPT]


@pytest.mark.parametrize(
    "named", [("--message", "a/m1"), ("--message", "harbour/a/m1"), ("--message", "a/m1", "--conversation", "harbour")]
)
def test_a_message_is_named_with_its_conversation_or_without(
    terminal: Terminal, home: Home, named: tuple[str, ...]
) -> None:
    assert terminal.run("erase", SPACE.space, *named, "--yes") == 0
    assert "erasure e0: message a/m1 of harbour" in terminal.out
    assert "what remains" in terminal.out
    assert sorted(home.entries()) == [KEPT]
    shown = terminal.out
    assert terminal.run("erase", SPACE.space, "--receipt", "e0") == 0
    assert terminal.out == shown


def test_a_message_two_conversations_may_mean_is_asked_about(terminal: Terminal, home: Home) -> None:
    home.say("harbour/m2", "I am tired.", "2031-05-11T10:00:00Z")
    assert terminal.run("erase", SPACE.space, "--message", "harbour/m2", "--yes") == 2
    assert "2 messages can be meant" in terminal.err
    assert terminal.run("erase", SPACE.space, "--message", "m9", "--yes") == 2
    assert "no message 'm9'" in terminal.err


def test_the_receipt_for_machines_is_the_one_of_the_service(terminal: Terminal) -> None:
    assert terminal.run("erase", SPACE.space, "--yes", "--json") == 0
    receipt = json.loads(terminal.out)
    assert (receipt["scope"], receipt["messages"], receipt["id"]) == ("space", 2, "e0")
    assert all(left["why"] for left in receipt["remains"])
