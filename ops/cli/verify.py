"""``verify SPACE``: the incremental view against a recompute from the log, byte for byte."""

from __future__ import annotations

import argparse

from .arguments import Subcommands, add_space
from .world import NEGATIVE, OK, Options, World, existing_space, opened


class VerifyOptions(Options):
    """Options of ``verify``."""

    space: str


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "verify", parents=[shared], help="compare the view with a recompute; exit 1 if unequal"
    )
    add_space(parser)
    parser.set_defaults(run=run)


def run(options: VerifyOptions, world: World) -> int:
    """Print both checksums; 1 when they differ."""
    with opened(world, options, writer=False) as system:
        result = system.verify(existing_space(system, options, options.space))
    if options.json:
        world.say_json(result)
    else:
        from .show import verification_lines

        for line in verification_lines(result):
            world.say(line)
    holds = result.account is None or result.account.holds
    return OK if result.equal and holds else NEGATIVE
