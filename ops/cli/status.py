"""``status SPACE``: where its messages are; the four places add up to what was accepted."""

from __future__ import annotations

import argparse

from .world import OK, Options, Subcommands, World, add_url_option, asked, existing_space


class StatusOptions(Options):
    """Options of ``status``."""

    space: str


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("status", parents=[shared], help="where its messages are, and what a read reflects")
    parser.add_argument("space", metavar="SPACE")
    add_url_option(parser)
    parser.set_defaults(run=run)


def run(options: StatusOptions, world: World) -> int:
    """Print the account of messages and the basis."""
    with asked(world, options) as system:
        space = existing_space(system, options, options.space)
        account, basis = system.account(space), system.basis(space)
    if options.json:
        from .machine import print_json

        print_json(world, {"account": account, "basis": basis})
        return OK
    from .show import basis_line

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
    world.say(basis_line(basis))
    return OK
