"""``stilltrue``: parse the command line, run one command, turn every refusal into one line and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ops.settings import BadConfigError
from ops.system import Refused
from streams.log.errors import StoreError

from . import (
    alias,
    ask,
    backup,
    bench,
    changes,
    dead_letters,
    editing,
    erase,
    evaluate,
    history,
    importing,
    llm,
    model,
    producer,
    rebuild,
    redistill,
    restore,
    ruling,
    schemas,
    serve,
    state,
    status,
    topics,
    verify,
    view,
    worker,
)
from .arguments import Subcommands
from .world import BAD_INPUT, INTERRUPTED, UNAVAILABLE, CommandError, Options, World, clock_us

if TYPE_CHECKING:
    from ops.observing import Observer
    from ops.settings import Settings
    from ops.system import System

DESCRIPTION = "Which of the things people said are still true, since when, and how do we know?"
EXIT_CODES = """\
exit codes: 0 done; 1 something is not as it should be, or could not all be done (verify, rebuild, topics, dead-letters
redrive, redistill --switch, schemas --check, evaluate); 2 bad usage, or refused input; 3 what it works on cannot be
had: a store or a backup that is missing, in use, made from another log or of another format, or a broker, a service
(--url) or a Qdrant server that does not answer; 130 interrupted (import: run it again to resume)"""

_PIPE_CLOSED = 141
"""128 + SIGPIPE, as a shell reports it: the reader (``head``) had enough."""

_READ = (state.add, changes.add, history.add, ask.add, status.add)
_CHANGE = (
    editing.add_edit, editing.add_retract, erase.add, ruling.add_accept, ruling.add_rule_out, alias.add, producer.add,
)  # fmt: skip
_RUN = (serve.add, topics.add, worker.add, view.add, dead_letters.add)
_KEEP = (verify.add, rebuild.add, backup.add, restore.add)
_MODELS = (model.add, llm.add, redistill.add)
_MEASURE = (evaluate.add, bench.add, schemas.add)
COMMANDS = (importing.add, *_READ, *_CHANGE, *_RUN, *_KEEP, *_MODELS, *_MEASURE)
"""In the order of the help: what one does first and most often stands first."""


def main(arguments: Sequence[str] | None = None, world: World | None = None) -> int:
    """Run one command.

    Args:
        arguments: the command line without the program's name; default that of the process.
        world: system, clock and streams; default the real ones.
    """
    world = world or World(open_system=_open_runtime, now=clock_us, out=sys.stdout, err=sys.stderr)
    try:
        options = build_parser().parse_args(arguments, namespace=Options())
        code: int = options.run(options, world)
        world.out.flush()
        return code
    except BrokenPipeError:
        # Python flushes standard output once more when it ends; give it somewhere to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        return _stop(world, "interrupted", INTERRUPTED)
    except CommandError as error:
        return _stop(world, str(error), error.code)
    except Refused as error:
        field = "" if error.problem.field is None else f"{error.problem.field}: "
        return _stop(world, f"{field}{error.problem.message}", BAD_INPUT)
    except BadConfigError as error:
        return _stop(world, str(error), BAD_INPUT)
    except StoreError as error:
        return _stop(world, str(error), UNAVAILABLE)
    except _model_errors() as error:
        return _stop(world, str(error), BAD_INPUT)


def build_parser() -> argparse.ArgumentParser:
    """The command line. What is shared may stand before or after the command's name."""
    parser = argparse.ArgumentParser(
        prog="stilltrue",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_shared(parser, after_command=False)
    shared = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    _add_shared(shared, after_command=True)
    commands = Subcommands(parser, "COMMAND")
    for add in COMMANDS:
        add(commands, shared)
    return parser


def _add_shared(parser: argparse.ArgumentParser, *, after_command: bool) -> None:
    def default(value: object) -> object:
        # After the command's name an option that is absent must not undo one given before it.
        return argparse.SUPPRESS if after_command else value

    store = Path(os.environ.get("STILLTRUE_STORE") or ".stilltrue")
    zone = os.environ.get("STILLTRUE_ZONE") or None
    parser.add_argument(
        "--store",
        metavar="DIR",
        type=Path,
        default=default(store),
        help="where the data is; default ./.stilltrue, or $STILLTRUE_STORE",
    )
    parser.add_argument("--tenant", metavar="NAME", default=default("default"), help="whose spaces; default 'default'")
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        default=default(None),
        help="settings; default stilltrue.toml in the store",
    )
    parser.add_argument(
        "--zone",
        metavar="ZONE",
        type=_zone,
        default=default(zone),
        help="of printed times and bare dates; default as in the messages, bare dates in UTC, or $STILLTRUE_ZONE",
    )
    parser.add_argument("--json", action="store_true", default=default(False), help="for machines; times always in UTC")


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"no such time zone: {name!r}") from error


def _model_errors() -> tuple[type[Exception], ...]:
    """Imported only when something was raised: most commands never touch a model."""
    from views.encoder.reference import ReferenceMissingError
    from views.encoder.resolve import ModelUnavailableError, WrongModelError

    return (ModelUnavailableError, WrongModelError, ReferenceMissingError)


def _stop(world: World, message: str, code: int) -> int:
    world.note(f"stilltrue: {message}")
    return code


def _open_runtime(store: Path, settings: Settings, *, writer: bool = True, observer: Observer | None = None) -> System:
    from ops.observing import SILENT
    from ops.opening import open_system

    return open_system(store, settings, writer=writer, observer=observer or SILENT)


if __name__ == "__main__":
    raise SystemExit(main())
