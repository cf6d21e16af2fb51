"""What the view promises, as a user asks it: by command and over HTTP, in the order of its two clocks."""

from __future__ import annotations

import asyncio
import io
import json
import random
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import pytest
from prometheus_client import CollectorRegistry

from ops.cli.__main__ import main
from ops.cli.world import World
from query.service.app import create_app
from schemas.ids import SpaceKey
from schemas.wire import AssertionsIn, EdgeIn, EventIn, SourceIn
from tests.kit.embedded import SPACE, Home, us

PATH = f"/v1/spaces/{SPACE.space}"
LECCE, BARI = "lives in Lecce", "lives in Bari"
TWELFTH, FOURTEENTH = "the dinner is on 12 May", "the dinner is on 14 May"
KIEL, GRAZ = "the aunt lives in Kiel", "the aunt lives in Graz"


def register(home: Home, day: str, key: str, text: str, *edges: tuple[str, str, str | None], **more: Any) -> None:
    """A message of that day, learned on it, and what it says as a producer asserts it; edges from it to others."""
    home.now = us(f"{day}T12:00:00Z")
    home.say(f"m-{key}", "See the register.", f"{day}T10:00:00Z")
    said = EventIn(
        key=key, type=more.pop("type", "state_change"), text=text, subject="Ilse", participants=("Ilse",),
        sources=(SourceIn(conversation_id="harbour", message_id=f"m-{key}"),), **more,
    )  # fmt: skip
    links = tuple(EdgeIn(src=key, dst=to, relation=relation, kind=kind) for to, relation, kind in edges)  # pyright: ignore[reportArgumentType]
    home.system.assert_events(
        SPACE,
        AssertionsIn(batch_id=key, producer="register", asserted_at=f"{day}T10:00:00Z", events=(said,), edges=links),
    )
    home.system.flush()


def village() -> Home:
    """A change, a correction, four plans and a contradiction."""
    home = Home()
    register(home, "2031-03-01", "lecce", LECCE, attribute="home")
    register(home, "2031-04-01", "12", TWELFTH, attribute="dinner")
    for plan in ("done", "cancelled", "change", "lapsed"):
        register(
            home, "2031-04-02", plan, f"plan {plan}", type="plan", modality="planned",
            expected_until="2031-04-10T00:00:00Z",
        )  # fmt: skip
    register(home, "2031-04-03", "kiel", KIEL)
    register(home, "2031-04-04", "graz", GRAZ, ("kiel", "contradicts", None))
    for plan in ("done", "cancelled", "change"):
        register(home, "2031-04-08", f"news-{plan}", f"news of {plan}", (plan, "updates", plan))
    register(home, "2031-04-20", "14", FOURTEENTH, ("12", "updates", "correction"), attribute="dinner")
    register(home, "2031-05-10", "bari", BARI, ("lecce", "updates", "change"), attribute="home")
    home.now = us("2031-06-01T12:00:00Z")
    return home


class User(Protocol):
    """Somebody who reads and writes, one way or the other."""

    async def state(self, as_of: str, known_at: str | None = None) -> dict[str, Any]: ...
    async def history(self, event_id: str) -> Any: ...
    async def edges(self) -> list[Any]: ...
    async def do(self, what: str, *names: str) -> Any: ...


