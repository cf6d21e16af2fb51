"""How many records a second each stage takes from a broker, one stage at a time, with nobody else at work.

Distilling and linking are offline, so no model is called; the encoder of links and themes is the real one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from random import Random

from .processes import LONG_S, BenchError, Cluster, Started
from .talk import history, space
from .wire import Wire, wire

SPACES = 30
MESSAGES = 100
START = 1_900_000_000_000_000
INPUTS: Mapping[str, tuple[str, ...]] = {
    "sessionize": ("messages",),
    "distil": ("sessions",),
    "themes": ("sessions",),
    "link": ("events", "producers"),
}
SETTLED_S = 3.0
"""Nothing more comes once a stage has been still for so long: longer than the silence that publishes a session."""


async def stage_rates(bootstrap: str, cluster: Cluster) -> Mapping[str, float]:
    """By stage, records a second from its first step to its last, and processor time a record, in milliseconds."""
    found: dict[str, float] = {}
    async with wire(bootstrap, cluster.prefix) as client:
        rng = Random(3)
        chats = [history(rng, space(n), MESSAGES, START) for n in range(SPACES)]
        await client.publish(("messages", chat[n]) for n in range(MESSAGES) for chat in chats)
        for stage, inputs in INPUTS.items():
            worker = cluster.start(stage, "worker", "--stages", stage)
            worker.wait_for("running")
            before = worker.cpu_s()
            await _until_still(client, f"steps-{stage}", worker)
            used = worker.cpu_s() - before
            total = next(total for total in worker.stop()["stages"] if total["stage"] == stage)
            expected = sum([await client.count(topic) for topic in inputs])
            if total["records"] < expected - (await client.count("producers") if stage == "link" else 0):
                raise BenchError(f"{stage} took {total['records']} of {expected} records")
            found[f"{stage}_per_s"] = total["records"] / (total["last_s"] - total["first_s"])
            found[f"{stage}_records"] = total["records"]
            found[f"{stage}_cpu_ms"] = 1_000 * used / total["records"]
    return found


async def _until_still(client: Wire, steps: str, worker: Started) -> None:
    """Until the stage has taken no step for a while, and no processor time to speak of."""
    still, before, busy = 0.0, -1, 0.0
    for _ in range(round(LONG_S / 0.25)):
        await asyncio.sleep(0.25)
        now, cpu = await client.count(steps), worker.cpu_s()
        still = still + 0.25 if now == before and now and cpu - busy < 0.05 else 0.0
        before, busy = now, cpu
        if still >= SETTLED_S:
            return
    raise BenchError(f"{steps} never came to rest")
