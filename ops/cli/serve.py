"""``serve``: ingest, processors, view and queries in one process, over HTTP."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from .pump import Pump
from .world import OK, CommandError, Options, Subcommands, World

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from ops.settings import Settings
    from ops.system import System

_PORT_MAX = 65_535


class ServeOptions(Options):
    """Options of ``serve``."""

    host: str | None
    port: int | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("serve", parents=[shared], help="the HTTP service, until Ctrl-C")
    parser.add_argument("--host", metavar="HOST", help="address to listen on; default as in the settings, 127.0.0.1")
    parser.add_argument("--port", metavar="N", type=int, help="default as in the settings, 8080; 0 takes a free one")
    parser.set_defaults(run=run)


def run(options: ServeOptions, world: World) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    import msgspec
    from prometheus_client import CollectorRegistry

    from ops.metrics import Metrics
    from ops.settings import load_settings

    settings = load_settings(options.store, options.config)
    if options.port is not None and not 0 <= options.port <= _PORT_MAX:
        raise CommandError(f"--port: must be between 0 and {_PORT_MAX}")
    settings = msgspec.structs.replace(
        settings,
        host=settings.host if options.host is None else options.host,
        port=settings.port if options.port is None else options.port,
    )
    registry = CollectorRegistry()
    system = world.open_system(options.store, settings, writer=True, observer=Metrics(registry, clock=world.now))
    with closing(system):
        serve_until_stopped(system, settings, registry, world.say)
    return OK


def serve_until_stopped(
    system: System, settings: Settings, registry: CollectorRegistry, say: Callable[[str], None]
) -> None:
    """Answer requests and process what comes in, until SIGINT or SIGTERM. Call it from the main thread.

    Args:
        system: what answers; not closed here.
        settings: address and limits.
        registry: the service's metrics are added to it, and all of it is served.
        say: told when requests are accepted.

    Raises:
        CommandError: the port or host cannot be had.
    """
    from query.service.server import CannotListenError, serve
    from query.service.service import Limits

    def ready(url: str) -> None:
        say(f"serving {url} (its API: {url}/openapi.json); Ctrl-C stops")

    limits = Limits(body_max_bytes=settings.request_max_bytes, wait_timeout_s=settings.wait_max_s)
    try:
        with Pump(system):
            serve(system, settings.host, settings.port, registry, limits=limits, ready=ready)
    except CannotListenError as error:
        raise CommandError(str(error)) from error
