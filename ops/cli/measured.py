"""``--metrics HOST:PORT``: a worker's own small server for Prometheus. ``serve`` has ``/metrics`` on its port."""

from __future__ import annotations

import argparse
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .world import CommandError, Options, World

if TYPE_CHECKING:
    from ops.metrics import Metrics

_PORT_MAX = 65_535


class MeasuredOptions(Options):
    """Options of a command that is measured."""

    metrics: tuple[str, int] | None


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """``--metrics``."""
    parser.add_argument(
        "--metrics",
        metavar="HOST:PORT",
        type=address,
        default=os.environ.get("STILLTRUE_METRICS") or None,
        help="serve metrics for Prometheus at http://HOST:PORT/metrics; default not at all, or $STILLTRUE_METRICS",
    )


def address(text: str) -> tuple[str, int]:
    """Host and port of a text; ``argparse`` prints the error."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _PORT_MAX:
        raise argparse.ArgumentTypeError(f"not HOST:PORT: {text!r}")
    return host.strip("[]"), int(port)


@contextmanager
def measured(options: MeasuredOptions, world: World) -> Generator[Metrics]:
    """Counts inside the block, and serves it where that was asked for.

    Raises:
        CommandError: the address cannot be had.
    """
    from prometheus_client import CollectorRegistry, start_http_server

    from ops.metrics import Metrics

    registry = CollectorRegistry()
    metrics = Metrics(registry, clock=world.now)
    if options.metrics is None:
        yield metrics
        return
    host, port = options.metrics
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise CommandError(f"--metrics: cannot listen on {host}, port {port}: {error}") from error
    try:
        yield metrics
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
