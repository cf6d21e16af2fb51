"""``status SPACE``: where its messages and events are; the places add up to what was accepted, and ever distilled."""

from __future__ import annotations

import argparse

from .arguments import Subcommands, add_space, add_url
from .world import OK, Options, World, asked, existing_space


class StatusOptions(Options):
    """Options of ``status``."""

    space: str


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "status", parents=[shared], help="where the messages of a space are, and what a read reflects"
    )
    add_space(parser)
    add_url(parser)
    parser.set_defaults(run=run)


def run(options: StatusOptions, world: World) -> int:
    """Print the accounts of messages and of events, how rulings stand, and the basis."""
    from query.status import status

    with asked(world, options) as system:
        result = status(system, existing_space(system, options, options.space), events=True)
    if options.json:
        world.say_json(result)
        return OK
    from .show import basis_line, event_account_lines

    account = result.account
    rows = (
        ("source of an event", account.source_of_event),
        ("read, yielded none", account.read_yielded_none),
        ("waiting", account.waiting),
        ("parked", account.parked),
        ("accepted", account.accepted),
    )
    for name, count in rows:
        world.say(f"{name:<20}{count:>10}")
    if account.statements_left_out:
        world.say(
            f"{account.statements_left_out} statements left out: their messages state more than is kept of one; the "
            "messages are searchable"
        )
    for line in event_account_lines(result.events):
        world.say(line)
    if result.rulings:
        world.say(f"{result.rulings} rulings on relations stand, {result.orphaned} of them orphaned")
    world.say(basis_line(result.basis))
    return OK
