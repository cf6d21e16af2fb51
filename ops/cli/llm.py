"""``llm export|import|status``: questions to a language model as files, its answers back, and what is still open."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_space
from .world import BAD_INPUT, OK, CommandError, Options, World, existing_space, opened

if TYPE_CHECKING:
    from ops.llm.questions import Standing
    from ops.llm.settings import LlmSettings
    from schemas.asking import AskingStage

STAGES = ("distil", "link", "answer")
NAMED_MAX = 10
"""Unknown ids and broken lines that are named; the rest is counted."""


class LlmOptions(Options):
    """Options of ``llm``."""

    space: str
    stage: AskingStage
    out: Path
    questions: Path | None
    files: list[Path]


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the commands."""
    parser = commands.add_parser(
        "llm",
        parents=[shared],
        help="questions to a language model as files, and its answers back",
        description="With [llm] model and no endpoint in stilltrue.toml, questions are collected. Export them, have "
        "them answered (a provider's batch, half the price at most; or any model anywhere), import the answers, and go "
        "on until nothing is left to ask. What is imported twice counts once; partial answers are fine.",
    )
    actions = Subcommands(parser, "ACTION")
    export = actions.add_parser(
        "export",
        parents=[shared],
        help="write a stage's open questions to [llm] model, OpenAI Batch format",
    )
    add_space(export)
    export.add_argument("--stage", choices=STAGES, required=True, help="distil first, then link, until both are empty")
    export.add_argument(
        "--questions",
        metavar="FILE",
        type=Path,
        help="with --stage answer: what is to be answered, one JSON object a line, as POST …/query takes them",
    )
    export.add_argument("--out", metavar="FILE", type=Path, required=True, help="where to write them")
    export.set_defaults(run=run_export)
    importing = actions.add_parser("import", parents=[shared], help="record answers and go on")
    importing.add_argument("files", metavar="FILE", type=Path, nargs="+", help="results, one JSON object a line")
    importing.set_defaults(run=run_import)
    status = actions.add_parser("status", parents=[shared], help="what is open, and what was spent today")
    add_space(status)
    status.set_defaults(run=run_status)


def run_export(options: LlmOptions, world: World) -> int:
    """Write the questions to the model of the settings, for a batch is of one; none is no error."""
    from ops.llm.batch import request_line
    from ops.llm.bodies import batch_dialect

    if (options.questions is not None) != (options.stage == "answer"):
        raise CommandError("--questions: goes with --stage answer, and only with it")
    llm = _settings(options)
    dialect = batch_dialect(llm.format, llm.limit)
    with opened(world, options, writer=options.questions is not None) as system:
        space = existing_space(system, options, options.space)
        if options.questions is not None:
            from .questions import read_questions

            for request in read_questions(options.questions, space, world.now()):
                system.ask_later(request)
            system.run()
        asks = list(system.open_questions(space, options.stage))
    lines = [request_line(ask, dialect) for ask in asks if ask.prompt.model == llm.model]
    others = Counter(ask.prompt.model for ask in asks if ask.prompt.model != llm.model)
    try:
        options.out.write_bytes(b"".join(lines))
    except OSError as error:
        raise CommandError(f"{options.out}: {error.strerror}") from error
    if options.json:
        told = {"questions": len(lines), "bytes": sum(map(len, lines)), "out": str(options.out)}
        world.say_json(told | {"left_out": dict(sorted(others.items()))})
        return OK
    world.say(f"{len(lines)} questions of {options.stage}, {sum(map(len, lines)):,} bytes: {options.out}")
    for model, count in sorted(others.items()):
        world.say(f"left out: {count} to {model}, which the settings do not name (--config FILE)")
    return OK


def run_import(options: LlmOptions, world: World) -> int:
    """Record what there is, work it off, and tell what is open then. 2 when no line was of any use."""
    _settings(options)
    lines = [line for path in options.files for line in _read(path)]
    with opened(world, options, writer=True) as system:
        from .answers import record

        totals = record(system, lines)
        system.run()
        while system.settle():
            pass
        spaces = sorted(totals.spaces)
        standing = {str(space): system.questions_of(space) for space in spaces}
    if options.json:
        world.say_json({"totals": totals.told(), "open": {name: s.open for name, s in standing.items()}})
    else:
        for line in totals.lines(NAMED_MAX):
            world.say(line)
        for space in spaces:
            world.say(f"{space.space}: {open_line(standing[str(space)])}")
    return OK if totals.recorded or totals.answered or totals.withdrawn else BAD_INPUT


def run_status(options: LlmOptions, world: World) -> int:
    """What is open of a space."""
    with opened(world, options, writer=False) as system:
        standing = system.questions_of(existing_space(system, options, options.space))
    if options.json:
        world.say_json({"standing": standing})
        return OK
    spent = standing.spent_today
    world.say(f"model {standing.model or 'none'}: {open_line(standing)}")
    world.say(
        f"today {spent.calls} calls, {spent.prompt_tokens:,} tokens asked, {spent.completion_tokens:,} answered, "
        f"${spent.cost_usd:.4f}" + ("" if standing.budget is None else f"; budget {standing.budget:,} tokens a day")
    )
    return OK


def open_line(standing: Standing) -> str:
    """What is still to be asked, and why it waits."""
    counts = ", ".join(f"{stage} {count}" for stage, count in standing.open.items() if count)
    if not counts:
        return "nothing left to ask"
    why = " (the budget of today is spent)" if standing.held_back else ""
    why = f" (the endpoint does not answer: {standing.away})" if standing.away is not None else why
    return f"still to ask: {counts}{why}; until then the rules' answers count"


def _settings(options: Options) -> LlmSettings:
    from ops.settings import load_settings

    llm = load_settings(options.store, options.config).llm
    if llm.model is None:
        raise CommandError('no model: set model = "NAME" in the table [llm] of stilltrue.toml, or of --config')
    return llm


def _read(path: Path) -> list[tuple[str, bytes]]:
    """The lines of a file that hold something, each with its place. A mark of UTF-8 before the first is none of it."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    numbered = enumerate(raw.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1)
    return [(f"{path.name}:{number}", line) for number, line in numbered if line.strip()]
