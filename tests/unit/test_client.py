"""Commands that ask a running service print what they would print from its store."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from ops.cli.__main__ import main
from ops.cli.world import World
from ops.runtime import Embedded
from query.api import QueryResult, StateRequest, StateResult
from query.service.app import create_app
from query.service.reading_back import decode
from query.service.rendering import encode
from query.service.server import listening
from schemas.ids import SpaceKey
from streams.log import MemoryLog
from tests.kit.kafkalog import NOW, embedded

SPACE = SpaceKey("default", "weir")
SAID = ("I live in Lecce.", "I work at the mill.", "I moved to Bari.", "I no longer work at the mill.")


def message(n: int, content: str) -> dict[str, str]:
    return {
        "message_id": f"m{n}", "conversation_id": "c", "speaker": "Jorun", "content": content,
        "sent_at": f"2031-03-0{n + 1}T09:00:00+02:00",
    }  # fmt: skip


class Kept:
    """A system that a command may close: it stays open."""

    def __init__(self, system: Embedded) -> None:
        self._system = system

    def __getattr__(self, name: str) -> Any:
        return (lambda: None) if name == "close" else getattr(self._system, name)


@pytest.fixture(scope="module")
def system() -> Embedded:
    made = embedded(MemoryLog())
    made.post(SPACE, [json.dumps(message(n, content)).encode() for n, content in enumerate(SAID)])
    made.flush()
    return made


@pytest.fixture(scope="module")
def url(system: Embedded) -> Iterator[str]:
    """The same system behind HTTP, with somebody who processes."""
    loop, found, up = asyncio.new_event_loop(), list[str](), threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        app = create_app(system, CollectorRegistry(), clock=lambda: NOW)
        async with listening(app, "127.0.0.1", 0) as address:
            found.append(address)
            up.set()
            while not stop.is_set():
                await asyncio.to_thread(system.flush)
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    up.wait(30)
    yield found[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


def said(system: Embedded, *arguments: str) -> tuple[int, str, str]:
    """Exit code and what a command prints."""
    world = World(open_system=lambda *_, **__: Kept(system), now=lambda: NOW, out=io.StringIO(), err=io.StringIO())  # pyright: ignore[reportArgumentType]  # stands in for a System
    code = main(list(arguments), world)
    assert isinstance(world.out, io.StringIO)
    assert isinstance(world.err, io.StringIO)
    return code, world.out.getvalue(), world.err.getvalue()


@pytest.mark.parametrize(
    "command",
    [
        ("state", "weir", "--all"),
        ("state", "weir", "--participant", "Jorun", "--as-of", "2031-03-03"),
        ("state", "weir", "--known-at", "2031-03-02"),
        ("ask", "weir", "Where does Jorun live?"),
        ("status", "weir"),
        ("producer", "list", "weir"),
        ("producer", "activate", "weir", "distil", "nobody"),
        ("state", "nobody"),
    ],
)
@pytest.mark.parametrize("machine", [(), ("--json",)])
def test_a_service_is_asked_with_the_same_result(
    system: Embedded, url: str, command: tuple[str, ...], machine: tuple[str, ...]
) -> None:
    here = said(system, *command, *machine)
    assert here == said(system, *command, *machine, "--url", url)
    assert here[1] or here[0]


def test_history_finds_an_event_by_the_beginning_of_its_id(system: Embedded, url: str) -> None:
    request = StateRequest(space=SPACE, as_of=NOW, known_at=None, participant=None, attribute=None, include_all=True)
    event = system.state(request).entries[0].event.id
    here = said(system, "history", "weir", event[:12])
    assert here == said(system, "history", "weir", event[:12], "--url", url)
    assert here[0] == 0


def test_import_into_a_service_waits_until_all_is_applied(system: Embedded, url: str, tmp_path: Path) -> None:
    lines = [json.dumps(message(n, content)) for n, content in enumerate(SAID)]
    lines.append(json.dumps({**message(5, "never"), "sent_at": "yesterday"}))
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(lines))
    code, out, _ = said(system, "import", str(file), "--space", "quay", "--url", url)
    assert code == 0
    assert "accepted 4, duplicate 0, parked 1" in out
    assert system.account(SpaceKey("default", "quay")).waiting == 0
    again = said(system, "import", str(file), "--space", "quay", "--url", url)[1]
    assert "accepted 0, duplicate 4, parked 1" in again


def test_import_into_a_service_takes_zone_and_time_of_a_backfill(system: Embedded, url: str, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps({**message(1, "I live in Lecce."), "sent_at": "2031-03-03T09:00:00"}))
    into = ("import", str(file), "--space", "backfill", "--tz", "Europe/Rome", "--received-at", "sent_at")
    assert said(system, *into, "--url", url)[0] == 0
    known = said(system, "state", "backfill", "--known-at", "2031-03-04", "--as-of", "2031-03-04", "--url", url)[1]
    assert "Lecce" in known


def test_where_no_service_is_the_command_says_so(system: Embedded) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code, _, err = said(system, "state", "weir", "--url", f"http://127.0.0.1:{port}")
    assert code == 3
    assert f"no service at http://127.0.0.1:{port}" in err


@pytest.mark.parametrize("all_", [True, False])
def test_a_reply_reads_back_as_what_it_was_made_from(system: Embedded, all_: bool) -> None:
    request = StateRequest(space=SPACE, as_of=NOW, known_at=NOW, participant=None, attribute=None, include_all=all_)
    result = system.state(request)
    assert result.entries
    assert decode(encode(result), StateResult) == result


def test_a_reply_of_another_shape_is_no_reply() -> None:
    with pytest.raises((ValueError, KeyError)):
        decode(b'{"shape":"factual"}', QueryResult)


def entries(system: Embedded, space: str) -> list[str]:
    """What is live of a space."""
    key = SpaceKey("default", space)
    request = StateRequest(space=key, as_of=NOW, known_at=None, participant=None, attribute=None, include_all=True)
    return sorted(entry.event.text for entry in system.state(request).entries)


def test_what_changes_something_is_done_by_the_service(system: Embedded, url: str) -> None:
    space = SpaceKey("default", "lock")
    system.post(space, [json.dumps(message(n, content)).encode() for n, content in enumerate(SAID)])
    system.flush(space)
    asked = ("--conversation", "c", "--url", url)

    def done(*arguments: str) -> str:
        code, out, err = said(system, *arguments)
        assert code == 0, err
        return out

    done("edit", "lock", "m1", "I work at the quay.", *asked)
    assert "I work at the quay" in entries(system, "lock")
    assert "nothing was written" in done("edit", "lock", "m1", "I work at the quay.", *asked)
    done("retract", "lock", "m3", *asked)
    assert "I no longer work at the mill" not in entries(system, "lock")
    [edge] = [e.edge_id for e in system.edges(space, None, None).entries if e.live and e.relation == "updates"][:1]
    ruled_out = done("rule-out", "lock", edge[:12], "--reason", "two mills", "--analyst", "Evi", "--url", url)
    assert f"ruled out: edge {edge}" in ruled_out
    newer = next(e.src for e in system.edges(space, None, None).entries if e.edge_id == edge)
    for where in ((), ("--url", url)):
        history = done("history", "lock", newer, *where)
        assert "ruled out by Evi" in history
        assert ": two mills" in history
    assert f"taken back: analysts have no say on edge {edge}" in done(
        "rule-out", "lock", edge[:12], "--undo", "--url", url
    )
    assert f"accepted: edge {edge}" in done("accept", "lock", edge, "--url", url)
    merged = done("alias", "merge", "lock", "Jo", "Jorun", "--url", url)
    assert "no statement here names 'Jo' so far" in merged
    assert "also jo, says analyst" in done("alias", "list", "lock", "--url", url).casefold()
    listed = done("producer", "list", "lock", "--url", url)
    assert listed == done("producer", "list", "lock")
    name = next(line.split()[0] for line in listed.splitlines() if line.endswith("active"))
    assert "is active for distil already" in done("producer", "activate", "lock", "distil", name, "--url", url)
    receipt = done("erase", "lock", "--message", "m2", "--yes", *asked)
    assert "message m2 of c of space lock, 1 messages" in receipt
    named = receipt.split()[1].rstrip(":")
    assert done("erase", "lock", "--receipt", named, "--url", url) == receipt
    assert not any("Bari" in text for text in entries(system, "lock"))


@pytest.mark.parametrize("command", [("rule-out",), ("rule-out", "--undo"), ("accept",), ("history",)])
def test_an_empty_id_is_the_beginning_of_none(system: Embedded, url: str, command: tuple[str, ...]) -> None:
    """A script whose variable is empty must not rule on the only edge there is."""
    space = SpaceKey("default", "sluice")
    system.post(space, [json.dumps(message(n, SAID[n])).encode() for n in (0, 2)])
    system.flush(space)
    [edge] = [e for e in system.edges(space, None, None).entries if e.relation == "updates"]
    for where in ((), ("--url", url)):
        code, _, err = said(system, command[0], "sluice", "", *command[1:], *where)
        assert (code, "id is empty" in err) == (2, True)
    assert next(e for e in system.edges(space, None, None).entries if e.edge_id == edge.edge_id).live


def test_what_a_service_does_not_tell_must_be_said(system: Embedded, url: str) -> None:
    code, _, err = said(system, "retract", "weir", "m0", "--url", url)
    assert (code, "--conversation" in err) == (2, True)
    code, _, err = said(system, "erase", "weir", "--url", url)
    assert (code, "--yes" in err) == (2, True)
    code, _, err = said(system, "edit", "weir", "m77", "I left.", "--conversation", "c", "--url", url)
    assert (code, "message" in err) == (2, True)
    assert "I live in Lecce" in entries(system, "weir")
