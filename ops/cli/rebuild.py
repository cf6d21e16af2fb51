"""``rebuild [SPACE]``: drop the view, replay the log; the checksum of a space must come out the same."""

from __future__ import annotations

import argparse

from .arguments import Subcommands
from .brokers import add_broker, add_qdrant
from .rebuild_node import NodeOptions, rebuild_node
from .world import NEGATIVE, OK, CommandError, World, existing_space, opened


class RebuildOptions(NodeOptions):
    """Options of ``rebuild``."""

    space: str | None
    vectors: bool
    kafka: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "rebuild",
        parents=[shared],
        help="drop the view and replay the log",
        description="With a space: its rows are folded anew, and must come out with the same checksum. Without: the "
        "whole view is made anew, also one that cannot be used: of another release, of another log, damaged, lost. "
        "With --kafka: that of the query node in --store, from the broker, while the node goes on answering; compared "
        "with the former one where both hold the same records, then served instead of it.",
    )
    parser.add_argument("space", metavar="SPACE", nargs="?", help="only this one; default all")
    parser.add_argument(
        "--vectors", action="store_true", help="without SPACE: make the vector index anew too; encodes every text again"
    )
    parser.add_argument("--kafka", action="store_true", help="the view of the query node in --store")
    add_broker(parser)
    add_qdrant(parser, "as the node was given it; default an index in the store")
    parser.set_defaults(run=run)


def run(options: RebuildOptions, world: World) -> int:
    """Print the checksums before and after; 1 when they differ."""
    if options.kafka:
        if options.space is not None or options.vectors:
            raise CommandError("--kafka: all of a query node's view is made anew; leave SPACE and --vectors out")
        return rebuild_node(options, world)
    if options.space is None:
        return _whole(options, world)
    if options.vectors:
        raise CommandError("--vectors makes the whole index anew: leave SPACE out")
    with opened(world, options, writer=True) as system:
        space = existing_space(system, options, options.space)
        before = system.verify(space).checksum
        result = system.rebuild(space)
    same = result.equal and result.checksum == before
    if options.json:
        world.say_json(result)
    else:
        from .show import verification_lines

        for line in verification_lines(result):
            world.say(line)
        world.say("same checksum as before" if same else f"checksum before was {before}")
    return OK if same else NEGATIVE


def _whole(options: RebuildOptions, world: World) -> int:
    """The whole view, and the index when it is asked for."""
    from ops.refold import refold
    from ops.settings import load_settings

    folded = refold(options.store, load_settings(options.store, options.config), vectors=options.vectors, now=world.now)
    if options.vectors:
        with opened(world, options, writer=True) as system:
            system.run()
    if options.json:
        world.say_json({"records": folded, "vectors": options.vectors})
        return OK
    index = " and the vector index" if options.vectors else ""
    world.say(
        f"made the view{index} anew: {folded} records; ./stilltrue verify SPACE compares a space with its definition"
    )
    return OK
