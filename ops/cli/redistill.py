"""``redistill SPACE --producer FILE --compare|--switch``: another model, prompt or the rules, beside what counts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_space
from .brokers import BrokerOptions, add_broker, broker_errors, run_async
from .world import NEGATIVE, OK, CommandError, World, existing_space, opened

if TYPE_CHECKING:
    from ops.llm.redistilling import Redistilled
    from ops.llm.shadow import Fact
    from ops.settings import Settings

SHOWN_MAX = 20
"""Statements of each kind that are listed for people; ``--json`` has all."""


class RedistillOptions(BrokerOptions):
    """Options of ``redistill``."""

    space: str
    producer: Path
    switch: bool
    kafka: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "redistill",
        parents=[shared],
        help="read a space anew with another model or prompt, and compare before switching",
        description="Reads every session with the model in the table [llm] of another settings file, beside what "
        "counts, and shows which statements would appear, vanish or hold for another time. What it was asked before is "
        "not asked again. Without an endpoint in that file the questions wait: llm export and import, then this. To "
        "take a switch back, switch to the former settings: nobody is asked anything. With --kafka: of a space on a "
        "broker, by workers that run with these settings.",
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
        "--switch",
        dest="switch",
        action="store_true",
        help="make it count; the same with the former settings undoes it",
    )
    parser.add_argument("--kafka", action="store_true", help="a space on the broker instead of one in --store")
    add_broker(parser)
    parser.set_defaults(run=run)


def run(options: RedistillOptions, world: World) -> int:
    """Compare, or switch; 1 when a switch would leave questions open."""
    from ops.settings import load_settings

    if not options.producer.exists():
        raise CommandError(f"--producer {options.producer}: no such file")
    other = load_settings(options.store, options.producer)
    if options.kafka:
        return _tell(_on_broker(options, other, world), options, world)
    with opened(world, options, writer=True) as system:
        space = existing_space(system, options, options.space)
        result = system.redistill(space, other, switch=options.switch)
    return _tell(result, options, world)


def _on_broker(options: RedistillOptions, other: Settings, world: World) -> Redistilled:
    from ops.kafka.checking import check_topics
    from ops.llm.on_broker import Place, redistill_on_broker
    from ops.model import load_encoder
    from ops.node.reading import AwayError
    from ops.opening import make_asker
    from ops.settings import load_settings
    from schemas.ids import SpaceKey
    from views.source import Source

    present = load_settings(options.store, options.config)
    with broker_errors(options.bootstrap):
        partitions = run_async(check_topics(options.bootstrap, options.prefix, world.note))
        if not partitions:
            raise CommandError("no topics that can be told; see ./stilltrue topics check")
        place = Place(source=Source(bootstrap=options.bootstrap, prefix=options.prefix), partitions=partitions)
        try:
            return redistill_on_broker(
                place, SpaceKey(options.tenant, options.space), present, other, load_encoder(present.model),
                lambda log: make_asker(log, other.llm), world.now, switch=options.switch,
            )  # fmt: skip
        except AwayError as error:
            raise CommandError(f"broker {options.bootstrap}: {error}") from error
        except LookupError as error:
            raise CommandError(str(error)) from error


def _tell(result: Redistilled, options: RedistillOptions, world: World) -> int:
    switched = options.switch and not result.open
    if options.json:
        world.say_json({"switched": switched, "result": result})
    else:
        for line in _lines(result):
            world.say(line)
        if switched:
            where = "the settings of the workers" if options.kafka else "the store's stilltrue.toml"
            world.say(f"{result.producer} counts now; put its [llm] into {where}")
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
