"""``GET …/deltas`` over a real socket and a whole system in memory: who hears what, when, and after what was missed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec
import pytest
from prometheus_client import CollectorRegistry

from query.api import Told
from query.service.app import create_app
from query.service.server import listening
from query.service.service import Limits
from query.service.sse import Filter, frame
from schemas.deltas import About, Cause, EventChanged
from schemas.events import Event
from schemas.ruling_wire import MergeIn
from tests.kit.embedded import SPACE, Home

PATH = f"/v1/spaces/{SPACE.space}"
LECCE, KAUNAS = "I live in Lecce", "I moved to Kaunas last month"


@pytest.fixture
def home() -> Home:
    made = Home()
    made.say("m1", f"{LECCE}.", "2031-03-01T10:00:00Z")
    made.say("m2", "I work at the tannery.", "2031-03-01T10:05:00Z")
    return made


class Reader:
    """One connection; reads events, comments apart."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.response = response
        self.last_id: str | None = None

    async def next(self, seconds: float = 5.0) -> dict[str, Any]:
        """The next event's data, with its name and id."""
        fields: dict[str, str] = {}
        async with asyncio.timeout(seconds):
            while True:
                line = (await self.response.content.readline()).decode("utf-8")
                assert line, "the stream ended"
                if line == "\n":
                    self.last_id = fields.get("id", self.last_id)
                    if "data" in fields:
                        return {"name": fields["event"], "id": fields["id"], **json.loads(fields["data"])}
                    fields = {}
                name, _, value = line.rstrip("\n").partition(": ")
                fields[name] = value

    async def until(self, text: str, reason: str) -> dict[str, Any]:
        """The next event about a statement with this reason."""
        while True:
            found = await self.next()
            if found.get("reason") == reason and (found.get("event") or {}).get("text") == text:
                return found


@asynccontextmanager
async def served(home: Home, **limits: Any) -> AsyncIterator[str]:
    app = create_app(home.system, CollectorRegistry(), clock=lambda: home.now, limits=Limits(**limits))
    async with listening(app, "127.0.0.1", 0) as url:
        yield url


@asynccontextmanager
async def reading(url: str, query: str = "", last: str | None = None) -> AsyncIterator[Reader]:
    headers = {} if last is None else {"Last-Event-ID": last}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{url}{PATH}/deltas{query}", headers=headers) as response,
    ):
        assert response.status == 200, await response.text()
        assert response.content_type == "text/event-stream"
        yield Reader(response)


async def in_thread(home: Home, what: Any, *args: Any) -> None:
    await asyncio.to_thread(what, *args)


async def test_a_reader_hears_a_retraction_while_it_listens(home: Home) -> None:
    async with served(home) as url, reading(url) as reader:
        await in_thread(home, home.retract, "m1")
        heard = await reader.next()
        assert (heard["name"], heard["reason"], heard["status"]) == ("event_changed", "-valid", None)
        assert heard["about"] == {"participants": ["Ilse"], "attribute": "home"}
        assert (heard["cause"]["topic"], heard["cause"]["message_id"]) == ("messages", "m1")


async def test_a_change_says_what_ends_and_what_holds_instead(home: Home) -> None:
    async with served(home) as url, reading(url) as reader:
        await in_thread(home, home.say, "m3", f"{KAUNAS}.", "2031-05-10T10:00:00Z")
        begun = await reader.until(KAUNAS, "+valid")
        ended = await reader.until(LECCE, "-valid")
        assert (ended["old_status"], ended["status"]) == ("valid", "superseded")
        assert ended["old"]["valid_until"] is None
        assert ended["new"]["valid_until"] == begun["new"]["valid_from"]
        assert ended["new"]["superseded_by"] == [begun["event_id"]]


async def test_a_reader_resumes_after_the_last_it_heard_and_misses_nothing(home: Home) -> None:
    async with served(home) as url:
        async with reading(url, "?after=-1") as reader:
            first = await reader.next()
        rest = []
        async with reading(url, last=first["id"]) as reader:
            home.retract("m2")
            while (found := await reader.next()).get("reason") != "-valid":
                rest.append(found["id"])
        async with reading(url, "?after=-1") as reader:
            everything = [(await reader.next())["id"] for _ in range(2 + len(rest))]
        assert everything == [first["id"], *rest, found["id"]]


async def test_a_reader_that_heard_nothing_resumes_where_it_began(home: Home) -> None:
    """The first bytes carry an id: a connection that breaks before the first delta loses none."""
    async with served(home, heartbeat_s=0.05) as url:
        async with reading(url) as reader:
            with pytest.raises(TimeoutError):
                await reader.next(0.15)
            assert reader.last_id is not None
        home.retract("m1")
        async with reading(url, last=reader.last_id) as again:
            assert (await again.next())["reason"] == "-valid"


