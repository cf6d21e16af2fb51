"""``worker``: a stage worker. Runs stages on the partitions its group gives it, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import msgspec

from .arguments import Subcommands
from .brokers import BrokerOptions, add_broker, add_qdrant, broker_errors, run_async
from .measured import MeasuredOptions, add_metrics, measured
from .world import OK, UNAVAILABLE, CommandError, World

if TYPE_CHECKING:
    from ops.embed_stages import EmbedStages
    from ops.metrics import Metrics
    from ops.settings import Settings
    from streams.ports import Encoder
    from streams.worker.errands import Errands
    from streams.worker.fleet import Fleet
    from streams.worker.runner import Ran


SESSION_MIN_S, SESSION_MAX_S = 1, 60

SWITCH_S = 0.001
"""How long a thread that folds may keep the loop waiting: with Python's 5 ms a step, which the loop takes up ten times,
waits for most of its time."""


class WorkerOptions(BrokerOptions, MeasuredOptions):
    """Options of ``worker``."""

    stages: str
    qdrant: str | None
    session: float


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "worker", parents=[shared], help="run stages on Kafka, until Ctrl-C",
        description="Run stages on the partitions that the group gives this worker, until Ctrl-C or SIGTERM. With "
        '--json standard output is JSON lines: {"running": [STAGE/PARTITION, ...]} whenever it was given some, and at '
        'the end {"seconds": ..., "stages": [...]}.',
    )  # fmt: skip
    parser.add_argument(
        "--stages",
        metavar="LIST",
        default="sessionize,distil,themes,link",
        help="comma-separated; all workers that run one of these must run the same list; default "
        "sessionize,distil,themes,link; embed is the one that needs --qdrant, ask the one that asks a language model",
    )
    parser.add_argument(
        "--session",
        metavar="SECONDS",
        type=_seconds,
        default=6.0,
        help="a worker that is not heard of for so long has lost its partitions to the others; brokers take no less "
        "than their group.min.session.timeout.ms; default 6",
    )
    add_broker(parser)
    add_qdrant(parser, "the Qdrant server that the stage embed fills; default none")
    add_metrics(parser)
    parser.set_defaults(run=run)


class StageTotal(msgspec.Struct, frozen=True, kw_only=True):
    """What a stage did in this run.

    ``fold_s`` is the time in the stage itself, ``write_s`` that of the broker, over all partitions; ``first_s`` and
    ``last_s``: when its first step began and its last one ended, from the start of the command.
    """

    stage: str
    steps: int = 0
    records: int = 0
    outputs: int = 0
    parked: int = 0
    fold_s: float = 0.0
    write_s: float = 0.0
    first_s: float = 0.0
    last_s: float = 0.0

    def plus(self, ran: Ran, at: float) -> StageTotal:
        """With one more step, that ended ``at``."""
        first = self.first_s if self.steps else at - ran.fold_s - ran.write_s
        return StageTotal(
            stage=self.stage, steps=self.steps + 1, records=self.records + ran.records,
            outputs=self.outputs + ran.outputs, parked=self.parked + ran.parked,
            fold_s=round(self.fold_s + ran.fold_s, 6), write_s=round(self.write_s + ran.write_s, 6),
            first_s=round(first, 6), last_s=round(at, 6),
        )  # fmt: skip


def run(options: WorkerOptions, world: World) -> int:
    """Check the topics, join the group, run."""
    from ops.settings import load_settings

    settings = load_settings(options.store, options.config)
    with broker_errors(options.bootstrap), measured(options, world) as metrics:
        encoder = lazy_encoder(settings, metrics.encoded)
        with _embed_stages(options, encoder, metrics, world) as embed:
            return _run(options, settings, encoder, embed, metrics, world)


def lazy_encoder(settings: Settings, observe: Callable[[int, int], None]) -> Encoder:
    """The encoder, loaded with all that it needs when a stage first asks for it."""
    from ops.lazy_encoder import LazyEncoder

    def load() -> Encoder:
        from ops.model import load_encoder

        return load_encoder(settings.model, observe=observe)

    return LazyEncoder(load)


@contextmanager
def _embed_stages(
    options: WorkerOptions, encoder: Encoder, metrics: Metrics, world: World
) -> Generator[EmbedStages | None]:
    """The stage embed, on the index it fills; None where it is not asked for."""
    if "embed" not in _stages(options.stages):
        yield None
        return
    if options.qdrant is None:
        raise CommandError("--stages: embed fills a Qdrant server: name it by --qdrant URL or $STILLTRUE_QDRANT")
    from ops.embed_stages import EmbedStages
    from ops.qdrant import open_index
    from views.vectors.points import IndexAwayError, IndexMismatchError

    try:
        index = open_index(options.qdrant, options.prefix, encoder)
    except IndexAwayError as error:
        raise CommandError(f"--qdrant {options.qdrant}: {error}", UNAVAILABLE) from error
    except IndexMismatchError as error:
        raise CommandError(f"--qdrant {options.qdrant}: {error}", UNAVAILABLE) from error
    with closing(EmbedStages(index, encoder, metrics, world.note)) as stages:
        yield stages


def _run(
    options: WorkerOptions, settings: Settings, encoder: Encoder, embed: EmbedStages | None, metrics: Metrics,
    world: World,
) -> int:  # fmt: skip
    from ops.distributed import Work, run_worker, stage_makers
    from ops.measuring import fleet_flights, fleet_lags, tell_stage
    from streams.faust_app import GroupLostError
    from streams.worker.broker import BrokerAwayError
    from streams.worker.runner import FencedError

    sys.setswitchinterval(SWITCH_S)
    stages = _stages(options.stages)
    work = Work(
        bootstrap=options.bootstrap,
        prefix=options.prefix,
        stages=stages,
        store=options.store,
        session_s=options.session,
    )
    makers = stage_makers(stages, settings, encoder, None if embed is None else embed.make)
    begun = time.perf_counter()
    totals = {stage: StageTotal(stage=stage) for stage in stages}

    assigned: list[Fleet] = []
    metrics.watch(lambda: (lag for fleet in assigned for lag in fleet_lags(fleet)))
    metrics.watch_flights(lambda: (flight for fleet in assigned for flight in fleet_flights(fleet)))
    if embed is not None:
        metrics.watch(lambda: (lag for fleet in assigned for lag in embed.lags(fleet)))

    def count(ran: Ran) -> None:
        totals[ran.stage] = totals[ran.stage].plus(ran, time.perf_counter() - begun)
        tell_stage(metrics, ran)

    def told(fleet: Fleet) -> None:
        assigned[:] = [fleet]
        held = [f"{stage}/{partition}" for stage, partition in fleet.held]
        text = ", ".join(held) or "nothing: there are more workers than partitions"
        world.tell(f"running {text}", {"running": held}, as_json=options.json)

    async def until_signalled() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await run_worker(
            work, makers, stop=stop, clock=world.now, observe=count, on_assigned=told,
            errands=_errands(stages, settings, metrics, world),
        )  # fmt: skip

    try:
        run_async(until_signalled())
    except (GroupLostError, BrokerAwayError, FencedError) as error:
        raise CommandError(str(error), UNAVAILABLE) from error
    seconds = round(time.perf_counter() - begun, 3)
    lines = (", ".join(f"{name} {value}" for name, value in msgspec.structs.asdict(t).items()) for t in totals.values())
    world.tell("\n".join(lines), {"seconds": seconds, "stages": list(totals.values())}, as_json=options.json)
    return OK


def _seconds(text: str) -> float:
    """Of a session: as a broker and the client can take it. ``argparse`` prints the error."""
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a number: {text!r}") from None
    if not SESSION_MIN_S <= seconds <= SESSION_MAX_S:
        raise argparse.ArgumentTypeError(f"must be {SESSION_MIN_S} to {SESSION_MAX_S}")
    return seconds


def _errands(stages: tuple[str, ...], settings: Settings, metrics: Metrics, world: World) -> Mapping[str, Errands]:
    """What runs beside the stages: the calls of a language model."""
    if "ask" not in stages:
        return {}
    if settings.llm.model is None or settings.llm.endpoint is None:
        raise CommandError("--stages: ask needs model and endpoint in the table [llm] of stilltrue.toml")
    from ops.llm.errands import ModelErrands

    return {"ask": ModelErrands(settings.llm, clock=world.now, observer=metrics)}


def _stages(text: str) -> tuple[str, ...]:
    """The named stages, in the order of the flow."""
    from ops.distributed import STAGES

    named = [name.strip() for name in text.split(",")]
    unknown = [name for name in named if name not in STAGES]
    if unknown:
        raise CommandError(f"--stages: no such stage: {unknown[0]!r}; there are {', '.join(STAGES)}")
    return tuple(name for name in STAGES if name in named)
