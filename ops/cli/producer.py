"""``producer activate|list SPACE ...``: whose sets of events and edges count."""

from __future__ import annotations

import argparse
from typing import get_args

from schemas.control import StageName

from .arguments import Subcommands, add_space, add_url
from .world import OK, Options, World, changed, existing_space


class ProducerOptions(Options):
    """Options of both."""

    space: str
    stage: StageName
    producer: str
    fallback: str | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command and its actions."""
    parser = commands.add_parser("producer", parents=[shared], help="choose whose statements and relations count")
    actions = Subcommands(parser, "ACTION")
    activate = actions.add_parser(
        "activate",
        parents=[shared],
        help="from now on this producer's sets count",
        description="Appends a record. For a session where it made none, the fallback's count: who counted until now, "
        "unless --fallback names another. To undo, activate the former one, which is printed.",
    )
    add_space(activate)
    activate.add_argument(
        "stage", metavar="STAGE", choices=get_args(StageName), help="distil (statements) or link (relations)"
    )
    activate.add_argument("producer", metavar="PRODUCER", help="as producer list shows it")
    activate.add_argument(
        "--fallback", metavar="PRODUCER", help="whose count where it made none; default who counted until now"
    )
    add_url(activate)
    activate.set_defaults(run=run_activate)
    listed = actions.add_parser("list", parents=[shared], help="who made sets, and whose count")
    add_space(listed)
    add_url(listed)
    listed.set_defaults(run=run_list)


def run_activate(options: ProducerOptions, world: World) -> int:
    """Activate."""
    from schemas.ruling_wire import ActivateIn

    wanted = ActivateIn(stage=options.stage, producer=options.producer, fallback=options.fallback)
    with changed(world, options, writer=True) as system:
        result = system.activate(existing_space(system, options, options.space), wanted)
    if options.json:
        world.say_json(result)
        return OK
    if result.status == "duplicate":
        world.say(f"{result.producer} is active for {result.stage} already; nothing was written")
        return OK
    world.say(f"{result.stage}: {result.producer} is active, fallback {result.fallback or 'none'}")
    if result.former is not None:
        world.say(f"before it was {result.former}; activate that to undo")
    return OK


def run_list(options: ProducerOptions, world: World) -> int:
    """Print the producers of both stages."""
    with changed(world, options, writer=False) as system:
        result = system.producers(existing_space(system, options, options.space))
    if options.json:
        world.say_json(result)
        return OK
    for stage in result.stages:
        world.say(f"{stage.stage}")
        for name in stage.producers:
            mark = "active" if name == stage.active else "fallback" if name in stage.fallbacks else ""
            world.say(f"  {name:<40}  {mark}".rstrip())
    return OK
