"""``evaluate SUITE --data DIR``: measure quality against hand-made answers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .arguments import Subcommands
from .world import BAD_INPUT, NEGATIVE, OK, CommandError, Options, World

if TYPE_CHECKING:
    from ops.evaluate.suite import Scores
    from ops.evaluate.suites import Suite
    from ops.report import Report
    from ops.settings import Settings

SUITES = ("supersession", "anchors", "utterances", "pairs", "retrieval", "stress", "cases", "statebench")


class EvaluateOptions(Options):
    """Options of ``evaluate``."""

    suite: Suite
    data: Path
    report: Path | None
    keep: Path | None
    samples: list[int] | None
    details: bool
    ablate: str | None
    results: Path | None
    distiller: Literal["offline", "model"] | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command. Its ``--json`` takes a file, so it does not share the others' options."""
    del shared
    parser = commands.add_parser(
        "evaluate",
        parents=[],
        help="measure quality on test data",
        description="Imports the data by the normal path into a temporary store, asks the normal API, and prints a "
        "table. Nothing of the data is copied into the project.",
    )
    parser.add_argument("suite", metavar="SUITE", choices=SUITES, help=", ".join(SUITES))
    parser.add_argument("--data", metavar="DIR", type=Path, required=True, help="the folder of test data")
    parser.add_argument("--json", metavar="FILE", type=Path, dest="report", help="write the numbers there as well")
    parser.add_argument("--results", metavar="FILE", type=Path, help="put the table into this Markdown file as well")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the store there, and use what is in it already")
    parser.add_argument(
        "--samples", metavar="N,N", type=_numbers, help="only these LoCoMo conversations; default all of the file"
    )
    parser.add_argument("--config", metavar="FILE", type=Path, default=argparse.SUPPRESS, help="settings")
    parser.add_argument(
        "--distiller",
        choices=("offline", "model"),
        help="the rules, or the model of [llm] with the rules where it has not answered; default as the settings say. "
        "A kept store goes on with what it was imported by",
    )
    parser.add_argument(
        "--ablate",
        metavar="PART",
        help="without a part of the query engine: no_ent, no_upd, no_hier, no_graph, no_plan, no_sparse, dense_only, "
        "flat (the arm), or paper (cosine alone, ordered by S)",
    )
    parser.add_argument("--details", action="store_true", help="say what was right and wrong, a line each")
    parser.set_defaults(run=run)


def run(options: EvaluateOptions, world: World) -> int:
    """Measure one suite. 1 when cases failed, 2 when the data is not there."""
    from ops.evaluate.data import BadDataError, Data
    from ops.evaluate.memory import memory
    from ops.evaluate.suite import Task
    from ops.evaluate.suites import run_suite
    from ops.report import write_report
    from ops.settings import load_settings

    settings = _distilling(load_settings(options.store, options.config), options.distiller)
    settings = _ablated(settings, options.ablate)
    data = Data(options.data)
    try:
        with memory(settings, world.note, options.keep) as filled:
            scores = run_suite(
                options.suite, Task(data=data, memory=filled, samples=options.samples, variant=options.ablate)
            )
    except BadDataError as error:
        raise CommandError(str(error), BAD_INPUT) from error
    made = _report(options.suite, scores, data.sha256(), settings, world.now())
    if options.details:
        for line in scores.details:
            world.say(line)
    from ops.evaluate.tables import table, update_results

    world.say(table(made))
    if options.report is not None:
        write_report(options.report, made)
    if options.results is not None:
        update_results(options.results, made, _command(options))
    return NEGATIVE if scores.failed else OK


def _ablated(settings: Settings, part: str | None) -> Settings:
    """The settings without a part of the query engine."""
    import msgspec

    from ops.evaluate.ablations import ABLATIONS

    if part is None:
        return settings
    if part not in ABLATIONS:
        raise CommandError(f"--ablate: {part!r} is none of {', '.join(ABLATIONS)}")
    return msgspec.structs.replace(settings, query=ABLATIONS[part](settings.query))


def _distilling(settings: Settings, distiller: Literal["offline", "model"] | None) -> Settings:
    """The settings with the distiller that is wanted."""
    import msgspec

    if distiller == "offline":
        return msgspec.structs.replace(settings, llm=type(settings.llm)())
    if distiller == "model" and (settings.llm.model is None or not settings.llm.distil):
        raise CommandError("--distiller model: the settings name none in [llm], or switch it off")
    return settings


def _report(suite: str, scores: Scores, data_sha256: str, settings: Settings, now: int) -> Report:
    from ops.evaluate.intervals import wilson
    from ops.report import report
    from ops.settings import config_sha256

    intervals = {name: wilson(*counted) for name, counted in sorted(scores.counts.items())}
    return report(
        f"evaluate {suite}", scores.metrics, data_sha256=data_sha256, config_sha256=config_sha256(settings), now=now,
        failed=scores.failed, intervals=intervals or None,
    )  # fmt: skip


def _command(options: EvaluateOptions) -> str:
    samples = "" if options.samples is None else f" --samples {','.join(map(str, options.samples))}"
    distiller = "" if options.distiller is None else f" --distiller {options.distiller}"
    ablated = "" if options.ablate is None else f" --ablate {options.ablate}"
    return f"./stilltrue evaluate {options.suite} --data DIR{samples}{distiller}{ablated}"


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not numbers: {text!r}") from error
