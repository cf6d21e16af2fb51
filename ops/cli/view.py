"""``view``: the view worker. Maintains the view in ``--store`` from Kafka, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import signal
import time
from typing import TYPE_CHECKING

from .arguments import Subcommands
from .brokers import BrokerOptions, add_broker, broker_errors, run_async
from .measured import MeasuredOptions, add_metrics, measured
from .world import OK, UNAVAILABLE, CommandError, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from views.worker import Applied, Worker


class ViewOptions(BrokerOptions, MeasuredOptions):
    """Options of ``view``."""

    once: bool
    replica: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "view", parents=[shared], help="maintain the view from Kafka, until Ctrl-C",
        description="Maintain the view in --store from Kafka, and publish its deltas, until Ctrl-C or SIGTERM. With "
        '--json standard output is JSON lines: {"maintaining": DIR, "from": HOST:PORT, "waiting": RECORDS} once log and'
        ' view were found to fit, and at the end {"records": ..., "deltas": ..., "parked": ..., "seconds": ...}.',
    )  # fmt: skip
    parser.add_argument("--once", action="store_true", help="apply what the log holds now, then stop")
    parser.add_argument(
        "--replica", action="store_true", help="write no deltas or dead letters: a second view, or one being rebuilt"
    )
    add_broker(parser)
    add_metrics(parser)
    parser.set_defaults(run=run)


class _Total:
    """What was applied in this run."""

    def __init__(self) -> None:
        self.records = self.deltas = self.parked = 0
        self.begun = time.perf_counter()

    def count(self, applied: Applied) -> None:
        """Add a batch."""
        self.records += applied.records
        self.deltas += len(applied.deltas)
        self.parked += applied.parked

    def line(self) -> dict[str, float]:
        """For people and machines."""
        seconds = time.perf_counter() - self.begun
        return {"records": self.records, "deltas": self.deltas, "parked": self.parked, "seconds": round(seconds, 3)}


def run(options: ViewOptions, world: World) -> int:
    """Check that topics, log and view fit together, then apply records."""
    from ops.kafka.checking import check_topics
    from ops.measuring import tell_view
    from ops.node.forgetting import Forgetting
    from streams.log.database import Database
    from views.emitting import StoppedError
    from views.source import Source
    from views.store import RocksTables
    from views.tables import TABLES
    from views.worker import Worker

    total = _Total()
    with broker_errors(options.bootstrap), measured(options, world) as metrics:
        run_async(check_topics(options.bootstrap, options.prefix, world.note))
        database = Database(options.store / "view", families=TABLES, read_only=False)
        tables = RocksTables(database)
        source = Source(bootstrap=options.bootstrap, prefix=options.prefix, emits=not options.replica)

        def observe(applied: Applied) -> None:
            total.count(applied)
            tell_view(metrics, applied)

        forgetting = Forgetting(database, source)
        worker = Worker(
            tables, source, clock=world.now, observe=observe, folding=lambda batch, _: forgetting.note(batch),
            between=forgetting.turn,
        )  # fmt: skip
        forgetting.keep(worker)

        def ready(waiting: int) -> None:
            place = str(options.store / "view")
            text = f"maintaining {place} from {options.bootstrap}; {waiting} records waiting"
            event = {"maintaining": place, "from": options.bootstrap, "waiting": waiting}
            world.tell(text, event, as_json=options.json)
            total.begun = time.perf_counter()

        try:
            run_async(_until_signalled(worker, once=options.once, ready=ready))
        except StoppedError as error:
            raise CommandError(str(error), UNAVAILABLE) from error
        finally:
            tables.close()
    done = total.line()
    world.tell(", ".join(f"{name} {value}" for name, value in done.items()), done, as_json=options.json)
    return OK


async def _until_signalled(worker: Worker, *, once: bool, ready: Callable[[int], None]) -> None:
    """Run until SIGINT or SIGTERM; the batch that has begun is finished."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await worker.run(stop, until_end=once, ready=ready)
