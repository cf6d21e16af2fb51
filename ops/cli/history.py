"""``history SPACE EVENT``: a statement's chain: what replaced what, by which message and producer."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_moments, add_space, add_url
from .ids import full_event_id
from .times import Zone, parse_moment
from .world import OK, Options, World, asked, existing_space

if TYPE_CHECKING:
    from query.api import ChainLink, HistoryResult, RulingEntry, StateEntry


class HistoryOptions(Options):
    """Options of ``history``."""

    space: str
    event: str
    as_of: str | None
    known_at: str | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("history", parents=[shared], help="what a statement replaced and what replaced it")
    add_space(parser)
    parser.add_argument("event", metavar="EVENT", help="an event id as shown by state --all, or its beginning")
    add_moments(parser, "statuses at T; default now")
    add_url(parser)
    parser.set_defaults(run=run)


def run(options: HistoryOptions, world: World) -> int:
    """Print the chain."""
    now = world.now()
    as_of = parse_moment(options.as_of, "--as-of", options.zone)
    known_at = parse_moment(options.known_at, "--known-at", options.zone)
    with asked(world, options) as system:
        space = existing_space(system, options, options.space)
        event_id = full_event_id(system, space, options.event, now, known_at)
        result = system.history(space, event_id, now if as_of is None else as_of, known_at)
        rulings = [r for r in system.rulings(space).entries if known_at is None or r.at <= known_at]
    if options.json:
        world.say_json(result)
        return OK
    for line in chain_lines(result, rulings, options.zone):
        world.say(line)
    return OK


def chain_lines(result: HistoryResult, rulings: Sequence[RulingEntry], zone: Zone) -> Iterator[str]:
    """The chain in the order it was said: each statement, its interval, what ends it, and who ruled on that."""
    from .show import basis_line

    by_id = {entry.event.id: entry for entry in result.entries}
    for entry in result.entries:
        yield from _statement_lines(entry, zone, here=entry.event.id == result.event_id)
        for link in result.links:
            if link.dst == entry.event.id:
                yield from _link_lines(link, by_id, zone)
                yield from (_ruling_line(r, zone) for r in rulings if r.edge_id == link.edge_id)
        yield ""
    if not result.links:
        yield "it replaced nothing and nothing replaced it"
    yield f"producers: {', '.join(result.producers) or 'none'}"
    yield basis_line(result.basis)


def _statement_lines(entry: StateEntry, zone: Zone, *, here: bool) -> Iterator[str]:
    from .show import interval, quote_line, short

    event = entry.event
    about = ", ".join(word for word in (event.subject, event.attribute) if word)
    yield f"{'>' if here else ' '} {short(event.id)}  {event.text}" + (f"  [{about}]" if about else "")
    outcome = "" if entry.plan in (None, "planned") else f" (plan {entry.plan})"
    yield f"      {entry.status.replace('_', ' ')}: {interval(entry, zone)}{outcome}"
    yield from (f"      said: {quote_line(citation, zone)}" for citation in entry.citations)


def _link_lines(link: ChainLink, by_id: dict[str, StateEntry], zone: Zone) -> Iterator[str]:
    from .show import evidence, short

    newer = by_id.get(link.src)
    by = short(link.src) if newer is None else f'{short(link.src)} "{newer.event.text}"'
    source = "" if newer is None else f", {evidence(newer.citations, zone)}"
    yield f"      {_effect(link)} by {by}{source}"
    why = f": {link.justification}" if link.justification else ""
    says = f"says {', '.join(link.producers)}" if link.live else "ruled out by an analyst"
    yield f"        edge {short(link.edge_id)}, {says}, confidence {link.confidence:.2f}{why}"


def _ruling_line(ruling: RulingEntry, zone: Zone) -> str:
    from .times import show_minute

    why = f": {ruling.reason}" if ruling.reason else ""
    return f"        {ruling.ruling.replace('_', ' ')} by {ruling.analyst}, {show_minute(ruling.at, zone)}{why}"


def _effect(link: ChainLink) -> str:
    if link.relation == "contradicts":
        return "contradicted" if link.live else "not contradicted"
    if not link.live:
        return f"not replaced ({link.kind})"
    return f"replaced ({link.kind})" if link.effective else f"an update without effect ({link.kind})"
