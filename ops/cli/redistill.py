"""``redistill SPACE --producer FILE --compare|--switch``: another model, prompt or the rules, beside what counts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_space
from .world import NEGATIVE, OK, CommandError, Options, World, existing_space, opened

if TYPE_CHECKING:
    from ops.llm.redistilling import Redistilled
    from ops.llm.shadow import Fact

SHOWN_MAX = 20
"""Statements of each kind that are listed for people; ``--json`` has all."""


class RedistillOptions(Options):
    """Options of ``redistill``."""

    space: str
    producer: Path
    switch: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "redistill",
        parents=[shared],
        help="read a space anew with another model or prompt, and compare before switching",
        description="Reads every session with the model in the table [llm] of another settings file, beside what "
        "counts, and shows which statements would appear, vanish or hold for another time. What it was asked before is "
        "not asked again. Without an endpoint in that file the questions wait: llm export and import, then this.",
    )
    add_space(parser)
    parser.add_argument(
        "--producer",
        metavar="FILE",
        type=Path,
        required=True,
        help="settings with the other [llm]; none there: the rules",
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--compare", dest="switch", action="store_false", help="only show; nothing that counts changes")
    action.add_argument(
        "--switch", dest="switch", action="store_true", help="make it count; producer activate undoes it"
    )
    parser.set_defaults(run=run)


def run(options: RedistillOptions, world: World) -> int:
    """Compare, or switch; 1 when a switch would leave questions open."""
    from ops.settings import load_settings

    if not options.producer.exists():
        raise CommandError(f"--producer {options.producer}: no such file")
    other = load_settings(options.store, options.producer)
    with opened(world, options, writer=True) as system:
        space = existing_space(system, options, options.space)
        result = system.redistill(space, other, switch=options.switch)
    switched = options.switch and not result.open
    if options.json:
        world.say_json({"switched": switched, "result": result})
    else:
        for line in _lines(result):
            world.say(line)
        if switched:
            world.say(f"{result.producer} counts now; put its [llm] into the store's stilltrue.toml")
        elif options.switch:
            world.say("not switched: questions are open")
    return NEGATIVE if options.switch and not switched else OK


def _lines(result: Redistilled) -> Iterator[str]:
    found = result.comparison
    yield (
        f"{result.producer}: {len(found.appear)} appear, {len(found.vanish)} vanish, "
        f"{len(found.change)} hold for another time, {found.same} as before"
    )
    if result.open:
        why = "" if result.away is None else f" (the endpoint does not answer: {result.away})"
        yield f"{result.open} questions are open{why}; of their sessions the rules' statements are shown"
    yield from _listed("+", found.appear)
    yield from _listed("-", found.vanish)
    for before, after in found.change[:SHOWN_MAX]:
        yield f"~ {_told(before)}"
        yield f"  now {_span(after)}"


def _listed(mark: str, facts: tuple[Fact, ...]) -> Iterator[str]:
    yield from (f"{mark} {_told(fact)}" for fact in facts[:SHOWN_MAX])
    if len(facts) > SHOWN_MAX:
        yield f"{mark} ... and {len(facts) - SHOWN_MAX} more"


def _told(fact: Fact) -> str:
    return f"{fact.subject or 'nobody named'}: {fact.text}  [{_span(fact)}; message {', '.join(fact.messages)}]"


def _span(fact: Fact) -> str:
    from schemas.times import format_time

    until = "on" if fact.valid_until is None else f"until {format_time(fact.valid_until)}"
    return f"from {format_time(fact.valid_from)} {until}"
