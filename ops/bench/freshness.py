"""How long after a message was taken the view shows what it says, at a steady rate, with sessions open.

Every space is a chat of its own in which somebody says something every ``SPACES / rate`` seconds, at random. A session
is published after a silence of two seconds, so that is the least a message waits, and more where others follow it
closely. What the view shows is taken from ``deltas``, which are written right before each commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from random import Random

from schemas.deltas import EventChanged
from schemas.events import EventsDistilled
from schemas.record import Record
from schemas.topics import TopicName

from .processes import Cluster, percentile
from .talk import message, space
from .wire import Wire, wire

SPACES = 500
DRAIN_S = 30.0
STAGES = ("sessionize", "distil", "themes", "link")


async def freshness(bootstrap: str, cluster: Cluster, *, per_s: float, seconds: float) -> Mapping[str, float]:
    """Seconds from before a message is sent to the delta of a statement in it, and what the processes took for it."""
    worker, view = cluster.start("worker", "worker"), cluster.start("view", "view")
    worker.wait_for("running ")
    view.wait_for("maintaining ")
    async with wire(bootstrap, cluster.prefix) as client:
        watched = _Watched()
        listening = asyncio.create_task(client.listen(("events", "deltas"), watched.hear))
        await asyncio.sleep(1.0)
        worker_s, view_s = worker.cpu_s(), view.cpu_s()
        sent = await _talk(client, watched, per_s=per_s, seconds=seconds)
        took = {"worker": worker.cpu_s() - worker_s, "view": view.cpu_s() - view_s}
        before = len(watched.times())
        await _drain(watched)
        listening.cancel()
    totals = {total["stage"]: total for total in worker.stop()["stages"]}
    view.stop()
    times = watched.times()
    return {
        "freshness_p50_s": percentile(times, 0.5),
        "freshness_p95_s": percentile(times, 0.95),
        "freshness_max_s": max(times),
        "freshness_messages": sent,
        "freshness_statements": len(times),
        "freshness_unseen_at_end": len(times) - before,
        "freshness_sent_per_s": sent / seconds,
        "freshness_worker_cores": took["worker"] / seconds,
        "freshness_view_cores": took["view"] / seconds,
        **{f"freshness_{stage}_fold_s": totals[stage]["fold_s"] for stage in STAGES},
        **{f"freshness_{stage}_write_s": totals[stage]["write_s"] for stage in STAGES},
        **{f"freshness_{stage}_records": totals[stage]["records"] for stage in STAGES},
    }


class _Watched:
    """When each message was sent, which events rest on it, and when the view had the first of them."""

    def __init__(self) -> None:
        self.sent: dict[tuple[str, str], float] = {}
        self._of: dict[tuple[str, str], str] = {}
        self._shown: dict[tuple[str, str], float] = {}

    def hear(self, topic: TopicName, record: Record) -> None:
        """A record of ``events`` or ``deltas``."""
        if isinstance(record, EventsDistilled):
            for event in record.events:
                self._of[record.space, event.id] = event.sources[-1].message_id
        elif isinstance(record, EventChanged) and record.new is not None:
            self._shown.setdefault((record.space, record.event_id), time.perf_counter())

    def times(self) -> list[float]:
        """Seconds, one for each message that said something and is shown by now."""
        first: dict[tuple[str, str], float] = {}
        for (space_name, event_id), at in self._shown.items():
            of = (space_name, self._of.get((space_name, event_id), ""))
            if of in self.sent:
                first[of] = min(at, first.get(of, at))
        return [at - self.sent[of] for of, at in first.items()]

    def waiting(self) -> int:
        """Events that are distilled and not shown."""
        return len(self._of.keys() - self._shown.keys())


async def _talk(client: Wire, watched: _Watched, *, per_s: float, seconds: float) -> int:
    """Send messages at that rate, by the clock; returns how many."""
    rng, begun, number = Random(11), time.perf_counter(), 0
    said = [0] * SPACES
    sending = set[asyncio.Task[None]]()
    while (elapsed := time.perf_counter() - begun) < seconds:
        while number < elapsed * per_s:
            chat = rng.randrange(SPACES)
            now = time.time_ns() // 1_000
            record = message(rng, space(chat), said[chat], now)
            watched.sent[record.space, record.message_id] = time.perf_counter()
            task = asyncio.create_task(client.put("messages", record))
            sending.add(task)
            task.add_done_callback(sending.discard)
            said[chat] += 1
            number += 1
        await asyncio.sleep(0.005)
    await asyncio.gather(*sending)
    return number


async def _drain(watched: _Watched) -> None:
    """Until everything that was said is shown, but not for ever."""
    until, known = time.monotonic() + DRAIN_S, -1
    while time.monotonic() < until and (watched.waiting() or len(watched.times()) != known):
        known = len(watched.times())
        await asyncio.sleep(3.0)
