"""How long a partition is without its stages after kill -9 of a worker: until it is back, or another takes over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from random import Random

from .processes import BenchError, Cluster, percentile
from .talk import message, space
from .wire import Wire, wire

ROUNDS = 5
SPACES = 48
"""So many that every partition has some."""

WITHIN_S = 60.0
GAP_US = 2 * 3_600 * 1_000_000
"""Between two messages of a space: each is a session of its own and ends the one before, which is then published."""

START = 1_900_000_000_000_000
STEPS = "steps-sessionize"


async def recovery(bootstrap: str, cluster: Cluster) -> Mapping[str, float]:
    """Seconds: medians of several kills.

    ``recovery_s``: from the start of the process, with its store, to its first new step; ``recovery_all_s``: to a new
    step in every partition; ``recovery_by_another_s``: from the kill of one of two workers, which stays away, to a new
    step in every partition.
    """
    first: list[float] = []
    every: list[float] = []
    cpu: list[float] = []
    async with wire(bootstrap, cluster.prefix) as client:
        said = _Said(client)
        for number in range(ROUNDS + 1):
            steps = await client.ends(STEPS) if number else [0] * client.partitions
            await said.once()
            worker = cluster.start("one", "worker")
            if number == 0:
                worker.wait_for("running")
            await _steps(client, steps, 1)
            if number:  # the first one finds an empty store
                first.append(worker.seconds())
                cpu.append(worker.cpu_s())
            await _steps(client, steps, client.partitions)
            if number:
                every.append(worker.seconds())
            await asyncio.sleep(1.0)
            worker.kill()
        return {
            "recovery_s": percentile(first, 0.5),
            "recovery_max_s": max(first),
            "recovery_cpu_s": percentile(cpu, 0.5),
            "recovery_all_s": percentile(every, 0.5),
            "recovery_by_another_s": await _by_another(client, cluster, said),
        }


async def _by_another(client: Wire, cluster: Cluster, said: _Said) -> float:
    one, other = cluster.start("one", "worker"), cluster.start("other", "worker")
    one.wait_for("running")
    other.wait_for("running")
    steps = await client.ends(STEPS)
    await said.once()
    await _steps(client, steps, client.partitions)
    await asyncio.sleep(2.0)
    one.kill()
    killed = time.perf_counter()
    steps = await client.ends(STEPS)
    await said.once()
    await _steps(client, steps, client.partitions)
    return time.perf_counter() - killed


async def _steps(client: Wire, before: list[int], partitions: int) -> None:
    if not await client.grown(STEPS, before, partitions=partitions, within_s=WITHIN_S):
        raise BenchError(f"no new step within {WITHIN_S:.0f} s")


class _Said:
    """A message in every space, again and again."""

    def __init__(self, client: Wire) -> None:
        self._client = client
        self._rng = Random(5)
        self._number = 0

    async def once(self) -> None:
        at = START + self._number * GAP_US
        messages = [message(self._rng, space(n), self._number, at) for n in range(SPACES)]
        await self._client.publish(("messages", each) for each in messages)
        self._number += 1
