"""``alias merge|split|list SPACE ...``: which names are one person."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_analyst, add_space, add_url
from .world import OK, Options, World, changed, existing_space

if TYPE_CHECKING:
    from schemas.ruling_wire import AdjudicationIn


class AliasOptions(Options):
    """Options of the three."""

    space: str
    name: str
    canonical: str
    analyst: str
    evidence: str


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command and its actions."""
    parser = commands.add_parser(
        "alias",
        parents=[shared],
        help="merge two names of one person, or split them again",
        description="Statements are read, and compared anew, under the canonical name. Each action appends a record; "
        "split undoes merge.",
    )
    actions = Subcommands(parser, "ACTION")
    merge = actions.add_parser("merge", parents=[shared], help="NAME is another name of CANONICAL")
    add_space(merge)
    merge.add_argument("name", metavar="NAME", help="as statements name the person")
    merge.add_argument("canonical", metavar="CANONICAL", help="the name that the person goes by")
    merge.add_argument("--evidence", metavar="TEXT", default="", help="why; shown with the participant")
    split = actions.add_parser("split", parents=[shared], help="NAME stands for itself again")
    add_space(split)
    split.add_argument("name", metavar="NAME", help="a name that was merged")
    for action in (merge, split):
        add_analyst(action)
    listed = actions.add_parser("list", parents=[shared], help="participants with their other names")
    add_space(listed)
    for action in (merge, split, listed):
        add_url(action)
    merge.set_defaults(run=run_merge)
    split.set_defaults(run=run_split)
    listed.set_defaults(run=run_list)


def run_merge(options: AliasOptions, world: World) -> int:
    """Merge."""
    from schemas.ruling_wire import MergeIn

    wanted = MergeIn(
        analyst=options.analyst, alias=options.name, canonical=options.canonical, evidence=options.evidence
    )
    return _adjudicate(wanted, options, world, f"{options.name} is {options.canonical}")


def run_split(options: AliasOptions, world: World) -> int:
    """Split."""
    from schemas.ruling_wire import SplitIn

    wanted = SplitIn(analyst=options.analyst, alias=options.name)
    return _adjudicate(wanted, options, world, f"{options.name} stands for itself")


def _adjudicate(wanted: AdjudicationIn, options: AliasOptions, world: World, done: str) -> int:
    with changed(world, options, writer=True) as system:
        result = system.adjudicate(existing_space(system, options, options.space), wanted)
    if options.json:
        world.say_json(result)
    else:
        world.say(done if result.status == "accepted" else f"{done} already; nothing was written")
        for name in result.unknown:
            world.say(f"no statement here names {name!r} so far; if that is a typing error, split undoes it")
    return OK


def run_list(options: AliasOptions, world: World) -> int:
    """Print the participants."""
    with changed(world, options, writer=False) as system:
        result = system.participants(existing_space(system, options, options.space))
    if options.json:
        world.say_json(result)
        return OK
    for entry in result.entries:
        world.say(f"{entry.name}  ({entry.events} statements)")
        for alias in entry.aliases:
            why = f": {alias.evidence}" if alias.evidence else ""
            world.say(f"    also {alias.name}, says {alias.analyst}{why}")
    return OK
