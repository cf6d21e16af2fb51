"""``serve``: the HTTP service. The whole system in one process, or, with ``--kafka``, a query node on a broker."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Subcommands
from .brokers import BrokerOptions, add_broker, add_qdrant, broker_errors, run_async
from .pump import Pump
from .world import OK, CommandError, World

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from ops.metrics import Metrics
    from ops.settings import Settings
    from ops.system import System
    from query.service.ports import ServedSystem

_PORT_MAX = 65_535


class ServeOptions(BrokerOptions):
    """Options of ``serve``."""

    host: str | None
    port: int | None
    kafka: bool
    qdrant: str | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "serve",
        parents=[shared],
        help="the HTTP service, until Ctrl-C",
        description="Without --kafka: ingest, processors, view and queries in this one process, on the store. With "
        "--kafka: a query node. It keeps a copy of the view in the store, answers from it, and writes what it is sent "
        "to the broker, where ./stilltrue worker and ./stilltrue view do the rest. Any number of nodes may serve. With "
        '--json standard output is JSON lines: {"serving": URL} once requests are accepted, and of a query node before '
        'that {"following": HOST:PORT, "in": DIR}.',
    )
    parser.add_argument("--host", metavar="HOST", help="address to listen on; default as in the settings, 127.0.0.1")
    parser.add_argument("--port", metavar="N", type=int, help="default as in the settings, 8080; 0 takes a free one")
    parser.add_argument("--kafka", action="store_true", help="a query node on the broker of --bootstrap")
    add_broker(parser)
    add_qdrant(parser, "with --kafka: the Qdrant server that the stage embed fills; default an index in the store")
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
    metrics = Metrics(registry, clock=world.now)
    if options.kafka:
        _serve_node(options, settings, registry, metrics, world)
        return OK
    system = world.open_system(options.store, settings, writer=True, observer=metrics)
    with closing(system):
        serve_until_stopped(system, settings, registry, _ready(options, world))
    return OK


def serve_until_stopped(
    system: System, settings: Settings, registry: CollectorRegistry, ready: Callable[[str], None]
) -> None:
    """Answer requests and process what comes in, until SIGINT or SIGTERM. Call it from the main thread.

    Args:
        system: what answers; not closed here.
        settings: address and limits.
        registry: the service's metrics are added to it, and all of it is served.
        ready: told the address when requests are accepted.

    Raises:
        CommandError: the port or host cannot be had.
    """
    _serve(system, settings, registry, ready, Pump(system))


def _serve(
    system: ServedSystem,
    settings: Settings,
    registry: CollectorRegistry,
    ready: Callable[[str], None],
    beside: AbstractContextManager[object],
) -> None:
    """``beside``: what goes on while requests are answered."""
    from ops.heap import for_serving
    from query.service.server import CannotListenError, serve
    from query.service.service import Limits

    for_serving()
    limits = Limits(body_max_bytes=settings.request_max_bytes, wait_timeout_s=settings.wait_max_s)
    try:
        with beside:
            serve(system, settings.host, settings.port, registry, limits=limits, ready=ready)
    except CannotListenError as error:
        raise CommandError(str(error)) from error


def _serve_node(
    options: ServeOptions, settings: Settings, registry: CollectorRegistry, metrics: Metrics, world: World
) -> None:
    """A query node. With the broker away it starts all the same, if its store has a view to answer from."""
    from aiokafka.errors import KafkaConnectionError

    from ops.kafka.checking import check_topics
    from ops.node.opening import node_source, open_node

    source = node_source(options.bootstrap, options.prefix)
    with broker_errors(options.bootstrap):
        try:
            run_async(check_topics(options.bootstrap, options.prefix, world.note))
        except KafkaConnectionError as error:
            if not _has_view(options.store):
                raise
            world.note(f"stilltrue: no broker at {options.bootstrap}: {error}; answering from {options.store}")
        with open_node(options.store, settings, source, metrics, qdrant=options.qdrant) as node:
            event = {"following": options.bootstrap, "in": str(options.store)}
            world.tell(f"following {options.bootstrap} in {options.store}", event, as_json=options.json)
            _serve(node, settings, registry, _ready(options, world), nullcontext())


def _ready(options: ServeOptions, world: World) -> Callable[[str], None]:
    """Says where it serves."""

    def ready(url: str) -> None:
        world.tell(served_at(url), {"serving": url}, as_json=options.json)

    return ready


def served_at(url: str) -> str:
    """The line for people that says that requests are accepted."""
    return f"serving {url} (its API: {url}/openapi.json); Ctrl-C stops"


def _has_view(store: Path) -> bool:
    from ops.node.generations import Generations

    return (Generations(store).current / "view" / "CURRENT").exists()
