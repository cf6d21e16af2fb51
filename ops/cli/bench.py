"""``bench WHAT``: measure what the parts cost on this machine. Each benchmark is a subcommand with its own options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from .arguments import Subcommands
from .world import OK, UNAVAILABLE, CommandError, Options, World

VIEW = """\
Maintains a view on RocksDB with history and deltas, in batches of 1,000 records with one sync each, and tells what a
record costs: at 10,000 events and at --events, most records in the spaces active last (us_per_record_*), or anywhere
(us_per_record_random_*). CPU time of the one thread that maintains it, medians over batches. The records are made from
a seed, as small sessions and API producers send them: of 100 records about 24 messages, 25 sets of 1 to 5 events (a
third of them replace a former revision), 24 themes, 25 sets of edges (2 to 3 edges each, three quarters of them
updates), 1 edit, retraction or ruling. Spaces have 500 events."""


STREAM = """\
On Apache Kafka, which it starts as the tests do unless --bootstrap names a broker: records a second of the view worker
and of each stage, freshness from POST to the query node's state under a steady load (freshness_*), and the time from
process start to the first new step after kill -9 (recovery_s). Nothing else should run meanwhile; minutes."""

STREAM_PARTS = ("view", "stages", "freshness", "recovery")


QUERY = """\
Asks questions of a small space made by the normal path (seeds, paths, ranking and context: p50_ms, p99_ms, CPU time of
the thread, without the question's vector and without the search of the index, which search_p50_ms tells), over HTTP one
by one and by many clients at once, and of a large one in memory (p50_ms_large). Also messages a second to a searchable
note and a current state, and memory. No question is asked twice, so each is encoded."""


ASKING = """\
How often a language model would be asked, and with how many tokens (four characters each), as the history grows. Every
session speaks of one thing, so that each has something to be compared with in all before it. No model is reached: the
replies are made up, and say nothing about quality."""


class BenchOptions(Options):
    """Options that every benchmark has."""

    report: Path | None


class ViewBenchOptions(BenchOptions):
    """Options of ``bench view``."""

    events: int
    seed: int


class QueryBenchOptions(BenchOptions):
    """Options of ``bench query``."""

    messages: int
    events: int
    questions: int
    clients: int
    seed: int


class AskingBenchOptions(BenchOptions):
    """Options of ``bench asking``."""

    sessions: list[int]


class StreamBenchOptions(BenchOptions):
    """Options of ``bench stream``."""

    bootstrap: str | None
    parts: list[str]
    per_s: float
    seconds: float


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command. Its ``--json`` takes a file, so it does not share the others' options."""
    del shared
    parser = commands.add_parser("bench", parents=[], help="measure what the parts cost on this machine")
    benches = Subcommands(parser, "WHAT")
    _add_view(benches)
    _add_stream(benches)
    _add_query(benches)
    _add_asking(benches)


def _add_asking(benches: Subcommands) -> None:
    parser = benches.add_parser("asking", parents=[], help="calls and tokens of a language model", description=ASKING)
    parser.add_argument(
        "--sessions",
        metavar="N",
        type=int,
        nargs="+",
        default=[1, 10, 100, 1_000],
        help="lengths of the history; default 1 10 100 1000",
    )
    add_report(parser)
    parser.set_defaults(run=run_asking)


def _add_query(benches: Subcommands) -> None:
    parser = benches.add_parser("query", parents=[], help="asking a question", description=QUERY)
    parser.add_argument("--messages", metavar="N", type=int, default=700, help="of the small space; default 700")
    parser.add_argument("--events", metavar="N", type=int, default=100_000, help="of the large space; default 100,000")
    parser.add_argument("--questions", metavar="N", type=int, default=200, help="how many; default 200")
    parser.add_argument("--clients", metavar="N", type=int, default=50, help="at once over HTTP; default 50")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of messages and questions; default 1")
    add_report(parser)
    parser.set_defaults(run=run_query)


def _add_view(benches: Subcommands) -> None:
    parser = benches.add_parser("view", parents=[], help="applying a record", description=VIEW)
    parser.add_argument(
        "--events", metavar="N", type=int, default=1_000_000, help="of the large view; default a million"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of the records; default 1")
    add_report(parser)
    parser.set_defaults(run=run_view)


def _add_stream(benches: Subcommands) -> None:
    parser = benches.add_parser("stream", parents=[], help="the runtime on Kafka", description=STREAM)
    parser.add_argument("--bootstrap", metavar="HOST:PORT", help="a broker to use; default starts one")
    parser.add_argument(
        "--parts",
        metavar="PART",
        nargs="+",
        choices=STREAM_PARTS,
        default=list(STREAM_PARTS),
        help=f"of {', '.join(STREAM_PARTS)}; default all",
    )
    parser.add_argument("--per-s", metavar="N", type=float, default=50.0, help="messages a second; default 50")
    parser.add_argument("--seconds", metavar="N", type=float, default=60.0, help="of steady load; default 60")
    add_report(parser)
    parser.set_defaults(run=run_stream)


def add_report(parser: argparse.ArgumentParser) -> None:
    """``--json FILE``."""
    parser.add_argument("--json", metavar="FILE", type=Path, dest="report", help="write the numbers there as well")


def run_view(options: ViewBenchOptions, world: World) -> int:
    """``bench view``."""
    from ops.bench.view import Asked, measure

    asked = Asked(events=options.events, seed=options.seed)
    tell("bench view", measure(asked, world.note), asked, options, world)
    return OK


def run_query(options: QueryBenchOptions, world: World) -> int:
    """``bench query``. 3 when the service did not do its work."""
    from ops.bench.processes import BenchError
    from ops.bench.query import Asked, measure
    from ops.model import load_encoder

    asked = Asked(
        messages=options.messages, events=options.events, questions=options.questions, clients=options.clients,
        seed=options.seed,
    )  # fmt: skip
    try:
        tell("bench query", measure(asked, load_encoder, world.note), asked, options, world)
    except BenchError as error:
        raise CommandError(str(error), UNAVAILABLE) from error
    return OK


def run_asking(options: AskingBenchOptions, world: World) -> int:
    """``bench asking``."""
    from ops.bench.asking import REFERENCE, Asked, measure
    from ops.model import load_encoder

    if min(options.sessions) < 1:
        raise CommandError("--sessions: at least 1")
    asked = Asked(sessions=tuple(options.sessions))
    tell("bench asking", measure(asked, load_encoder(), world.note), asked, options, world)
    world.say(REFERENCE)
    return OK


def run_stream(options: StreamBenchOptions, world: World) -> int:
    """``bench stream``. 3 without a broker, or when a process did not do its work."""
    from ops.bench.processes import BenchError
    from ops.bench.stream import Asked, measure
    from ops.model import load_encoder

    from .brokers import run_async

    asked = Asked(bootstrap=options.bootstrap, parts=tuple(options.parts), per_s=options.per_s, seconds=options.seconds)
    try:
        tell("bench stream", run_async(measure(asked, load_encoder, world.note)), asked, options, world)
    except BenchError as error:
        raise CommandError(str(error), UNAVAILABLE) from error
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