class Commands:
    """By command; what is read is asked for as JSON."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def _run(self, *arguments: str) -> Any:
        system, out, err = self._home.system, io.StringIO(), io.StringIO()

        class Kept:
            def __getattr__(self, name: str) -> Any:
                return (lambda: None) if name == "close" else getattr(system, name)

        world = World(open_system=lambda *_, **__: Kept(), now=lambda: self._home.now, out=out, err=err)  # pyright: ignore[reportArgumentType, reportReturnType]
        assert main([*arguments, "--json"], world) == 0, err.getvalue()
        return json.loads(out.getvalue())

    async def state(self, as_of: str, known_at: str | None = None) -> dict[str, Any]:
        known = () if known_at is None else ("--known-at", known_at)
        found = self._run("state", SPACE.space, "--all", "--as-of", as_of, *known)
        return {entry["event"]["text"]: entry for entry in found["entries"]}

    async def history(self, event_id: str) -> Any:
        return self._run("history", SPACE.space, event_id)

    async def edges(self) -> list[Any]:
        system = self._home.system
        return [{"edge_id": e.edge_id, "kind": e.kind} for e in system.edges(SPACE, None, None).entries]

    async def do(self, what: str, *names: str) -> Any:
        words = {
            "retract": ("retract", SPACE.space, *names, "--conversation", "harbour"),
            "rule out": ("rule-out", SPACE.space, *names, "--reason", "no"),
            "undo": ("rule-out", SPACE.space, *names, "--undo"),
            "erase": ("erase", SPACE.space, "--message", *names, "--conversation", "harbour", "--yes"),
        }[what]
        return self._run(*words)


class Http:
    """Over HTTP."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def _done(self, call: Awaitable[Any]) -> Any:
        response = await call
        body = await response.json()
        assert response.status == 200, body
        return body

    async def state(self, as_of: str, known_at: str | None = None) -> dict[str, Any]:
        known = {} if known_at is None else {"known_at": known_at}
        asked = {"include": "all", "as_of": as_of} | known
        found = await self._done(self._client.get(f"{PATH}/state", params=asked))
        return {entry["event"]["text"]: entry for entry in found["entries"]}

    async def history(self, event_id: str) -> Any:
        return await self._done(self._client.get(f"{PATH}/events/{event_id}"))

    async def edges(self) -> list[Any]:
        return (await self._done(self._client.get(f"{PATH}/edges")))["entries"]

    async def do(self, what: str, *names: str) -> Any:
        [name] = names
        match what:
            case "retract":
                call = self._client.delete(f"{PATH}/messages/{name}?conversation_id=harbour")
            case "rule out":
                body = {"action": "rule_out", "edge_id": name, "analyst": "mo", "reason": "no"}
                call = self._client.post(f"{PATH}/adjudications", json=body)
            case "undo":
                call = self._client.delete(f"{PATH}/adjudications?edge_id={name}&analyst=mo")
            case _:
                body = {"scope": "message", "conversation_id": "harbour", "message_id": name}
                call = self._client.post(f"{PATH}/erasures", json=body)
        return await self._done(call)


@pytest.fixture
def home() -> Home:
    return village()


@pytest.fixture(params=["command", "http"])
async def user(request: pytest.FixtureRequest, home: Home, aiohttp_client: Callable[..., Awaitable[Any]]) -> User:
    if request.param == "command":
        return Commands(home)
    return Http(await aiohttp_client(create_app(home.system, CollectorRegistry(), clock=lambda: home.now)))


async def test_what_a_withdrawn_update_had_superseded_is_valid_again(user: User, home: Home) -> None:
    """Retracted, ruled out and taken back, erased."""
    assert (await user.state("2031-06-01"))[LECCE]["status"] == "superseded"
    [edge] = [e["edge_id"] for e in await user.edges() if e["kind"] == "change" and e["edge_id"] in await _ends(user)]
    await user.do("rule out", edge)
    assert (await user.state("2031-06-01"))[LECCE]["status"] == "valid"
    await user.do("undo", edge)
    assert (await user.state("2031-06-01"))[LECCE]["status"] == "superseded"
    await user.do("retract", "m-bari")
    home.system.flush()
    assert (await user.state("2031-06-01"))[LECCE]["status"] == "valid"
    await user.do("erase", "m-14")
    state = await user.state("2031-06-01")
    assert state[TWELFTH]["status"] == "valid"
    assert FOURTEENTH not in state
    assert home.system.verify(SPACE).equal


async def _ends(user: User) -> set[str]:
    """The edges that end the old home."""
    found = (await user.state("2031-06-01"))[LECCE]["event"]["id"]
    return {link["edge_id"] for link in (await user.history(found))["links"]}


async def test_a_change_closes_an_interval_and_a_correction_empties_it(user: User) -> None:
    """Told apart by status, by interval, and by the kind of the link."""
    state = await user.state("2031-06-01")
    changed, corrected = state[LECCE], state[TWELFTH]
    assert (changed["status"], changed["valid_from"], changed["valid_until"]) == (
        "superseded", "2031-03-01T10:00:00Z", "2031-05-10T10:00:00Z",
    )  # fmt: skip
    assert corrected["status"] == "corrected"
    assert corrected["valid_from"] == corrected["valid_until"] == state[FOURTEENTH]["valid_from"]
    for entry, kind in ((changed, "change"), (corrected, "correction")):
        [link] = (await user.history(entry["event"]["id"]))["links"]
        assert (link["kind"], link["effective"]) == (kind, True)
        assert [by["kind"] for by in entry["superseded_by"]] == [kind]


