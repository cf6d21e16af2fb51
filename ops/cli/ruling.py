"""``accept`` and ``rule-out``: an analyst's word on a relation, and ``--undo`` to take it back."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, get_args

from schemas.edges import Relation, UpdateKind

from .arguments import Subcommands, add_analyst, add_space, add_url
from .world import OK, Changed, CommandError, Options, World, changed, existing_space

if TYPE_CHECKING:
    from schemas.ids import SpaceKey
    from schemas.ruling_wire import AcceptIn, AdjudicationIn


class RulingOptions(Options):
    """Options of both; ``kind`` and ``relation`` only of ``accept``, which alone takes an ``older``."""

    space: str
    edge: str
    older: str | None
    kind: UpdateKind | None
    relation: Relation
    analyst: str
    reason: str
    undo: bool


def add_accept(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register ``accept``."""
    parser = commands.add_parser(
        "accept",
        parents=[shared],
        help="vouch for a relation: a known edge, or a new one between two statements",
        description="accept SPACE EDGE vouches for an edge that history shows; accept SPACE NEWER OLDER --kind change "
        "asserts that the newer statement replaces the older one. Appends a record; --undo takes it back.",
    )
    add_space(parser)
    parser.add_argument("edge", metavar="EDGE|NEWER", help="an edge id, or the id of the newer event")
    parser.add_argument("older", metavar="OLDER", nargs="?", help="the id of the older event")
    parser.add_argument("--kind", choices=get_args(UpdateKind), help="how the newer one replaces the older")
    parser.add_argument(
        "--relation", choices=get_args(Relation), default="updates", help="of NEWER to OLDER; default updates"
    )
    _add_word(parser)
    parser.set_defaults(run=run_accept)


def add_rule_out(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register ``rule-out``."""
    parser = commands.add_parser(
        "rule-out",
        parents=[shared],
        help="say that a relation does not hold, whoever asserts it",
        description="What the edge had ended holds again. Appends a record; --undo takes it back. The ruling follows "
        "its two statements when they are worded anew; where it cannot, status lists it as orphaned.",
    )
    add_space(parser)
    parser.add_argument("edge", metavar="EDGE", help="an edge id as history shows it, or its beginning")
    _add_word(parser)
    parser.set_defaults(run=run_rule_out, older=None)


def _add_word(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--undo", action="store_true", help="take back the analysts' rulings on the edge")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; shown with the edge")
    add_analyst(parser)
    add_url(parser)


def run_accept(options: RulingOptions, world: World) -> int:
    """Accept, or take it back."""
    with changed(world, options, writer=True) as system:
        space = existing_space(system, options, options.space)
        wanted = _undone(system, space, options) if options.undo else _accepted(system, space, options, world.now())
        return _adjudicate(system, space, wanted, options, world, "accepted")


def run_rule_out(options: RulingOptions, world: World) -> int:
    """Rule out, or take it back."""
    from schemas.ruling_wire import RuleOutIn

    with changed(world, options, writer=True) as system:
        space = existing_space(system, options, options.space)
        if options.undo:
            wanted = _undone(system, space, options)
        else:
            edge_id = _edge(system, space, options.edge)
            wanted = RuleOutIn(analyst=options.analyst, edge_id=edge_id, reason=options.reason)
        return _adjudicate(system, space, wanted, options, world, "ruled out")


def _accepted(system: Changed, space: SpaceKey, options: RulingOptions, now: int) -> AcceptIn:
    from schemas.ruling_wire import AcceptIn

    from .ids import full_event_id

    if options.older is None:
        edge_id = _edge(system, space, options.edge)
        return AcceptIn(analyst=options.analyst, edge_id=edge_id, kind=options.kind, reason=options.reason)
    return AcceptIn(
        analyst=options.analyst,
        src=full_event_id(system, space, options.edge, now, None),
        dst=full_event_id(system, space, options.older, now, None),
        relation=options.relation,
        kind=options.kind,
        reason=options.reason,
    )


def _undone(system: Changed, space: SpaceKey, options: RulingOptions) -> AdjudicationIn:
    from schemas.ruling_wire import UndoIn

    if options.older is not None:
        raise CommandError("--undo takes the edge's id alone; ./stilltrue history shows it")
    return UndoIn(analyst=options.analyst, edge_id=_edge(system, space, options.edge, orphans=True))


def _edge(system: Changed, space: SpaceKey, given: str, *, orphans: bool = False) -> str:
    """The edge's id; of one that is to be undone also that of a ruling that lost its edge."""
    from .ids import full_edge_id

    if orphans and given:
        ruled = sorted({r.ruled_on for r in system.rulings(space).entries if r.ruled_on.startswith(given)})
        if len(ruled) == 1:
            return ruled[0]
    return full_edge_id(system, space, given)


def _adjudicate(
    system: Changed, space: SpaceKey, wanted: AdjudicationIn, options: RulingOptions, world: World, done: str
) -> int:
    result = system.adjudicate(space, wanted)
    if options.json:
        world.say_json(result)
        return OK
    if options.undo:
        said = f"taken back: analysts have no say on edge {result.edge_id}"
        world.say(said if result.status == "accepted" else f"no ruling stands on edge {result.edge_id}; nothing was "
                  "written")  # fmt: skip
    elif result.status == "accepted":
        world.say(f"{done}: edge {result.edge_id}")
        if _is_idle(system, space, result.edge_id):
            world.say("it has no effect: by the times of the two, the first does not replace the second")
    else:
        world.say(f"edge {result.edge_id} is {done} already; nothing was written")
    return OK


def _is_idle(system: Changed, space: SpaceKey, edge_id: str | None) -> bool:
    """An accepted update that supersedes nothing: most likely the two ends were given in the wrong order."""
    found = [entry for entry in system.edges(space, None, None).entries if entry.edge_id == edge_id]
    return any(entry.live and entry.relation == "updates" and not entry.effective for entry in found)
