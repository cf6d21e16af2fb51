"""The service around the system: worker threads, clock, limits, metrics. What handlers get."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import ParamSpec, TypeVar

import msgspec
from aiohttp import web

from schemas.ids import SpaceKey

from .bodies import decode_body
from .errors import RequestError
from .metrics import Metrics
from .params import DEFAULT_TENANT, space_key, tenant_named
from .ports import ServedSystem
from .watch import Watch

P = ParamSpec("P")
T = TypeVar("T")

WAIT_SLICE_S = 0.25
"""A wait holds its thread this long at most, then queues again: waiters share threads and stop soon at shutdown."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What can be set about the service.

    Attributes:
        body_max_bytes: longest body; longer is a 413.
        wait_timeout_s: how long ``wait_for`` waits before a 504.
        workers: threads that read.
        writers: threads for writes, apart, so that a log that takes nothing never holds up the reads.
        askers: threads for questions that want an answer, apart, so that a model that thinks never holds up the reads.
        waiters: threads for ``wait_for``, apart, so that waiting requests never hold up the others.
        ready_max_waiting: with more messages waiting than this the service is not ready.
        streams: readers of deltas at once; one more gets a 503.
        heartbeat_s: how long a delta stream is silent at most.
        stream_write_s: a reader that takes nothing for so long is cut off.
    """

    body_max_bytes: int = 16 * 1024 * 1024
    wait_timeout_s: float = 10.0
    workers: int = 8
    writers: int = 8
    askers: int = 16
    waiters: int = 16
    ready_max_waiting: int = 10_000
    streams: int = 256
    heartbeat_s: float = 15.0
    stream_write_s: float = 30.0


class Service:
    """One system behind HTTP. ``clock``: microseconds UTC, the only "now" of a request."""

    def __init__(self, system: ServedSystem, metrics: Metrics, clock: Callable[[], int], limits: Limits) -> None:
        self.system = system
        self.metrics = metrics
        self.clock = clock
        self.limits = limits
        self._workers = ThreadPoolExecutor(limits.workers, thread_name_prefix="http")
        self._writers = ThreadPoolExecutor(limits.writers, thread_name_prefix="http-write")
        self._askers = ThreadPoolExecutor(limits.askers, thread_name_prefix="http-ask")
        self._waiters = ThreadPoolExecutor(limits.waiters, thread_name_prefix="http-wait")
        self._stopping = False
        self._streams = 0
        self.watch = Watch(self._delta_ends)

    @property
    def stopping(self) -> bool:
        """Whether what never ends by itself is to end."""
        return self._stopping

    @contextmanager
    def streaming(self) -> Generator[None]:
        """One of the places for readers of deltas. Raises ``RequestError`` (503) when all are taken."""
        if self._streams >= self.limits.streams:
            raise RequestError(503, "too_many_streams", f"{self.limits.streams} readers of deltas are connected")
        self._streams += 1
        self.metrics.streams(self._streams)
        try:
            yield
        finally:
            self._streams -= 1
            self.metrics.streams(self._streams)

    async def _delta_ends(self, spaces: Sequence[SpaceKey]) -> Sequence[int]:
        return await self.call(lambda: [self.system.deltas_end(space) for space in spaces])

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking function in a worker thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers, partial(function, *args, **kwargs))

    async def write(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that writes in a thread for writes."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writers, partial(function, *args, **kwargs))

    async def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that may wait for a model in a thread for questions."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._askers, partial(function, *args, **kwargs))

    async def wait(self, space: SpaceKey, offset: int | None) -> None:
        """Return when all messages below the offset are applied; at once for None.

        Raises:
            RequestError: 504 when time ran out, 503 when the service stops meanwhile.
        """
        if offset is None:
            return
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.limits.wait_timeout_s
        while not self._stopping:
            left = max(0.0, deadline - loop.time())
            turn = partial(self.system.wait, space, offset, min(left, WAIT_SLICE_S))
            if await loop.run_in_executor(self._waiters, turn):
                return
            if loop.time() >= deadline:
                seconds = f"{self.limits.wait_timeout_s:g} s"
                raise RequestError(504, "not_yet_applied", f"offset {offset} not applied within {seconds}", "wait_for")
        raise RequestError(503, "stopping", "the service is stopping")

    def stop(self) -> None:
        """End the waits and the delta streams; requests that are being answered go on."""
        self._stopping = True
        self.watch.stop()

    def close(self) -> None:
        """Return when no thread of ours calls the system any more."""
        self._workers.shutdown(wait=True, cancel_futures=True)
        self._writers.shutdown(wait=True, cancel_futures=True)
        self._askers.shutdown(wait=True, cancel_futures=True)
        self._waiters.shutdown(wait=True, cancel_futures=True)


SERVICE = web.AppKey("service", Service)


def space_of(request: web.Request) -> SpaceKey:
    """Tenant and space (path) of a request."""
    return space_key(tenant_of(request), request.match_info["space"])


def tenant_of(request: web.Request) -> str:
    """The header ``X-Tenant``, trusted until tokens exist. Raises ``RequestError`` (400) when it cannot name one."""
    tenants = request.headers.getall("X-Tenant", [DEFAULT_TENANT])
    if len(tenants) > 1:
        raise RequestError(400, "invalid", "header is given twice", "X-Tenant")
    return tenant_named(tenants[0])


async def read_body(request: web.Request) -> bytes:
    """The body of a JSON request.

    Raises:
        RequestError: 415, the content type is not ``application/json`` in UTF-8; 413, the body is announced as too long
            (aiohttp raises its own 413 for one that turns out so); 400, it breaks off or is not packed as announced.
    """
    charset = (request.charset or "utf-8").lower()
    if request.content_type != "application/json" or charset not in {"utf-8", "utf8"}:
        raise RequestError(
            415, "unsupported_media_type", "send Content-Type: application/json, in UTF-8", "Content-Type"
        )
    most = request.app[SERVICE].limits.body_max_bytes
    if (request.content_length or 0) > most:
        raise RequestError(413, "too_large", f"body is longer than {most} bytes")
    try:
        return await request.read()
    except web.RequestPayloadError as error:
        raise RequestError(400, "bad_body", "body cannot be unpacked as its headers say") from error
    except ConnectionError as error:
        raise RequestError(400, "bad_body", "body breaks off") from error


async def read_json(request: web.Request, kind: type[T]) -> T:
    """The body as its type; see ``bodies.decode_body``."""
    return decode_body(await read_body(request), kind)


def json_response(body: bytes, status: int = 200) -> web.Response:
    """A reply whose body is JSON already."""
    return web.Response(body=body, status=status, content_type="application/json", charset="utf-8")