async def test_what_was_true_then_and_what_was_believed_then_differ_after_a_late_correction(user: User) -> None:
    """Both with their evidence."""
    true_then = await user.state("2031-04-15")
    assert (true_then[TWELFTH]["status"], true_then[FOURTEENTH]["status"]) == ("corrected", "valid")
    assert [c["message_id"] for c in true_then[FOURTEENTH]["citations"]] == ["m-14"]
    believed_then = await user.state("2031-04-15", known_at="2031-04-15")
    assert believed_then[TWELFTH]["status"] == "valid"
    assert [c["message_id"] for c in believed_then[TWELFTH]["citations"]] == ["m-12"]
    assert FOURTEENTH not in believed_then
    assert LECCE in believed_then
    assert BARI not in believed_then


async def test_a_plan_is_planned_then_done_changed_cancelled_or_lapsed(user: User) -> None:
    plans = ("done", "change", "cancelled", "lapsed")
    before, after = await user.state("2031-04-05"), await user.state("2031-06-01")
    assert [before[f"plan {plan}"]["plan"] for plan in plans] == ["planned"] * 4
    assert [after[f"plan {plan}"]["plan"] for plan in plans] == ["done", "changed", "cancelled", "lapsed"]
    assert after["plan lapsed"]["status"] == "lapsed"


async def test_a_contradiction_stands_on_both_sides_with_its_sources(user: User) -> None:
    state = await user.state("2031-06-01")
    kiel, graz = state[KIEL], state[GRAZ]
    assert (kiel["status"], graz["status"]) == ("valid", "valid")
    assert kiel["contested_by"] == [graz["event"]["id"]]
    assert graz["contested_by"] == [kiel["event"]["id"]]
    assert [c["message_id"] for entry in (kiel, graz) for c in entry["citations"]] == ["m-kiel", "m-graz"]
    [edge] = [e["edge_id"] for e in (await user.history(kiel["event"]["id"]))["links"]]
    await user.do("rule out", edge)
    assert (await user.state("2031-06-01"))[KIEL]["contested_by"] == []


async def test_deltas_tell_what_no_longer_holds_and_the_message_that_caused_it(
    aiohttp_client: Callable[..., Awaitable[Any]],
) -> None:
    home = Home()
    home.say("m1", "I live in Lecce.", "2031-03-01T10:00:00Z")
    home.say("m2", "I moved to Kaunas last month.", "2031-05-10T10:00:00Z")
    client = await aiohttp_client(create_app(home.system, CollectorRegistry(), clock=lambda: home.now))
    told: dict[str, Any] = {}
    async with asyncio.timeout(20), client.get(f"{PATH}/deltas?after=-1") as response:
        while "-valid" not in told:
            line = (await response.content.readline()).decode()
            if line.startswith("data: "):
                delta = json.loads(line[6:])
                told[delta.get("reason") or "edge"] = delta
    gone = told["-valid"]
    assert (gone["event"]["text"], gone["status"], gone["old_status"]) == ("I live in Lecce", "superseded", "valid")
    assert (gone["cause"]["topic"], gone["by"]) == ("edges", [["harbour", "m2"]])


SAYINGS = (
    "I live in {}.", "I moved to {} last month.", "I work at the mill of {}.", "I quit my job yesterday.",
    "I never lived in {}.", "My dentist appointment is on 14 May.", "The dentist moved my appointment to 21 May.",
)  # fmt: skip


@pytest.mark.parametrize("seeds", [range(start, start + 16) for start in (0, 16, 32, 48)], ids=lambda s: f"{s.start}-")
def test_a_late_session_leaves_what_it_would_have_left_in_time(seeds: range) -> None:
    """Also one that lies between two others, and one before all of them."""
    for seed in seeds:
        rng = random.Random(seed)
        sessions = [
            (f"2031-{month:02d}-{rng.randint(1, 28):02d}", rng.choice(SAYINGS).format(rng.choice(("Lecce", "Bari"))))
            for month in range(1, rng.randint(4, 7))
        ]
        late = rng.sample(range(len(sessions)), k=rng.randint(1, 2))
        order = [n for n in range(len(sessions)) if n not in late] + late
        in_time = _checksum(sessions, range(len(sessions)), one_by_one=False)
        assert _checksum(sessions, order, one_by_one=True) == in_time, f"seed {seed}"


def _checksum(sessions: list[tuple[str, str]], order: Any, *, one_by_one: bool) -> str:
    """Of the view, where each session is worked off before the next is told, or all of them at once."""
    home = Home("2031-12-01T12:00:00Z")
    for n in order:
        day, said = sessions[n]
        home.say(f"m{n}", said, f"{day}T10:00:00Z", flush=one_by_one)
    home.system.flush()
    verified = home.system.verify(SpaceKey(SPACE.tenant, SPACE.space))
    assert verified.equal
    return verified.checksum
