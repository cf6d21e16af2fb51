"""``rebuild SPACE``: drop the view, replay the log; the checksum must come out the same."""

from __future__ import annotations

import argparse

from .world import NEGATIVE, OK, Options, Subcommands, World, existing_space, opened


class RebuildOptions(Options):
    """Options of ``rebuild``."""

    space: str


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("rebuild", parents=[shared], help="drop the view and replay the log")
    parser.add_argument("space", metavar="SPACE")
    parser.set_defaults(run=run)


def run(options: RebuildOptions, world: World) -> int:
    """Print the checksums before and after; 1 when they differ."""
    with opened(world, options, writer=True) as system:
        space = existing_space(system, options, options.space)
        before = system.verify(space).checksum
        result = system.rebuild(space)
    same = result.equal and result.checksum == before
    if options.json:
        from .machine import print_json

        print_json(world, result)
    else:
        from .show import verification_lines

        for line in verification_lines(result):
            world.say(line)
        world.say("same checksum as before" if same else f"checksum before was {before}")
    return OK if same else NEGATIVE
