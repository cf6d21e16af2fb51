"""``model``: which embedding model is used, where it comes from, and what its files hash to."""

from __future__ import annotations

import argparse

from .arguments import Subcommands
from .world import OK, Options, World


class ModelOptions(Options):
    """Options of ``model``."""

    model: str | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("model", parents=[shared], help="which embedding model is used, and from where")
    parser.add_argument("--model", metavar="NAME", help="a path or name; default as in the settings")
    parser.set_defaults(run=run)


def run(options: ModelOptions, world: World) -> int:
    """Load the model (prepare it the first time) and describe it."""
    import msgspec

    from ops.model import describe
    from ops.settings import load_settings

    description = describe(options.model or load_settings(options.store, options.config).model)
    if options.json:
        world.say_json(description)
        return OK
    for name, value in msgspec.structs.asdict(description).items():
        world.say(f"{name:<10} {'-' if value is None else value}")
    return OK
