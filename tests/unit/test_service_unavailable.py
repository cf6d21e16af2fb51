"""The HTTP service while its log takes nothing, or a model thinks: reads go on; writes are told when to try again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest
from prometheus_client import CollectorRegistry

from query.api import QueryRequest, QueryResult
from query.service.app import create_app
from query.service.ports import Ingested, Refused
from query.service.service import Limits
from schemas.ids import SpaceKey
from schemas.wire import Problem
from tests.kit.fake_system import FakeSystem

POSTED = {
    "messages": [
        {
            "message_id": "m1", "conversation_id": "c", "speaker": "Jorun", "content": "home is the weir",
            "sent_at": "2031-03-03T09:00:00Z",
        }
    ]
}  # fmt: skip


class Stuck(FakeSystem):
    """Takes nothing until it is released, then says that it cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
        seq_start: int = 0,
    ) -> Ingested:
        self.released.wait(10)
        raise Refused(Problem(code="unavailable", message="the log takes nothing"))

    def query(self, request: QueryRequest) -> QueryResult:
        if request.answer:
            self.released.wait(10)
        return super().query(request)


@pytest.fixture
def system() -> Stuck:
    return Stuck()


@pytest.fixture
async def client(system, aiohttp_client):
    limits = Limits(workers=2, writers=2, askers=2)
    return await aiohttp_client(create_app(system, CollectorRegistry(), limits=limits))


async def test_writes_that_hang_hold_up_no_read(client, system):
    posts = [asyncio.create_task(client.post("/v1/spaces/s/messages", json=POSTED)) for _ in range(6)]
    try:
        state = await asyncio.wait_for(client.get("/v1/spaces/s/state"), 5)
        assert state.status == 200
        assert not any(post.done() for post in posts)
    finally:
        system.released.set()
    assert [(await post).status for post in posts] == [503] * 6


async def test_questions_that_wait_for_a_model_hold_up_no_read(client, system):
    asked = {"question": "Where does Jorun live?", "answer": True}
    waiting = [asyncio.create_task(client.post("/v1/spaces/s/query", json=asked)) for _ in range(6)]
    try:
        state = await asyncio.wait_for(client.get("/v1/spaces/s/state"), 5)
        evidence = await asyncio.wait_for(client.post("/v1/spaces/s/query", json=asked | {"answer": False}), 5)
        assert (state.status, evidence.status) == (200, 200)
        assert not any(question.done() for question in waiting)
    finally:
        system.released.set()
    assert [(await question).status for question in waiting] == [200] * 6


async def test_who_is_told_unavailable_is_told_when_to_try_again(client, system):
    system.released.set()
    reply = await client.post("/v1/spaces/s/messages", json=POSTED)
    assert reply.status == 503
    assert int(reply.headers["Retry-After"]) > 0
    assert (await reply.json())["error"]["code"] == "unavailable"
