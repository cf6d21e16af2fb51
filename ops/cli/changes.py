"""``changes SPACE --since T``: what began and what ceased to hold since then."""

from __future__ import annotations

import argparse

from .arguments import Subcommands, add_filters, add_moments, add_space, add_url, filled
from .times import parse_moment, show_minute, zone_name
from .world import OK, CommandError, Options, World, asked, existing_space


class ChangesOptions(Options):
    """Options of ``changes``."""

    space: str
    since: str
    participant: str | None
    attribute: str | None
    theme: str | None
    as_of: str | None
    known_at: str | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("changes", parents=[shared], help="what began and what ceased to hold since T")
    add_space(parser)
    parser.add_argument("--since", metavar="T", required=True, help="only changes after T")
    add_filters(parser)
    parser.add_argument("--theme", metavar="ID", help="only statements of the sessions of this theme")
    add_moments(parser, "only changes up to T; default now")
    add_url(parser)
    parser.set_defaults(run=run)


def run(options: ChangesOptions, world: World) -> int:
    """Print the changes in the order in which they took effect. Never loads a model."""
    from query.api import StateRequest
    from query.changes import changes

    now = world.now()
    since = parse_moment(options.since, "--since", options.zone)
    as_of = parse_moment(options.as_of, "--as-of", options.zone)
    if since is None:
        raise CommandError("--since: is empty")
    with asked(world, options) as system:
        request = StateRequest(
            space=existing_space(system, options, options.space),
            as_of=now if as_of is None else as_of,
            known_at=parse_moment(options.known_at, "--known-at", options.zone),
            participant=filled(options.participant, "--participant"),
            attribute=filled(options.attribute, "--attribute"),
            include_all=True,
            theme=filled(options.theme, "--theme"),
        )
        result = changes(system.state(request), since)
    if options.json:
        world.say_json(result)
        return OK
    from .show import basis_line, state_lines

    span = f"{show_minute(since, options.zone)} to {show_minute(result.until, options.zone)}"
    world.say(f"{options.space}, {span} {zone_name(options.zone)}\n")
    for one in result.entries:
        world.say(f"{show_minute(one.at, options.zone)} {one.change}:")
        for line in state_lines([one.entry], options.zone):
            world.say(f"  {line}")
    if not result.entries:
        world.say("nothing changed")
    world.say(f"\n{basis_line(result.basis)}")
    return OK
