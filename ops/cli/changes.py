"""``changes SPACE --since T``: what began and what ceased to hold since then."""

from __future__ import annotations

import argparse

from .times import TIME_HELP, parse_moment, show_minute, zone_name
from .world import OK, CommandError, Options, Subcommands, World, add_url_option, asked, existing_space


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
    parser.add_argument("space", metavar="SPACE")
    parser.add_argument("--since", metavar="T", required=True, help=f"only changes after T. {TIME_HELP}")
    parser.add_argument("--participant", metavar="NAME", help="only what is about, or said by, this person")
    parser.add_argument("--attribute", metavar="NAME", help="only this attribute (employer, home ...)")
    parser.add_argument("--theme", metavar="ID", help="only statements of the sessions of this theme")
    parser.add_argument("--as-of", metavar="T", help="up to T; default now")
    parser.add_argument("--known-at", metavar="T", help="as it was known at T; default: all that is known")
    add_url_option(parser)
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
            participant=options.participant,
            attribute=options.attribute,
            include_all=True,
            theme=options.theme,
        )
        result = changes(system.state(request), since)
    if options.json:
        from .machine import print_json

        print_json(world, result)
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
