"""``schemas [--check]``: write the JSON Schema of every record, or say which file differs from the types."""

from __future__ import annotations

import argparse

from .arguments import Subcommands
from .world import NEGATIVE, OK, Options, World


class SchemasOptions(Options):
    """Options of ``schemas``."""

    check: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("schemas", parents=[shared], help="write or check the JSON Schemas of the records")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file differs")
    parser.set_defaults(run=run)


def run(options: SchemasOptions, world: World) -> int:
    """Write ``schemas/json/``; with ``--check`` only compare."""
    from ops.export_schemas import DIRECTORY, differing, write

    names = differing(DIRECTORY) if options.check else write(DIRECTORY)
    if options.json:
        world.say_json({"differing" if options.check else "written": names})
    else:
        for name in names:
            world.say(f"differs from the types: {name}" if options.check else f"wrote {name}")
        if not names:
            world.say("the checked-in schemas are those of the records")
    return NEGATIVE if options.check and names else OK
