"""``bench WHAT``: measure what the parts cost on this machine. Each benchmark is a subcommand with its own options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from .world import OK, Options, Subcommands, World

VIEW = """\
Maintains a view on RocksDB with history and deltas, in batches of 1,000 records with one sync each, and tells what a
record costs: at 10,000 events and at --events, most records in the spaces active last (us_per_record_*), or anywhere
(us_per_record_random_*). CPU time of the one thread that maintains it, medians over batches. The records are made from
a seed, as small sessions and API producers send them: of 100 records about 24 messages, 25 sets of 1 to 5 events (a
third of them replace a former revision), 24 themes, 25 sets of edges (2 to 3 edges each, three quarters of them
updates), 1 edit, retraction or ruling. Spaces have 500 events."""


class BenchOptions(Options):
    """Options that every benchmark has."""

    report: Path | None


class ViewBenchOptions(BenchOptions):
    """Options of ``bench view``."""

    events: int
    seed: int


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command. Its ``--json`` takes a file, so it does not share the others' options."""
    del shared
    parser = commands.add_parser("bench", parents=[], help="measure what the parts cost on this machine")
    benches = parser.add_subparsers(metavar="WHAT", required=True)
    _add_view(benches)


def _add_view(benches: Subcommands) -> None:
    parser = benches.add_parser("view", parents=[], help="applying a record", description=VIEW)
    parser.add_argument(
        "--events", metavar="N", type=int, default=1_000_000, help="of the large view; default a million"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of the records; default 1")
    add_report(parser)
    parser.set_defaults(run=run_view)


def add_report(parser: argparse.ArgumentParser) -> None:
    """``--json FILE``."""
    parser.add_argument("--json", metavar="FILE", type=Path, dest="report", help="write the numbers there as well")


def run_view(options: ViewBenchOptions, world: World) -> int:
    """``bench view``."""
    from ops.bench.view import Asked, measure

    asked = Asked(events=options.events, seed=options.seed)
    tell("bench view", measure(asked, world.note), asked, options, world)
    return OK


def tell(suite: str, metrics: Mapping[str, float], asked: object, options: BenchOptions, world: World) -> None:
    """Print the numbers, and write the file where one is wanted. ``asked``: the benchmark's own settings."""
    import hashlib

    import msgspec

    from ops.report import report, write_report

    for name, value in metrics.items():
        world.say(f"{name:28} {value:14,.3f}")
    if options.report is not None:
        config = hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()
        write_report(options.report, report(suite, metrics, data_sha256="", config_sha256=config, now=world.now()))
