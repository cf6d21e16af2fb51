"""``state SPACE``: what holds, since when, and which message says so."""

from __future__ import annotations

import argparse

from .times import TIME_HELP, parse_moment, show_minute, zone_name
from .world import OK, CommandError, Options, Subcommands, World, add_url_option, asked, existing_space


class StateOptions(Options):
    """Options of ``state``."""

    space: str
    participant: str | None
    attribute: str | None
    as_of: str | None
    known_at: str | None
    all: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("state", parents=[shared], help="what holds, since when, and which message says so")
    parser.add_argument("space", metavar="SPACE")
    parser.add_argument("--participant", metavar="NAME", help="only what is about, or said by, this person")
    parser.add_argument("--attribute", metavar="NAME", help="only this attribute (employer, home ...)")
    parser.add_argument("--as-of", metavar="T", help=f"what held at T; default now. {TIME_HELP}")
    parser.add_argument("--known-at", metavar="T", help="as it was known at T; default: all that is known")
    parser.add_argument("--all", action="store_true", help="also what no longer or not yet holds, and actions")
    add_url_option(parser)
    parser.set_defaults(run=run)


def run(options: StateOptions, world: World) -> int:
    """Print the state. Never loads a model."""
    from query.api import StateRequest

    now = world.now()
    as_of = parse_moment(options.as_of, "--as-of", options.zone)
    known_at = parse_moment(options.known_at, "--known-at", options.zone)
    with asked(world, options) as system:
        request = StateRequest(
            space=existing_space(system, options, options.space),
            as_of=now if as_of is None else as_of,
            known_at=known_at,
            participant=_filter(options.participant, "--participant"),
            attribute=_filter(options.attribute, "--attribute"),
            include_all=options.all,
        )
        result = system.state(request)
    if options.json:
        from .machine import print_json

        print_json(world, result)
        return OK
    from .show import basis_line, state_lines

    known = "" if known_at is None else f", as known at {show_minute(known_at, options.zone)}"
    world.say(f"{options.space} at {show_minute(result.as_of, options.zone)} {zone_name(options.zone)}{known}\n")
    for line in state_lines(result.entries, options.zone):
        world.say(line)
    if not result.entries:
        world.say("nothing is known to hold")
    world.say(f"\n{basis_line(result.basis)}")
    return OK


def _filter(value: str | None, option: str) -> str | None:
    if value is not None and not value.strip():
        raise CommandError(f"{option}: is empty; leave it out instead")
    return value