async def test_a_filter_lets_through_what_it_names_under_any_name(home: Home) -> None:
    home.say("m3", "I live in Porto.", "2031-03-02T10:00:00Z", speaker="Birte")
    async with served(home) as url, reading(url, "?participant=ilse&attribute=home") as reader:
        await in_thread(home, home.retract, "m2")
        await in_thread(home, home.retract, "m3")
        await in_thread(home, home.retract, "m1")
        assert (await reader.next())["about"] == {"participants": ["Ilse"], "attribute": "home"}


@pytest.mark.parametrize(
    ("query", "last", "code"),
    [("?after=soon", None, "invalid"), ("", "99999", "unknown_position"), ("?until=1", None, "unknown_parameter")],
)
async def test_a_position_that_is_none_is_refused(home: Home, query: str, last: str | None, code: str) -> None:
    async with served(home) as url, aiohttp.ClientSession() as session:
        headers = {} if last is None else {"Last-Event-ID": last}
        async with session.get(f"{url}{PATH}/deltas{query}", headers=headers) as response:
            assert response.status == 400
            assert (await response.json())["error"]["code"] == code


async def test_a_silent_stream_sends_comments(home: Home) -> None:
    async with served(home, heartbeat_s=0.02) as url, reading(url) as reader:
        heard = b""
        async with asyncio.timeout(5):
            while b": still here\n" not in heard:
                heard = await reader.response.content.readline()


async def test_one_reader_too_many_is_refused_and_a_place_becomes_free(home: Home) -> None:
    async with served(home, streams=1) as url:
        async with reading(url), aiohttp.ClientSession() as session, session.get(f"{url}{PATH}/deltas") as second:
            assert second.status == 503
        async with asyncio.timeout(5), aiohttp.ClientSession() as session:
            status = 503
            while status == 503:
                async with session.get(f"{url}{PATH}/deltas") as third:
                    status = third.status
            assert status == 200


async def test_a_reader_that_takes_nothing_is_cut_off_and_holds_nobody_up(home: Home) -> None:
    """One stalls with its receive buffer full of old deltas; the other hears of news at once."""
    async with served(home, stream_write_s=0.3, heartbeat_s=0.05) as url:
        host, port = url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port), limit=1024)
        writer.write(f"GET {PATH}/deltas?after=-1 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await writer.drain()
        for number in range(3, 6):
            home.say(f"m{number}", f"I keep {number} bees.", f"2031-03-0{number}T10:00:00Z", flush=False)
        async with reading(url) as reader:
            await in_thread(home, home.system.flush)
            assert await reader.next()
        writer.close()


async def test_a_stop_ends_every_stream_cleanly(home: Home) -> None:
    async with aiohttp.ClientSession() as session:
        async with served(home, heartbeat_s=60) as url:
            response = await session.get(f"{url}{PATH}/deltas")
            assert (await response.content.readline()).startswith(b"retry:")
        rest = await asyncio.wait_for(response.content.read(), 5)
        assert b"event:" not in rest
        assert response.content.at_eof()


def told(event: Event | None, about: About | None) -> Told:
    delta = EventChanged(
        tenant="t", space="s", event_id="e1", old=None, new=None, cause=Cause(topic="messages", partition=0, offset=3),
        learned_at=0, about=about,
    )  # fmt: skip
    return Told(position=7, delta=delta, event=event, names=() if about is None else ("ilse",))


def test_what_nobody_knows_any_more_is_sent_to_everybody() -> None:
    """It is erased; a reader that relied on it must hear of that, whatever it had asked for."""
    wanted = Filter(participant="birte", attribute="home")
    assert wanted.wants(told(None, None))
    assert not wanted.wants(told(None, About(participants=("Ilse",), attribute="home")))


def test_a_frame_is_one_event_whatever_the_text_holds(home: Home) -> None:
    entry = home.entries()[LECCE]
    event = msgspec.structs.replace(entry.event, text="two\nlines\r\n\ndata: forged")
    assert frame(told(event, None)).count(b"\n") == 4


async def test_the_assistant_hears_of_a_merged_name(home: Home) -> None:
    """After "Ilse B" was merged into "Ilse", what is known of her is found under either name."""
    home.say("m3", "I keep bees.", "2031-03-02T10:00:00Z", speaker="Ilse B")
    home.system.adjudicate(SPACE, MergeIn(analyst="mo", alias="Ilse B", canonical="Ilse"))
    async with served(home) as url, reading(url, "?participant=Ilse") as reader:
        await in_thread(home, home.retract, "m3")
        assert (await reader.next())["about"]["participants"] == ["Ilse B"]
