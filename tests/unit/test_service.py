"""The HTTP service over an in-memory system: replies, refusals, metrics, description, start and stop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
import urllib.request
from typing import get_args, get_type_hints
from urllib.parse import quote

import aiohttp
import msgspec
import pytest
from openapi_spec_validator import validate
from prometheus_client import CollectorRegistry
from yarl import URL

from query.api import StateRequest, StateResult
from query.service.app import create_app
from query.service.params import include
from query.service.reads import read_state
from query.service.rendering import INSTANTS, to_json
from query.service.routes import ROUTES
from query.service.server import CannotListenError, listening, serve
from query.service.service import Limits
from schemas.events import Stated
from schemas.ids import SpaceKey
from schemas.times import parse_time
from tests.kit.described import conforms
from tests.kit.fake_system import FakeSystem

NOW = parse_time("2024-06-01T12:00:00Z")[0]
SPACE = "/v1/spaces/ilse"


def message(number: int, content: str, **changes) -> dict[str, object]:
    return {
        "message_id": f"m-{number}",
        "conversation_id": "harbour",
        "speaker": "Ilse",
        "content": content,
        "sent_at": f"2024-0{number}-01T12:00:00+02:00",
    } | changes


MOVES = {"messages": [message(1, "home is the lighthouse"), message(2, "hello"), message(3, "home is the mole")]}


@pytest.fixture
def system() -> FakeSystem:
    return FakeSystem()


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
async def client(system, registry, aiohttp_client):
    limits = Limits(body_max_bytes=50_000, wait_timeout_s=0.05, workers=4, ready_max_waiting=2)
    return await aiohttp_client(create_app(system, registry, clock=lambda: NOW, limits=limits))


async def ok(response, name: str | None = None):
    body = await response.json()
    assert response.status == 200, body
    if name is not None:
        conforms(body, name)
    return body


async def refused(response, status: int, code: str, field: str | None = None):
    body = await response.json()
    assert response.status == status, body
    conforms(body, "ErrorOut")
    assert (body["error"]["code"], body["error"].get("field")) == (code, field), body
    return body


async def post(client, body, path: str = f"{SPACE}/messages", **kwargs):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | kwargs.pop("headers", {})
    return await client.post(path, data=raw, headers=headers, **kwargs)


# --- messages


async def test_a_batch_is_accepted_once_and_known_the_second_time(client):
    first = await ok(await post(client, MOVES), "PostedOut")
    assert [status["status"] for status in first["messages"]] == ["accepted"] * 3
    assert (first["accepted"], first["duplicate"], first["refused"], first["wait_for"]) == (3, 0, 0, 3)
    again = await ok(await post(client, MOVES), "PostedOut")
    assert (again["accepted"], again["duplicate"], again["wait_for"]) == (0, 3, 3)


async def test_one_bad_message_does_not_refuse_the_others(client):
    bad = message(4, "late", sent_at="2024-04-01T12:00:00")
    body = await ok(await post(client, {"messages": [*MOVES["messages"], bad]}), "PostedOut")
    assert (body["accepted"], body["refused"]) == (3, 1)
    assert body["messages"][3]["error"] == {
        "code": "invalid",
        "field": "sent_at",
        "message": body["messages"][3]["error"]["message"],
    }


async def test_a_batch_of_bad_messages_only_is_an_error_that_tells_about_each(client):
    batch = {"messages": [message(4, "late", sent_at="2024-04-01"), {"nothing": 1}, 5]}
    body = await (response := await post(client, batch)).json()
    assert response.status == 400
    conforms(body, "RefusedOut")
    assert body["error"] == body["messages"][0]["error"]
    assert [status["status"] for status in body["messages"]] == ["refused"] * 3


async def test_known_messages_make_a_batch_with_bad_ones_a_success(client):
    await post(client, MOVES)
    body = await ok(await post(client, {"messages": [MOVES["messages"][0], {}]}))
    assert (body["duplicate"], body["refused"]) == (1, 1)


async def test_an_empty_batch_changes_nothing(client):
    assert (await ok(await post(client, {"messages": []}), "PostedOut"))["wait_for"] == 0


@pytest.mark.parametrize(
    ("body", "field", "says"),
    [
        (b'{"messages": [{"a": 1},', None, "line 1, column 24"),
        (b'{"messages":\n [tru]}', None, "line 2, column 3"),
        (b"", None, "line 1, column 1"),
        (b'{"messages": []} and more', None, "Extra data at line 1, column 18"),
        (b'{"messages": [{"a": "\xff"}]}', None, "not UTF-8: invalid byte at 21"),
        (b'{"messages": [' + b"[" * 40_000, None, "nested too deeply"),
    ],
    ids=["breaks off", "no such literal", "empty", "trailing", "not UTF-8", "deep"],
)
async def test_a_body_that_is_not_json_is_refused_with_the_position(client, body, field, says):
    problem = (await refused(await post(client, body), 400, "bad_json", field))["error"]
    assert says in problem["message"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"messages": 5}, "messages"), ({"massages": []}, "massages"), ({}, "messages"), ([], None),
        (message(1, "home is here"), "message_id"),
    ],
)  # fmt: skip
async def test_json_of_another_shape_is_refused_with_the_field_and_the_right_shape(client, body, field):
    refusal = await refused(await post(client, body), 400, "invalid", field)
    assert '{"messages": [' in refusal["error"]["message"]


async def test_a_lone_surrogate_refuses_only_the_message_it_stands_in(client):
    named = message(1, "home is here", message_id="\ud800")
    raw = json.dumps({"messages": [named, message(2, "work is here")]}).encode()
    body = await ok(await post(client, raw), "PostedOut")
    assert [status["status"] for status in body["messages"]] == ["refused", "accepted"]


async def test_a_body_over_the_limit_is_refused(client):
    await refused(await post(client, {"messages": [message(1, "x" * 60_000)]}), 413, "too_large")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
async def test_another_content_type_is_refused(client, kind):
    response = await post(client, MOVES, headers={"Content-Type": kind})
    await refused(response, 415, "unsupported_media_type", "Content-Type")


async def test_an_edit_replaces_what_was_said_and_a_retraction_withdraws_it(client):
    await post(client, {"messages": [message(1, "home is the lighthouse", message_id="D1:1/a b")]})
    path = f"{SPACE}/messages/{quote('D1:1/a b', safe='')}"
    edit = {"conversation_id": "harbour", "content": "home is the pier"}
    assert (await ok(await client.put(path, json=edit), "PostedOut"))["wait_for"] == 2
    state = await ok(await client.get(f"{SPACE}/state"))
    assert [entry["event"]["value"] for entry in state["entries"]] == ["the pier"]
    await ok(await client.delete(path, params={"conversation_id": "harbour"}), "PostedOut")
    assert (await ok(await client.get(f"{SPACE}/state")))["entries"] == []
    await refused(await client.delete(path, params={"conversation_id": "harbour"}), 404, "not_found", "id")


async def test_a_wrong_edit_or_retraction_names_what_is_wrong(client):
    await post(client, MOVES)
    path = f"{SPACE}/messages/m-1"
    await refused(await client.delete(path), 400, "invalid", "conversation_id")
    await refused(await client.put(path, json={"content": "x"}), 400, "invalid", "conversation_id")
    await refused(await client.put(path, json={"conversation_id": "mole", "content": "x"}), 404, "not_found", "id")
    response = await client.put(path, json={"conversation_id": "harbour", "content": ""})
    conforms(body := await response.json(), "RefusedOut")
    assert (response.status, body["error"]["field"]) == (400, "content")


async def test_assertions_get_ids_and_a_wrong_field_is_named_by_its_path(client):
    event = {"key": "k", "type": "plan", "text": "Ilse will sail"}
    batch = {"batch_id": "b", "producer": "crm", "asserted_at": "2024-01-01T00:00:00Z", "events": [event]}
    body = await ok(await post(client, batch, f"{SPACE}/events"), "AssertedOut")
    assert list(body["event_ids"]) == ["k"]
    wrong = batch | {"events": [event, event | {"type": "dream"}]}
    await refused(await post(client, wrong, f"{SPACE}/events"), 400, "invalid", "events[1].type")
    missing = batch | {"events": [{"key": "k", "type": "plan"}]}
    await refused(await post(client, missing, f"{SPACE}/events"), 400, "invalid", "events[0].text")
    dangling = batch | {"edges": [{"src": "other", "dst": "k", "relation": "updates"}]}
    await refused(await post(client, dangling, f"{SPACE}/events"), 400, "invalid", "edges[0].src")


# --- reads


async def test_state_is_what_holds_now_with_times_in_utc_and_its_basis(client):
    await post(client, MOVES)
    body = await ok(await client.get(f"{SPACE}/state"), "StateResult")
    assert body["as_of"] == "2024-06-01T12:00:00Z"
    (entry,) = body["entries"]
    assert (entry["event"]["value"], entry["valid_from"], entry["valid_until"]) == (
        "the mole",
        "2024-03-01T10:00:00Z",
        None,
    )
    assert entry["event"]["stated"]["sent_at"] == entry["citations"][0]["sent_at"] == "2024-03-01T10:00:00Z"
    assert body["basis"] == {"partition": 0, "messages": 3, "waiting": 0, "parked": 0}


@pytest.mark.parametrize("time", ["2024-02-01T01:00:00+02:00", "2024-02-01T01:00:00 02:00", "2024-01-31T23:00:00Z"])
async def test_state_as_of_a_time_whose_plus_may_have_become_a_space(client, time):
    await post(client, MOVES)
    body = await ok(await client.get(f"{SPACE}/state?as_of={time}"), "StateResult")
    assert body["as_of"] == "2024-01-31T23:00:00Z"
    assert [entry["event"]["value"] for entry in body["entries"]] == ["the lighthouse"]


async def test_state_lists_what_was_replaced_only_when_asked(client):
    await post(client, MOVES)

    async def values(**parameters):
        body = await ok(await client.get(f"{SPACE}/state", params=parameters), "StateResult")
        return [(entry["event"]["value"], entry["status"]) for entry in body["entries"]]

    now, before = ("the mole", "valid"), ("the lighthouse", "superseded")
    assert await values() == [now]
    assert await values(include="superseded") == [before, now]
    assert await values(include="lapsed,contested") == [now]
    assert await values(include="all") == [before, now]
    assert await values(include="superseded", as_of="2024-02-01T00:00:00Z") == [("the lighthouse", "valid")]
    assert await values(include="all", as_of="2024-02-01T00:00:00Z") == [
        ("the lighthouse", "valid"),
        ("the mole", "not_yet"),
    ]
    assert await values(participant="Tomáš") == []
    assert await values(attribute="home", participant="Ilse") == [now]


def test_each_include_adds_its_own_kind_and_actions_come_with_all_only(system):
    where = SpaceKey("default", "ilse")
    system.post(where, [json.dumps(message(1, "home is the lighthouse")).encode()])
    request = StateRequest(space=where, as_of=NOW, known_at=None, participant=None, attribute=None, include_all=False)
    (entry,) = system.state(request).entries

    def like(name: str, kind: str = "plan", **changes):
        event = msgspec.structs.replace(entry.event, id=name, type=kind)
        return msgspec.structs.replace(entry, event=event, **changes)

    entries = (
        like("holds"),
        like("superseded", status="superseded"),
        like("corrected", status="corrected"),
        like("ended", status="ended"),
        like("lapsed", status="lapsed"),
        like("not yet", status="not_yet"),
        like("contested", status="not_yet", contested_by=("holds",)),
        like("action", "action", status="ended"),
    )

    class Listing(FakeSystem):
        def state(self, request: StateRequest) -> StateResult:
            kept = entries if request.include_all else entries[:1]
            return StateResult(as_of=NOW, known_at=None, entries=kept, basis=self._basis(where))

    def listed(value: str) -> list[str]:
        wanted = include({"include": value})
        return [entry.event.id for entry in read_state(Listing(), request, wanted).entries]

    assert listed("superseded") == ["holds", "superseded", "corrected", "ended"]
    assert listed("lapsed") == ["holds", "lapsed"]
    assert listed("contested, lapsed") == ["holds", "lapsed", "contested"]
    assert listed("all") == [entry.event.id for entry in entries]


async def test_the_history_of_an_event_shows_what_replaced_it(client):
    await post(client, MOVES)
    state = await ok(await client.get(f"{SPACE}/state?include=superseded"))
    identity = state["entries"][0]["event"]["id"]
    body = await ok(await client.get(f"{SPACE}/events/{identity}"), "HistoryResult")
    assert [entry["status"] for entry in body["entries"]] == ["superseded", "valid"]
    assert body["entries"][0]["superseded_by"][0]["message_id"] == "m-3"
    assert body["links"][0]["dst"] == identity
    early = await ok(await client.get(f"{SPACE}/events/{identity}", params={"as_of": "2024-02-01T00:00:00Z"}))
    assert [entry["status"] for entry in early["entries"]] == ["valid", "not_yet"]
    await refused(await client.get(f"{SPACE}/events/nothing"), 404, "not_found", "id")


async def test_a_question_is_answered_with_context_citations_and_hashes(client):
    await post(client, MOVES)
    body = await ok(await post(client, {"question": "where is home?"}, f"{SPACE}/query"), "QueryResult")
    assert body["answer"]["text"] == "home is the mole"
    assert body["as_of"] == "2024-06-01T12:00:00Z"
    assert body["citations"][0]["message_id"] == "m-3"
    assert len(body["context_sha256"]) == 64
    earlier = {"question": "where was home?", "asked_at": "2024-02-01T00:00:00+01:00", "mode": "flat", "answer": False}
    body = await ok(await post(client, earlier, f"{SPACE}/query"), "QueryResult")
    assert (body["answer"], body["mode"], body["as_of"]) == (None, "flat", "2024-01-31T23:00:00Z")
    assert body["context"][0]["text"] == "home is the lighthouse"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"question": "  "}, "question"),
        ({"question": "a\u0000b"}, "question"),
        ({"question": 5}, "question"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"asked_at": "2024-01-01T00:00:00"}, "asked_at"),
        ({"known_at": ""}, "known_at"),
        ({"mode": "deep"}, "mode"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"budget_tokens": 10**30}, "budget_tokens"),
        ({"wait_for": -1}, "wait_for"),
        ({"asof": "x"}, "asof"),
    ],
)
async def test_a_wrong_question_names_its_field(client, changes, field):
    await refused(await post(client, {"question": "home?"} | changes, f"{SPACE}/query"), 400, "invalid", field)


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("asof=2024-01-01T00:00:00Z", "unknown_parameter", "asof"),
        ("as_of=2024-01-01T00:00:00", "invalid", "as_of"),
        ("as_of=2024-02-30", "invalid", "as_of"),
        ("as_of=0000-01-01", "invalid", "as_of"),
        ("known_at=noon", "invalid", "known_at"),
        ("as_of=", "invalid", "as_of"),
        ("participant=a&participant=b", "invalid", "participant"),
        ("participant=%00", "invalid", "participant"),
        ("include=superseeded", "invalid", "include"),
        ("wait_for=-1", "invalid", "wait_for"),
        ("wait_for=soon", "invalid", "wait_for"),
        ("wait_for=99999999999999999999999999", "invalid", "wait_for"),
    ],
)
async def test_a_wrong_query_parameter_is_refused_by_name(client, query, code, field):
    await refused(await client.get(f"{SPACE}/state?{query}"), 400, code, field)


async def test_a_query_parameter_is_refused_where_none_is_known(client):
    await refused(await post(client, MOVES, f"{SPACE}/messages?as_of=x"), 400, "unknown_parameter", "as_of")
    await refused(await post(client, {"question": "q"}, f"{SPACE}/query?mode=flat"), 400, "unknown_parameter", "mode")
    await refused(await post(client, {}, f"{SPACE}/events?batch=1"), 400, "unknown_parameter", "batch")


@pytest.mark.parametrize("day", ["0001-01-01", "2024-03-01", "9999-12-31"])
async def test_a_bare_date_means_its_end_in_utc_as_it_does_for_the_command(client, day):
    state = await ok(await client.get(f"{SPACE}/state?as_of={day}"))
    assert state["as_of"].startswith(f"{day}T23:59:59")
    asked = {"question": "home?", "as_of": day, "known_at": day}
    assert (await ok(await post(client, asked, f"{SPACE}/query")))["as_of"].startswith(f"{day}T23:59:59")


# --- spaces and tenants


async def test_nothing_of_one_tenant_or_space_is_seen_by_another(client):
    await post(client, MOVES, headers={"X-Tenant": "acme"})
    assert (await ok(await client.get(f"{SPACE}/state")))["entries"] == []
    assert (await ok(await client.get("/v1/spaces/vera/state", headers={"X-Tenant": "acme"})))["entries"] == []
    assert len((await ok(await client.get(f"{SPACE}/state", headers={"X-Tenant": "acme"})))["entries"]) == 1
    assert len((await ok(await client.get("/v1/spaces/%69lse/state", headers={"X-Tenant": "acme"})))["entries"]) == 1


@pytest.mark.parametrize("name", ["a%2Fb", "a%00b", "a%20b", "x" * 129, "%0A", "a%E2%80%A8b"])
async def test_a_space_name_that_cannot_be_one_is_refused(client, name):
    await refused(await client.get(f"/v1/spaces/{name}/state"), 400, "invalid", "space")


@pytest.mark.parametrize("name", ["", "a/b", "a b", "x" * 129])
async def test_a_tenant_name_that_cannot_be_one_is_refused(client, name):
    for path in (f"{SPACE}/state", "/v1/spaces"):
        await refused(await client.get(path, headers={"X-Tenant": name}), 400, "invalid", "X-Tenant")


async def test_names_of_any_script_are_fine(client):
    space = f"/v1/spaces/{quote('Ильзе-灯台')}"
    await post(client, MOVES, f"{space}/messages")
    assert len((await ok(await client.get(f"{space}/state")))["entries"]) == 1


async def test_an_id_with_control_characters_is_refused(client):
    await refused(await client.get(f"{SPACE}/events/e%00"), 400, "invalid", "id")


@pytest.mark.parametrize(
    "target", ["/v1/spaces/%ff/state", "/v1/spaces/%ED%A0%80/state", f"{SPACE}/state?attribute=%ff"]
)
async def test_escapes_that_are_not_utf8_are_refused(client, target):
    await refused(await client.get(URL(target, encoded=True)), 400, "bad_url")


# --- waiting


async def test_a_read_waits_for_what_was_written(client, system):
    system.hold()
    offset = (await ok(await post(client, MOVES)))["wait_for"]
    await refused(await client.get(f"{SPACE}/state?wait_for={offset}"), 504, "not_yet_applied", "wait_for")
    question = {"question": "home?", "wait_for": offset}
    await refused(await post(client, question, f"{SPACE}/query"), 504, "not_yet_applied", "wait_for")
    now = await ok(await client.get(f"{SPACE}/state"))
    assert (now["entries"], now["basis"]["waiting"]) == ([], 3)
    system.release()
    assert len((await ok(await client.get(f"{SPACE}/state?wait_for={offset}")))["entries"]) == 1


async def test_waiting_requests_do_not_hold_up_others_and_return_when_applied(system, registry, aiohttp_client):
    client = await aiohttp_client(create_app(system, registry, limits=Limits(workers=2, waiters=3)))
    system.hold()
    await ok(await post(client, MOVES))
    waiting = [asyncio.ensure_future(client.get(f"{SPACE}/state?wait_for=3")) for _ in range(20)]
    for _ in range(10):
        assert (await ok(await client.get(f"{SPACE}/state")))["entries"] == []
    assert not any(task.done() for task in waiting)
    system.release()
    for response in await asyncio.gather(*waiting):
        assert len((await ok(response))["entries"]) == 1


async def test_fifty_requests_at_once_are_all_answered_and_none_on_the_event_loop(client, system):
    async def one(number: int):
        space = f"/v1/spaces/s{number % 5}"
        body = {"messages": [message(1, f"home is pier {number}", message_id=f"p-{number}", speaker=f"S{number}")]}
        await ok(await post(client, body, f"{space}/messages"))
        state = await ok(await client.get(f"{space}/state", params={"participant": f"S{number}"}))
        return [entry["event"]["value"] for entry in state["entries"]]

    assert await asyncio.gather(*(one(number) for number in range(50))) == [[f"pier {n}"] for n in range(50)]
    assert all(name.startswith("http") for name in system.threads)


# --- every failure has one shape


async def test_unknown_paths_and_wrong_methods_are_errors_of_the_same_shape(client):
    await refused(await client.get("/v1/nothing"), 404, "not_found")
    await refused(await client.get("/v1/spaces//state"), 404, "not_found")
    response = await client.patch(f"{SPACE}/state")
    await refused(response, 405, "method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD"


async def test_a_fault_is_logged_with_its_traceback_and_not_told(client, caplog):
    response = await post(client, {"question": "fail"}, f"{SPACE}/query")
    body = await refused(response, 500, "fault")
    assert "secret" not in json.dumps(body)
    (record,) = [record for record in caplog.records if record.name == "query.service.app"]
    assert record.exc_info is not None
    assert "secret detail" in str(record.exc_info[1])
    await ok(await client.get("/healthz"))


# --- probes, metrics, description


async def test_health_and_readiness(client, system):
    await ok(await client.get("/healthz"), "Alive")
    assert await ok(await client.get("/readyz"), "Ready") == {"ready": True, "waiting": 0, "parked": 0}
    system.hold()
    await post(client, MOVES)
    await refused(await client.get("/readyz"), 503, "not_ready")
    system.release()
    await ok(await client.get("/readyz"))
    system.problem = "the log is closed"
    body = await refused(await client.get("/readyz"), 503, "not_ready")
    assert body["error"]["message"] == "the log is closed"
    await ok(await client.get("/healthz"))


async def test_metrics_count_requests_messages_and_what_waits(client, system, registry):
    await post(client, MOVES)
    await post(client, MOVES)
    system.hold()
    await post(client, {"messages": [message(4, "work is here"), {}]})
    await client.get(f"{SPACE}/state")
    await client.get("/nothing/here")
    response = await client.get("/metrics")
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    text = await response.text()

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, labels)

    outcomes = {name: value("stilltrue_messages_total", outcome=name) for name in ("accepted", "duplicate", "refused")}
    assert outcomes == {"accepted": 4, "duplicate": 3, "refused": 1}
    assert value("stilltrue_messages_waiting") == 1
    route = {"method": "GET", "route": "/v1/spaces/{space}/state", "status": "200"}
    assert value("stilltrue_http_request_seconds_count", **route) == 1
    unmatched = {"method": "GET", "route": "unmatched", "status": "404"}
    assert value("stilltrue_http_request_seconds_count", **unmatched) == 1
    assert "/nothing/here" not in text


async def test_the_page_says_what_this_is_and_links(client):
    response = await client.get("/")
    text = await response.text()
    assert response.content_type == "text/html"
    for link in ("/openapi.json", "/healthz", "/readyz", "/metrics"):
        assert f'href="{link}"' in text
        assert (await client.get(link)).status == 200
    assert (await client.head("/healthz")).status == 200


async def test_the_description_is_valid_and_names_every_route(client):
    document = await ok(await client.get("/openapi.json"))
    assert document["openapi"] == "3.1.0"
    validate(document)
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    assert described == {(route.path, route.method) for route in ROUTES}
    assert "microseconds" not in json.dumps(document)


PLAIN_INTEGERS = {
    ("Answer", "dropped"),
    ("Citation", "utc_offset_min"),
    ("Source", "start"),
    ("Source", "end"),
    ("Basis", "partition"),
    ("Basis", "messages"),
    ("Basis", "waiting"),
    ("Basis", "parked"),
    ("EventAccount", "live"),
    ("EventAccount", "replaced"),
    ("EventAccount", "retracted"),
    ("EventAccount", "erased"),
    ("EventAccount", "ever"),
    ("EventAccount", "by_status"),
    ("StatusResult", "rulings"),
    ("StatusResult", "orphaned"),
    ("MessageAccount", "statements_left_out"),
    ("MessageAccount", "accepted"),
    ("MessageAccount", "source_of_event"),
    ("MessageAccount", "read_yielded_none"),
    ("MessageAccount", "waiting"),
    ("MessageAccount", "parked"),
    ("ContextItem", "tokens"),
    ("ParticipantEntry", "events"),
    ("RulingsResult", "orphaned"),
    ("QueryResult", "context_tokens"),
    ("QueryResult", "scaffolding_tokens"),
    ("Stated", "seq"),
    ("Stated", "offset"),
}


def test_every_integer_of_a_reply_is_known_as_an_instant_or_as_a_plain_number():
    """A new field of a result has to be put in one of the two lists."""
    found: set[tuple[str, str]] = set()
    seen: set[type] = set()

    def visit(kind: object) -> None:
        for part in get_args(kind):
            visit(part)
        if not isinstance(kind, type) or kind in seen or not (issubclass(kind, msgspec.Struct) or kind is Stated):
            return
        seen.add(kind)
        for name, hint in get_type_hints(kind).items():
            if hint is int or int in get_args(hint):
                found.add((kind.__name__, name))
            visit(hint)

    for route in ROUTES:
        if route.reply is not None and route.reply.__module__.startswith("query.api."):
            visit(route.reply)
    instants = {(kind.__name__, name) for kind, names in INSTANTS.items() for name in names}
    assert found == instants | PLAIN_INTEGERS


def test_rendering_leaves_scalars_alone_and_names_the_parts_of_a_stated_time():
    assert to_json((1, "a", None, 0.5, True)) == [1, "a", None, 0.5, True]
    assert to_json(Stated(0, 5, "m", 7)) == {
        "sent_at": "1970-01-01T00:00:00Z",
        "seq": 5,
        "message_id": "m",
        "offset": 7,
    }


# --- start and stop


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_returns_on_a_signal_and_leaves_no_thread_behind(system, registry, number):
    answers: list[int] = []

    def visit(url: str) -> None:
        with urllib.request.urlopen(f"{url}/readyz") as response:
            answers.append(response.status)
        os.kill(os.getpid(), number)

    visitors: list[threading.Thread] = []

    def ready(url: str) -> None:
        visitors.append(threading.Thread(target=visit, args=(url,)))
        visitors[0].start()

    serve(system, "127.0.0.1", 0, registry, ready=ready)
    visitors[0].join()
    assert answers == [200]
    assert not any(thread.name.startswith("http") for thread in threading.enumerate())


def test_a_port_in_use_is_a_clear_error(system, registry):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CannotListenError, match=f"port {port} on 127.0.0.1 is in use"):
            serve(system, "127.0.0.1", port, registry)


def test_a_host_that_is_none_is_a_clear_error(system, registry):
    with pytest.raises(CannotListenError, match=r"203\.0\.113\.1"):
        serve(system, "203.0.113.1", 0, registry)


async def test_a_stop_ends_waiting_requests_with_an_answer(system, registry, aiohttp_client):
    system.hold()
    app = create_app(system, registry, limits=Limits(wait_timeout_s=60))
    async with aiohttp.ClientSession() as session:
        async with listening(app, "127.0.0.1", 0) as url:
            waiting = asyncio.ensure_future(session.get(f"{url}{SPACE}/state?wait_for=1"))
            await asyncio.to_thread(system.waited.wait)
        await refused(await waiting, 503, "stopping")
