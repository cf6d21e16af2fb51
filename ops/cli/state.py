"""``state SPACE``: what holds, since when, and which message says so."""

from __future__ import annotations

import argparse

from .arguments import Subcommands, add_filters, add_moments, add_space, add_url, filled
from .times import parse_moment, show_minute, zone_name
from .world import OK, Options, World, asked, existing_space


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
    add_space(parser)
    add_filters(parser)
    add_moments(parser, "what held at T; default now")
    parser.add_argument("--all", action="store_true", help="also what no longer or not yet holds, and actions")
    add_url(parser)
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
            participant=filled(options.participant, "--participant"),
            attribute=filled(options.attribute, "--attribute"),
            include_all=options.all,
        )
        result = system.state(request)
    if options.json:
        world.say_json(result)
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
