"""``edit SPACE MESSAGE TEXT`` and ``retract SPACE MESSAGE``: what was said is changed or withdrawn, as a record."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_space, add_url
from .world import OK, Changed, CommandError, Options, World, changed, existing_space

if TYPE_CHECKING:
    from ops.system import Ingested
    from schemas.ids import SpaceKey


class ChangeOptions(Options):
    """Options of both; ``text`` only of ``edit``."""

    space: str
    message: str
    text: str
    conversation: str | None


def add_edit(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register ``edit``."""
    parser = commands.add_parser(
        "edit",
        parents=[shared],
        help="give a message new text; what rested on the old one no longer counts",
        description="Appends a record; the old text stays in the log. Edit again to undo. The same text again changes "
        "nothing. Where a service runs, ask it with --url.",
    )
    _add_message(parser)
    parser.add_argument("text", metavar="TEXT", help="what it says from now on")
    parser.set_defaults(run=run_edit)


def add_retract(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register ``retract``."""
    parser = commands.add_parser(
        "retract",
        parents=[shared],
        help="withdraw a message; nothing that rests on it counts any more",
        description="Appends a record; the text stays in the log (erase removes it). It cannot be undone under the "
        "same id: post the message under another one. Retracting again changes nothing. Where a service "
        "runs, ask it with --url.",
    )
    _add_message(parser)
    parser.set_defaults(run=run_retract)


def _add_message(parser: argparse.ArgumentParser) -> None:
    add_space(parser)
    parser.add_argument("message", metavar="MESSAGE", help="a message id as shown by state and history")
    parser.add_argument(
        "--conversation", metavar="ID", help="needed where several conversations of the space have such a message"
    )
    add_url(parser)


def run_edit(options: ChangeOptions, world: World) -> int:
    """Edit, and apply what follows."""
    with changed(world, options, writer=True) as system:
        space, conversation = _found(system, options)
        outcome = system.edit(space, conversation, options.message, options.text)
        _settle(system, space, outcome)
    return _report(options, world, conversation, outcome, "edited", "says that already")


def run_retract(options: ChangeOptions, world: World) -> int:
    """Retract, and apply what follows."""
    with changed(world, options, writer=True) as system:
        space, conversation = _found(system, options)
        outcome = system.retract(space, conversation, options.message)
        _settle(system, space, outcome)
    return _report(options, world, conversation, outcome, "retracted", "is retracted already")


def _found(system: Changed, options: ChangeOptions) -> tuple[SpaceKey, str]:
    """The space and the one conversation that holds the message."""
    space = existing_space(system, options, options.space)
    if options.conversation is not None:
        return space, options.conversation
    found = system.conversations(space, options.message)
    if not found:
        raise CommandError(f"no message {options.message!r} in {options.space}")
    if len(found) > 1:
        raise CommandError(f"{len(found)} conversations have a message {options.message!r}; say --conversation ID: "
                           + ", ".join(found[:5]))  # fmt: skip
    return space, found[0]


def _settle(system: Changed, space: SpaceKey, outcome: Ingested) -> None:
    """Refuse what was refused; make everything that follows from the rest."""
    for status in outcome.statuses:
        if status.error is not None:
            raise CommandError(f"{status.error.field or 'message'}: {status.error.message}")
    if any(status.status == "accepted" for status in outcome.statuses):
        system.flush(space)


def _report(options: ChangeOptions, world: World, conversation: str, outcome: Ingested, done: str, already: str) -> int:
    [status] = outcome.statuses
    if options.json:
        world.say_json(
            {
                "status": status.status,
                "conversation_id": conversation,
                "message_id": options.message,
                "wait_for": outcome.wait_for,
            },
        )
        return OK
    name = f"message {options.message} of {conversation}"
    world.say(f"{done} {name}" if status.status == "accepted" else f"{name} {already}; nothing was written")
    return OK
