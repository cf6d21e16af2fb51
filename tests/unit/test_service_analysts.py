"""Rulings, edges and participants over HTTP, on a whole system in memory."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from query.service.app import create_app
from tests.kit.described import conforms
from tests.kit.embedded import SPACE, Home

PATH = f"/v1/spaces/{SPACE.space}"
LECCE, KAUNAS = "I live in Lecce", "I moved to Kaunas last month"


@pytest.fixture
def home() -> Home:
    made = Home()
    made.say("m1", f"{LECCE}.", "2031-03-01T10:00:00Z")
    made.say("m2", f"{KAUNAS}.", "2031-05-10T10:00:00Z")
    return made


@pytest.fixture
async def client(home: Home, aiohttp_client: Any) -> Any:
    return await aiohttp_client(create_app(home.system, CollectorRegistry(), clock=lambda: home.now))


async def ask(client: Any, path: str, name: str) -> Any:
    response = await client.get(f"{PATH}/{path}")
    body = await response.json()
    assert response.status == 200, body
    conforms(body, name)
    return body


async def move(client: Any, home: Home) -> Any:
    """The edge of the move."""
    found = await ask(client, f"edges?event={home.id_of(LECCE)}&relation=updates", "EdgesResult")
    [edge] = found["entries"]
    return edge


async def test_an_edge_is_found_ruled_out_listed_and_taken_back(client: Any, home: Home) -> None:
    edge = await move(client, home)
    assert (edge["kind"], edge["effective"], edge["live"]) == ("change", True, True)
    ruling = {"action": "rule_out", "edge_id": edge["edge_id"], "analyst": "mo", "reason": "a guess"}
    for status in ("accepted", "duplicate"):
        reply = await (await client.post(f"{PATH}/adjudications", json=ruling)).json()
        conforms(reply, "AdjudicatedOut")
        assert reply["status"] == status
    assert home.entries()[LECCE].status == "valid"
    assert not (await move(client, home))["live"]
    [listed] = (await ask(client, "adjudications", "RulingsResult"))["entries"]
    assert (listed["ruling"], listed["reason"], listed["orphaned"]) == ("ruled_out", "a guess", False)
    undone = await client.delete(f"{PATH}/adjudications?edge_id={edge['edge_id']}&analyst=mo")
    assert (await undone.json())["status"] == "accepted"
    assert home.entries()[LECCE].status == "superseded"
    assert (await ask(client, "adjudications", "RulingsResult"))["entries"] == []


async def test_the_status_tells_of_rulings_that_lost_their_statements_and_where_events_are(
    client: Any, home: Home
) -> None:
    edge = await move(client, home)
    ruling = {"action": "rule_out", "edge_id": edge["edge_id"], "analyst": "mo"}
    await client.post(f"{PATH}/adjudications", json=ruling)
    status = await ask(client, "status", "StatusResult")
    assert (status["rulings"], status["orphaned"], status["events"]) == (1, 0, None)
    retracted = await client.delete(f"{PATH}/messages/m2?conversation_id=harbour")
    assert retracted.status == 200, await retracted.text()
    home.system.flush()
    status = await ask(client, "status?include=events", "StatusResult")
    assert (status["rulings"], status["orphaned"]) == (1, 1)
    events = status["events"]
    assert (events["live"], events["retracted"], events["ever"]) == (1, 1, 2)
    assert events["by_status"] == {"valid": 1}
    response = await client.get(f"{PATH}/status?include=everything")
    assert (response.status, (await response.json())["error"]["field"]) == (400, "include")


async def test_a_producer_is_listed_and_activated(client: Any) -> None:
    stages = (await ask(client, "producers", "ProducersResult"))["stages"]
    assert [stage["stage"] for stage in stages] == ["distil", "link"]
    body = {"stage": "distil", "producer": stages[0]["active"]}
    reply = await (await client.post(f"{PATH}/producers", json=body)).json()
    conforms(reply, "ActivatedOut")
    assert (reply["status"], reply["producer"]) == ("duplicate", body["producer"])


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"stage": "distil", "producer": "nobody"}, 404, "producer"),
        ({"stage": "think", "producer": "nobody"}, 400, "stage"),
        ({"stage": "distil"}, 400, "producer"),
        ({"stage": "distil", "producer": 7}, 400, "producer"),
    ],
)
async def test_a_producer_that_cannot_be_activated_is_refused(client: Any, body: Any, status: int, field: str) -> None:
    response = await client.post(f"{PATH}/producers", json=body)
    assert (response.status, (await response.json())["error"]["field"]) == (status, field)


async def test_names_are_merged_and_split(client: Any) -> None:
    merge = {"action": "merge", "alias": "Ilse B", "canonical": "Ilse", "analyst": "mo", "evidence": "signs so"}
    assert (await client.post(f"{PATH}/adjudications", json=merge)).status == 200
    [ilse] = (await ask(client, "participants", "ParticipantsResult"))["entries"]
    assert [(alias["name"], alias["evidence"]) for alias in ilse["aliases"]] == [("Ilse B", "signs so")]
    split = await client.delete(f"{PATH}/adjudications?alias=ilse%20b&analyst=mo")
    assert (await split.json())["status"] == "accepted"
    [ilse] = (await ask(client, "participants", "ParticipantsResult"))["entries"]
    assert ilse["aliases"] == []


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"action": "rule_out", "edge_id": "r0", "analyst": "mo"}, 404, "edge_id"),
        ({"action": "rule_out", "edge_id": "r0"}, 400, "analyst"),
        ({"action": "forget", "edge_id": "r0", "analyst": "mo"}, 400, "action"),
        ({"edge_id": "r0", "analyst": "mo"}, 400, "action"),
        ({"action": "accept", "edge_id": "r0", "analyst": "mo", "why": "x"}, 400, "why"),
    ],
)
async def test_a_ruling_that_cannot_be_taken_is_refused(client: Any, body: Any, status: int, field: str) -> None:
    response = await client.post(f"{PATH}/adjudications", json=body)
    assert (response.status, (await response.json())["error"]["field"]) == (status, field)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("adjudications?analyst=mo", "edge_id"),
        ("adjudications?edge_id=r0&alias=x&analyst=mo", "edge_id"),
        ("adjudications?edge_id=r0", "analyst"),
    ],
)
async def test_what_is_taken_back_must_be_named(client: Any, path: str, field: str) -> None:
    response = await client.delete(f"{PATH}/{path}")
    assert (response.status, (await response.json())["error"]["field"]) == (400, field)


async def test_an_unknown_relation_is_refused(client: Any) -> None:
    response = await client.get(f"{PATH}/edges?relation=likes")
    assert (response.status, (await response.json())["error"]["field"]) == (400, "relation")
