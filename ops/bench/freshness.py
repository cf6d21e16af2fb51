"""How long after a message was posted the query node's state shows what it says, at a steady rate, sessions open.

Every space is a chat of its own in which somebody says something every ``SPACES / rate`` seconds, at random. The node
is asked for the state of a sample: again and again from the moment the view's delta is heard of.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from http import HTTPStatus
from random import Random

import aiohttp

from schemas.deltas import EventChanged
from schemas.events import EventsDistilled
from schemas.record import Record
from schemas.topics import TopicName

from .processes import Cluster, percentile
from .stations import STATIONS, Stations
from .talk import TENANT, message, posted, space
from .wire import wire

SPACES = 500
SAMPLED = 5
"""The node is asked about every fifth message."""

ASK_S = 0.05
WARM_UP_S = 15.0
"""Talk at the same rate that is not counted: models and rules are loaded with the first messages."""

GIVE_UP_S = 20.0
"""After the delta: a state shows nothing that it lists only on request, or that was replaced at once."""

REFUSED_S = 1.0
DRAIN_S = 30.0
STAGES = ("sessionize", "distil", "themes", "link")


async def freshness(bootstrap: str, cluster: Cluster, *, per_s: float, seconds: float) -> Mapping[str, float]:
    """Seconds from before the POST to the reply that holds the statement, and what the processes took for it.

    ``freshness_delta_*``: to the view's delta, of all messages that say something. ``freshness_leg_*``: from one topic
    to the next (``stations``).
    """
    worker, view = cluster.start("worker", "worker"), cluster.start("view", "view")
    node = cluster.start("node", "serve", "--kafka", "--port", "0")
    worker.wait_for("running")
    view.wait_for("maintaining")
    url = str(node.wait_for("serving"))
    async with (
        wire(bootstrap, cluster.prefix) as client,
        aiohttp.ClientSession(url, headers={"X-Tenant": TENANT}, connector=aiohttp.TCPConnector(limit=0)) as http,
    ):
        await _ready(http)
        watched = _Watched(http)
        listening = asyncio.create_task(client.listen(STATIONS, watched.hear))
        await asyncio.sleep(1.0)
        talk = _Talk(http, watched, per_s)
        await talk.go_on(WARM_UP_S, counted=False)
        processes = {"worker": worker, "view": view, "node": node}
        before = {name: process.cpu_s() for name, process in processes.items()}
        sent = await talk.go_on(seconds, counted=True)
        cores = {f"freshness_{name}_cores": (p.cpu_s() - before[name]) / seconds for name, p in processes.items()}
        late = len(watched.delta_times())
        await _drain(watched)
        listening.cancel()
        watched.stop()
    totals = {total["stage"]: total for total in worker.stop()["stages"]}
    deltas, states = watched.delta_times(), watched.state_times
    return {
        "freshness_p50_s": percentile(states, 0.5),
        "freshness_p95_s": percentile(states, 0.95),
        "freshness_max_s": max(states),
        "freshness_sampled": len(states),
        "freshness_delta_p50_s": percentile(deltas, 0.5),
        "freshness_delta_p95_s": percentile(deltas, 0.95),
        "freshness_messages": sent,
        "freshness_refused": watched.refused,
        "freshness_statements": len(deltas),
        "freshness_behind_at_end": len(deltas) - late,
        "freshness_sent_per_s": sent / seconds,
        **cores,
        **watched.legs(),
        **{f"freshness_{stage}_fold_s": totals[stage]["fold_s"] for stage in STAGES},
        **{f"freshness_{stage}_records": totals[stage]["records"] for stage in STAGES},
    }


class _Watched:
    """When each message was posted, which events rest on it, and when they were first seen.

    Attributes:
        sent: by space and message, when its POST began.
        state_times: seconds from there to the state that shows it, of the sample.
        refused: POSTs that the node could not take just then; they were sent again.
    """

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self.sent: dict[tuple[str, str], float] = {}
        self.state_times: list[float] = []
        self.refused = 0
        self._http = http
        self._stations = Stations()
        self._clock = time.time() - time.perf_counter()
        self._of: dict[tuple[str, str], str] = {}
        self._shown: dict[tuple[str, str], float] = {}
        self._asking: dict[tuple[str, str], asyncio.Task[None]] = {}

    def hear(self, topic: TopicName, record: Record, offset: int, at: float) -> None:
        """A record of one of ``STATIONS``."""
        self._stations.hear(topic, record, offset, at)
        if isinstance(record, EventsDistilled):
            for event in record.events:
                self._of[record.space, event.id] = event.sources[-1].message_id
        elif isinstance(record, EventChanged) and record.new is not None:
            name = (record.space, record.event_id)
            self._shown.setdefault(name, time.perf_counter())
            of = (record.space, self._of.get(name, ""))
            if of in self.sent and int(of[1][1:]) % SAMPLED == 0 and of not in self._asking:
                self._asking[of] = asyncio.create_task(self._ask(name, self.sent[of]))

    async def _ask(self, name: tuple[str, str], sent: float) -> None:
        until_s = time.perf_counter() + GIVE_UP_S
        path = f"/v1/spaces/{name[0]}/state?include=superseded,lapsed"
        while time.perf_counter() < until_s:
            async with self._http.get(path) as reply:
                if reply.status == 200 and name[1].encode() in await reply.read():
                    self.state_times.append(time.perf_counter() - sent)
                    return
            await asyncio.sleep(ASK_S)

    def stop(self) -> None:
        """Ask no more."""
        for task in self._asking.values():
            task.cancel()

    def delta_times(self) -> list[float]:
        """Seconds, one for each message that said something and is in the view by now."""
        first: dict[tuple[str, str], float] = {}
        for name, at in self._shown.items():
            of = (name[0], self._of.get(name, ""))
            if of in self.sent:
                first[of] = min(at, first.get(of, at))
        return [at - self.sent[of] for of, at in first.items()]

    def legs(self) -> Mapping[str, float]:
        """Where the seconds went, by topic."""
        return self._stations.legs({name: at + self._clock for name, at in self.sent.items()})

    def waiting(self) -> int:
        """Events that are distilled and in no delta, and states that are being asked for."""
        return len(self._of.keys() - self._shown.keys()) + sum(not task.done() for task in self._asking.values())


async def _ready(http: aiohttp.ClientSession) -> None:
    for _ in range(600):
        async with http.get("/readyz") as reply:
            if reply.status == 200:
                return
        await asyncio.sleep(0.1)


class _Talk:
    """Posts messages at a rate, by the clock."""

    def __init__(self, http: aiohttp.ClientSession, watched: _Watched, per_s: float) -> None:
        self._http = http
        self._watched = watched
        self._per_s = per_s
        self._rng = Random(11)
        self._said = [0] * SPACES

    async def go_on(self, seconds: float, *, counted: bool) -> int:
        """For so long; returns how many, when the node has taken them. ``counted``: they are watched."""
        begun, number, posting = time.perf_counter(), 0, set[asyncio.Task[None]]()
        while (elapsed := time.perf_counter() - begun) < seconds:
            while number < elapsed * self._per_s:
                task = asyncio.create_task(self._say(counted=counted))
                posting.add(task)
                task.add_done_callback(posting.discard)
                number += 1
            await asyncio.sleep(0.005)
        await asyncio.gather(*posting)
        return number

    async def _say(self, *, counted: bool) -> None:
        chat = self._rng.randrange(SPACES)
        record = message(self._rng, space(chat), self._said[chat], time.time_ns() // 1_000)
        self._said[chat] += 1
        if counted:
            self._watched.sent[record.space, record.message_id] = time.perf_counter()
        path, body = f"/v1/spaces/{record.space}/messages", posted([record])
        while True:  # as a producer does: what is refused for now is sent again
            async with self._http.post(path, data=body, headers={"Content-Type": "application/json"}) as reply:
                if reply.status != HTTPStatus.SERVICE_UNAVAILABLE:
                    reply.raise_for_status()
                    return
            self._watched.refused += 1
            await asyncio.sleep(REFUSED_S)


async def _drain(watched: _Watched) -> None:
    """Until everything that was said is shown, but not for ever."""
    until_s, known = time.monotonic() + DRAIN_S, -1
    while time.monotonic() < until_s and (watched.waiting() or len(watched.delta_times()) != known):
        known = len(watched.delta_times())
        await asyncio.sleep(3.0)
