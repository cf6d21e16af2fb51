"""``import FILE --space NAME``: post a file's messages in batches and process them. Running it again is harmless."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_url
from .interrupt import Interrupt
from .llm import open_line
from .world import BAD_INPUT, INTERRUPTED, OK, CommandError, Options, World, opened, remote, space_key

if TYPE_CHECKING:
    from ops.importers import FormatName, SourceFile
    from schemas.ids import SpaceKey
    from views.reader import MessageAccount

    from .feed import Fed, Totals


class ImportOptions(Options):
    """Options of ``import``."""

    file: Path
    space: str
    format: FormatName
    conversation: int | None
    tz: str | None
    received_at: str
    progress: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "import",
        parents=[shared],
        help="read messages from a file; running it again is harmless",
        description="Posts a file's messages and processes them. A message that is already there is a duplicate; "
        "a line that cannot be taken is parked: it stays in the file, is listed with its reason, and the rest goes on.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the messages")
    parser.add_argument("--space", metavar="SPACE", required=True, help="the memory to import into")
    parser.add_argument("--format", choices=("auto", "jsonl", "locomo"), default="auto", help="default by its content")
    parser.add_argument("--conversation", metavar="N", type=int, help="only conversation N (from 0) of a locomo file")
    parser.add_argument("--tz", metavar="ZONE", help="zone of times without one, for example Europe/Madrid")
    parser.add_argument(
        "--received-at",
        choices=("sent_at", "now"),
        default="now",
        help="when we learned it: now, or (a backfill) when it was sent; default now",
    )
    parser.add_argument("--progress", action="store_true", help="show progress even when not on a terminal")
    add_url(parser)
    parser.set_defaults(run=run)


def run(options: ImportOptions, world: World) -> int:
    """Import, then print the totals. 2 when nothing of the file could be taken."""
    from ops.importers import BadFileError, open_source
    from ops.settings import load_settings

    try:
        source = open_source(options.file, options.format, options.conversation)
    except BadFileError as error:
        raise CommandError(str(error)) from error
    batch = load_settings(options.store, options.config).import_batch_messages
    account = standing = None
    space = space_key(options, options.space)
    if options.url is not None:
        return _into_service(options.url, space, source, batch, options, world)
    with opened(world, options, writer=True) as system, Interrupt() as interrupt:
        totals = _feed(system, space, source, batch, options, world, interrupt)
        if not interrupt.asked:
            system.flush(space)
            while not interrupt.asked and system.settle():
                pass
            account = system.account(space)
            standing = system.questions_of(space)
    _report(totals, account, options, world)
    if standing is not None and any(standing.open.values()) and not options.json:
        world.say(f"{options.space}: {open_line(standing)}")
    return _code(totals, source, interrupt, world)


def _into_service(
    url: str, space: SpaceKey, source: SourceFile, batch: int, options: ImportOptions, world: World
) -> int:
    """The same into a running service, which processes by itself."""
    account = None
    with remote(url, options.tenant) as service, Interrupt() as interrupt:
        totals = _feed(service, space, source, batch, options, world, interrupt)
        if not interrupt.asked:
            service.flush(space)
            account = service.account(space)
    _report(totals, account, options, world)
    return _code(totals, source, interrupt, world)


def _code(totals: Totals, source: SourceFile, interrupt: Interrupt, world: World) -> int:
    if interrupt.asked:
        world.note(
            f"interrupted: {totals.done} of {source.total} are safe. "
            "Run the same command again to go on; what is already there is skipped."
        )
        return INTERRUPTED
    return BAD_INPUT if totals.parked and totals.parked == totals.done else OK


def _feed(
    system: Fed,
    space: SpaceKey,
    source: SourceFile,
    batch: int,
    options: ImportOptions,
    world: World,
    interrupt: Interrupt,
) -> Totals:
    """The totals at the end, or after the batch during which the user asked to stop."""
    from tqdm import tqdm

    from .feed import Totals, feed

    totals = Totals()
    hidden = not (options.progress or world.err.isatty())
    with tqdm(total=source.total, unit=" messages", file=world.err, disable=hidden) as bar:
        for after in feed(system, space, source, batch=batch, received_at=options.received_at, tz=options.tz):
            bar.update(after.done - totals.done)
            totals = after
            if interrupt.asked:
                break
    return totals


def _report(totals: Totals, account: MessageAccount | None, options: ImportOptions, world: World) -> None:
    """The totals, the first parked lines with their reasons, and where the space's messages are now."""
    if options.json:
        world.say_json(totals)
        return
    world.say(f"accepted {totals.accepted}, duplicate {totals.duplicate}, parked {totals.parked}")
    for parked in totals.reasons:
        name = "" if parked.message_id is None else f" (message {parked.message_id})"
        world.say(f"  parked {parked.where}{name}: {parked.reason}")
    if totals.parked > len(totals.reasons):
        world.say(f"  ... and {totals.parked - len(totals.reasons)} more")
    if account is not None:
        from .show import account_line

        world.say(f"{options.space}: {account_line(account)}")
