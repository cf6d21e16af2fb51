"""What began and what ceased to hold, between two instants of valid time: as a function, a command and a request."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from ops.cli.__main__ import main
from ops.cli.world import World
from query.api import StateRequest, StateResult
from query.changes import changes
from query.service.app import create_app
from query.state import state
from tests.kit.space import BASIS, SPACE, MemorySpace, event, message, row, us
from tests.kit.village import village


def told(since: str, until: str, space: MemorySpace | None = None, **wanted: object) -> list[tuple[str, str]]:
    space = space or village()
    fields: dict[str, object] = {"participant": None, "attribute": None, "known_at": None, "include_all": True}
    request = StateRequest(space=SPACE, as_of=us(until), **(fields | wanted))  # type: ignore[arg-type]
    result = changes(state(space, space, request, BASIS), us(since))
    return [(one.change, one.entry.event.id) for one in result.entries]


def test_a_change_is_the_end_of_the_old_and_the_beginning_of_the_new() -> None:
    assert told("2024-05-01", "2024-05-02T12:00:00Z", participant="Tilda", attribute="employer") == [
        ("ended", "job-old"),
        ("began", "job-new"),
    ]


def test_nothing_is_told_of_what_changed_before_or_is_still_to_come() -> None:
    assert told("2024-05-02T12:00:00Z", "2024-05-09", participant="Tilda", attribute="employer") == []
    assert ("began", "job-new") not in told("2024-01-01", "2024-04-01")


def test_what_was_never_so_neither_began_nor_ended() -> None:
    said = message("m", "Ann", "2024-01-01", "I live in Lund")
    wrong = row(event("e", said), corrected=True, valid_until=us("2024-01-01"))
    assert told("2023-01-01", "2024-05-01", MemorySpace([said], [wrong])) == []


def test_only_statements_of_the_theme_are_told() -> None:
    texts = [message(f"m{n}", "Ann", "2024-01-02", f"I like tea number {n}") for n in (1, 2)]
    rows = [row(event(f"e{n}", text), f"s{n}") for n, text in enumerate(texts, start=1)]
    space = MemorySpace(texts, rows, themes={"s1": "t1", "s2": "t2"})
    assert told("2024-01-01", "2024-02-01", space, theme="t2") == [("began", "e2")]


# --- the command and the request ------------------------------------------------------------------------------------

NOW = us("2024-05-10")

WANTED: Sequence[tuple[Mapping[str, str], Sequence[tuple[str, str]]]] = (
    ({"participant": "Oda"}, [("began", "oda-malmo")]),
    ({"participant": "til"}, [("began", "job-old"), ("ended", "job-old"), ("began", "job-new"), ("began", "commute")]),
    ({"attribute": "Appointment"}, [("began", "dentist-14"), ("ended", "dentist-14"), ("began", "dentist-21")]),
    ({"attribute": "pet", "participant": "bram"}, [("began", "cat-pim"), ("began", "cat-juno")]),
    ({"theme": "health"}, [("began", "dentist-14"), ("ended", "dentist-14"), ("began", "dentist-21")]),
    ({"theme": "work", "attribute": "pet"}, []),
)
"""What is asked for, and what is told of it. Tilda's search for work is an action, so no state began."""


class VillageSystem:
    """A system that holds the village, as far as ``changes`` looks at one."""

    def __init__(self) -> None:
        self._space = village()

    def spaces(self, tenant: str) -> list[str]:
        return ["village"]

    def state(self, request: StateRequest) -> StateResult:
        return state(self._space, self._space, request, BASIS)

    def close(self) -> None:
        """Nothing is open."""


def in_json(body: Any) -> list[tuple[str, str]]:
    return [(one["change"], one["entry"]["event"]["id"]) for one in body["entries"]]


@pytest.mark.parametrize(("wanted", "expected"), WANTED)
def test_the_command_tells_the_changes_of_a_participant_attribute_or_theme(
    wanted: Mapping[str, str], expected: Sequence[tuple[str, str]], tmp_path: Path
) -> None:
    out = io.StringIO()
    world = World(open_system=lambda *_, **__: VillageSystem(), now=lambda: NOW, out=out, err=io.StringIO())  # pyright: ignore[reportArgumentType]
    options = [part for name, value in wanted.items() for part in (f"--{name}", value)]
    arguments = ["--store", str(tmp_path), "changes", "village", "--since", "2023-01-01", "--json", *options]
    assert main(arguments, world) == 0
    assert in_json(json.loads(out.getvalue())) == expected


@pytest.mark.parametrize(("wanted", "expected"), WANTED)
async def test_the_request_tells_the_changes_of_a_participant_attribute_or_theme(
    wanted: Mapping[str, str], expected: Sequence[tuple[str, str]], aiohttp_client: Any
) -> None:
    app = create_app(VillageSystem(), CollectorRegistry(), clock=lambda: NOW)  # pyright: ignore[reportArgumentType]
    client = await aiohttp_client(app)
    reply = await client.get("/v1/spaces/village/changes", params={"since": "2023-01-01", **wanted})
    assert reply.status == 200
    assert in_json(await reply.json()) == expected
