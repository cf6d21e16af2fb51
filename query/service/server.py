"""Run the service until it is told to stop."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client import CollectorRegistry

from .app import create_app, wall_clock
from .ports import ServedSystem
from .service import Limits

SHUTDOWN_S = 10.0
"""Requests that are being answered at a stop have this long to end."""


class CannotListenError(RuntimeError):
    """The address cannot be had: the port is in use, or the host is not ours. Choose another."""


def serve(
    system: ServedSystem,
    host: str,
    port: int,
    registry: CollectorRegistry,
    *,
    limits: Limits | None = None,
    clock: Callable[[], int] = wall_clock,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until SIGINT or SIGTERM, then let requests end and return. Call it from the main thread.

    The system is not closed: that is up to whoever opened it. No thread of the service calls it after the return.

    Args:
        system: what answers.
        host: address to listen on.
        port: its port; 0 lets the operating system choose.
        registry: where metrics go.
        limits: sizes and times.
        clock: microseconds UTC.
        ready: called with the URL once requests are accepted.

    Raises:
        CannotListenError: the address cannot be had.
    """
    app = create_app(system, registry, clock=clock, limits=limits)

    async def run() -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, stopped.set)
        async with listening(app, host, port) as url:
            ready(url)
            await stopped.wait()

    asyncio.run(run())


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncGenerator[str]:
    """Accept requests inside the block; gives the URL. Raises ``CannotListenError``."""
    runner = web.AppRunner(app, shutdown_timeout=SHUTDOWN_S, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except (OSError, OverflowError) as error:
            raise CannotListenError(_why(error, host, port)) from error
        yield _url(runner, host)
    finally:
        await runner.cleanup()


def _why(error: OSError | OverflowError, host: str, port: int) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; stop what listens there or choose another port"
    if isinstance(error, socket.gaierror):
        return f"no such address: {host}"
    if isinstance(error, PermissionError):
        return f"port {port} on {host} needs privileges; choose one above 1023"
    return f"cannot listen on {host}, port {port}: {error}"


def _url(runner: web.AppRunner, host: str) -> str:
    port = runner.addresses[0][1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
