"""Questions over HTTP: one after the other, then by many clients at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path

import aiohttp

from schemas.ids import SpaceKey
from schemas.times import format_time

from .processes import BenchError, Started, percentile

ONE_BY_ONE = 100


async def over_http(store: Path, key: SpaceKey, questions: Sequence[str], clients: int, *, at: int) -> dict[str, float]:
    """A service on the store, asked with the question's vector and without a model; no question is asked twice.

    Raises:
        BenchError: it did not start, or a reply was an error.
    """
    served = Started(store, "serve", "--port", "0")
    try:
        address = await asyncio.to_thread(served.wait_for, "serving")
        url = f"{address.rstrip('/')}/v1/spaces/{key.space}/query"
        async with aiohttp.ClientSession(headers={"X-Tenant": key.tenant}) as session:

            async def ask(question: str) -> float:
                body = {"question": question, "asked_at": format_time(at), "answer": False}
                begun = time.perf_counter()
                async with session.post(url, json=body) as reply:
                    if reply.status != HTTPStatus.OK:
                        raise BenchError(f"{reply.status}: {await reply.text()}")
                    await reply.read()
                return time.perf_counter() - begun

            await ask("Is anybody there?")
            alone = [await ask(f"{question} alone") for question in questions[:ONE_BY_ONE]]
            waiting = iter([f"{question} together" for question in questions])

            async def client() -> list[float]:
                return [await ask(question) for question in waiting]

            begun, cpu = time.perf_counter(), served.cpu_s()
            together = [s for took in await asyncio.gather(*(client() for _ in range(clients))) for s in took]
            wall, cpu = time.perf_counter() - begun, served.cpu_s() - cpu
    finally:
        await asyncio.to_thread(served.kill)
    return {
        "http_p50_ms": percentile(alone, 0.5) * 1e3,
        "http_p99_ms": percentile(alone, 0.99) * 1e3,
        "http_qps_50": len(together) / wall,
        "http_p99_ms_50": percentile(together, 0.99) * 1e3,
        "http_cpu_ms_50": cpu / len(together) * 1e3,
    }
