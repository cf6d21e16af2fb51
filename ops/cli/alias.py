"""``alias merge|split|list SPACE ...``: which names are one person."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .world import OK, Options, Subcommands, World, add_url_option, changed, existing_space

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
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    merge = actions.add_parser("merge", parents=[shared], help="NAME is another name of CANONICAL")
    merge.add_argument("space", metavar="SPACE")
    merge.add_argument("name", metavar="NAME")
    merge.add_argument("canonical", metavar="CANONICAL")
    merge.add_argument("--evidence", default="", help="why; shown with the participant")
    split = actions.add_parser("split", parents=[shared], help="NAME stands for itself again")
    split.add_argument("space", metavar="SPACE")
    split.add_argument("name", metavar="NAME")
    for action in (merge, split):
        action.add_argument("--analyst", metavar="NAME", default="analyst", help="who says so; default: analyst")
    listed = actions.add_parser("list", parents=[shared], help="participants with their other names")
    listed.add_argument("space", metavar="SPACE")
    for action in (merge, split, listed):
        add_url_option(action)
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
        from .machine import print_json

        print_json(world, result)
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
        from .machine import print_json

        print_json(world, result)
        return OK
    for entry in result.entries:
        world.say(f"{entry.name}  ({entry.events} statements)")
        for alias in entry.aliases:
            why = f": {alias.evidence}" if alias.evidence else ""
            world.say(f"    also {alias.name}, says {alias.analyst}{why}")
    return OK
