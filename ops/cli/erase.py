"""``erase SPACE``: a message, a conversation or everything, for good, with a receipt."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_space, add_url
from .world import OK, Changed, CommandError, Options, World, changed, existing_space

if TYPE_CHECKING:
    from schemas.erasure_wire import ErasureIn, ErasureOut
    from schemas.ids import SpaceKey


class EraseOptions(Options):
    """Options of ``erase``."""

    space: str
    conversation: str | None
    message: str | None
    receipt: str | None
    yes: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "erase",
        parents=[shared],
        help="erase a message, a conversation or a whole space for good; prints a receipt",
        description="Writes the erasure's record, lets everything that rested on the text be made anew without it, and "
        "takes the text out of every store and file. It cannot be undone, and backups made before keep the text: the "
        "receipt names them. Killed half way, it is finished by the next command that writes. The same again prints "
        "the same receipt. Where a service runs, ask it with --url.",
    )
    add_space(parser)
    parser.add_argument("--conversation", metavar="ID", help="only this conversation; with --message, where it is")
    parser.add_argument("--message", metavar="[CONVERSATION/]ID", help="only this message")
    parser.add_argument("--receipt", metavar="ID", help="print the receipt of a former erasure; erases nothing")
    parser.add_argument("--yes", action="store_true", help="without it nothing is erased, only said what would be")
    add_url(parser)
    parser.set_defaults(run=run)


def run(options: EraseOptions, world: World) -> int:
    """Erase, or say what would be erased."""
    if options.receipt is not None:
        with changed(world, options, writer=False) as system:
            receipt = system.erasure(existing_space(system, options, options.space), options.receipt)
        return _report(options, world, receipt)
    with changed(world, options, writer=options.yes) as system:
        space = existing_space(system, options, options.space)
        wanted = _wanted(system, space, options)
        if not options.yes:
            raise CommandError(_would(system.erasable(space, wanted), wanted))
        receipt = system.erase(space, wanted)
    return _report(options, world, receipt)


def _wanted(system: Changed, space: SpaceKey, options: EraseOptions) -> ErasureIn:
    from schemas.erasure_wire import ErasureIn

    if options.message is not None:
        conversation, message = _place(system, space, options.message, options.conversation)
        return ErasureIn(scope="message", conversation_id=conversation, message_id=message)
    if options.conversation is not None:
        return ErasureIn(scope="conversation", conversation_id=options.conversation)
    return ErasureIn(scope="space")


def _place(system: Changed, space: SpaceKey, named: str, conversation: str | None) -> tuple[str, str]:
    """Conversation and message; ids may hold slashes, so every way to read "C/M" is tried."""
    if conversation is not None:
        return conversation, named
    places = [(found, named) for found in system.conversations(space, named)]
    for at in (n for n, letter in enumerate(named) if letter == "/"):
        if named[:at] in system.conversations(space, named[at + 1 :]):
            places.append((named[:at], named[at + 1 :]))
    if not places:
        raise CommandError(f"no message {named!r} in {space.space}")
    if len(places) > 1:
        conversations = ", ".join(found for found, _ in places[:5])
        raise CommandError(f"{len(places)} messages can be meant by {named!r}; say --conversation: {conversations}")
    return places[0]


def _would(count: int, wanted: ErasureIn) -> str:
    if not count and wanted.scope != "space":
        return "nothing of that is here: not taken in, or erased before"
    return f"this would erase {_told(count, wanted)}: add --yes to do it"


def _told(count: int, wanted: ErasureIn) -> str:
    messages = f"{count} message" if count == 1 else f"{count} messages"
    match wanted.scope:
        case "space":
            return f"{messages} and everything else of the space"
        case "conversation":
            return f"{messages} of conversation {wanted.conversation_id}"
        case "message":
            return f"{messages}: {wanted.message_id} of {wanted.conversation_id}"


def _report(options: EraseOptions, world: World, receipt: ErasureOut) -> int:
    if options.json:
        world.say_json(receipt)
        return OK
    for line in receipt_lines(receipt):
        world.say(line)
    return OK


def receipt_lines(receipt: ErasureOut) -> Iterator[str]:
    """The receipt as a table for people. Pure."""
    what = {
        "space": "everything",
        "conversation": f"conversation {receipt.conversation_id}",
        "message": f"message {receipt.message_id} of {receipt.conversation_id}",
    }[receipt.scope]
    yield f"erasure {receipt.id}: {what} of space {receipt.space}, {receipt.messages} messages below {receipt.upto}"
    yield f"  asked for  {receipt.requested_at}"
    yield f"  finished   {receipt.finished_at or 'not yet: it goes on; --receipt ID tells'}"
    if receipt.removed:
        yield "removed, or written anew without the text"
        width = max(len(one.store) for one in receipt.removed)
        yield from (f"  {one.store:<{width}}  {one.count:>7}  {one.what}" for one in receipt.removed)
    if receipt.remains:
        yield "what remains"
        for left in receipt.remains:
            yield f"  {left.where}: {left.what}"
            yield f"    why: {left.why}"
            yield f"    until: {left.until or 'nothing removes it'}"
