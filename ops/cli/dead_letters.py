"""``dead-letters list|redrive``: what the stages could not use, and reading it again after a fix."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .arguments import Subcommands
from .brokers import add_prefix, broker_errors, run_async
from .world import NEGATIVE, OK, CommandError, Options, World, space_key

if TYPE_CHECKING:
    from ops.deadletters.letters import Listed, Wanted
    from ops.deadletters.redrive import Letters


class DeadLetterOptions(Options):
    """Options of both actions."""

    bootstrap: str | None
    prefix: str
    space: str | None
    stage: str | None
    topic: str | None


class ListOptions(DeadLetterOptions):
    """Options of ``dead-letters list``."""

    show: str | None
    bytes: Path | None


class RedriveOptions(DeadLetterOptions):
    """Options of ``dead-letters redrive``."""

    ids: list[str]
    all: bool
    again: bool
    dry_run: bool
    repaired: Path | None


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("dead-letters", parents=[shared], help="list what was parked, or read it again")
    actions = Subcommands(parser, "ACTION")
    listing = actions.add_parser("list", parents=[shared], help="one line for each parked record")
    listing.add_argument("space", metavar="SPACE", nargs="?", help="only those of this space; default every tenant's")
    _add_choice(listing)
    listing.add_argument("--show", metavar="ID", help="one of them in full: its id or its number in this list")
    listing.add_argument("--bytes", metavar="FILE", type=Path, help="with --show: write the untouched bytes there")
    _add_place(listing)
    listing.set_defaults(run=run_list)
    again = actions.add_parser("redrive", parents=[shared], help="append parked records to their topics again")
    again.add_argument("ids", metavar="ID", nargs="*", help="as list shows them, with or without the stage")
    again.add_argument("--space", metavar="SPACE", help="only those of this space")
    _add_choice(again)
    again.add_argument("--all", action="store_true", help="every one that was not re-driven yet")
    again.add_argument("--again", action="store_true", help="also those that were")
    again.add_argument("--dry-run", action="store_true", help="only say what would be done")
    again.add_argument(
        "--from", dest="repaired", metavar="FILE", type=Path,
        help="the repaired record of one ID, as MessagePack or JSON, in place of its bytes",
    )  # fmt: skip
    _add_place(again)
    again.set_defaults(run=run_redrive)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stage", metavar="NAME", help="only what this stage parked")
    parser.add_argument("--topic", metavar="NAME", help="only records of this topic")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bootstrap", metavar="HOST:PORT", help="a broker of the cluster; default none: the log in --store"
    )
    add_prefix(parser)


def run_list(options: ListOptions, world: World) -> int:
    """Print them, or one of them."""
    if options.bytes is not None and options.show is None:
        raise CommandError("--bytes: which one? name it with --show")
    return _run(options, _list(options, world))


def run_redrive(options: RedriveOptions, world: World) -> int:
    """Append them again; 1 when one could not be, or was parked again at once."""
    if not (options.ids or options.stage or options.topic or options.space or options.all):
        raise CommandError("which ones? name them, or give --stage, --topic, --space or --all")
    return _run(options, _redrive(options, world))


def _run(options: DeadLetterOptions, work: Coroutine[Any, Any, int]) -> int:
    if options.bootstrap is None:
        return run_async(work)
    with broker_errors(options.bootstrap):
        return run_async(work)


@asynccontextmanager
async def _letters(options: DeadLetterOptions, *, writer: bool) -> AsyncGenerator[Letters]:
    """Of the broker, or of the log in the store: beside a running writer when it is only to be read."""
    if options.bootstrap is not None:
        from ops.deadletters.broker import broker_letters

        async with broker_letters(options.bootstrap, options.prefix) as letters:
            yield letters
        return
    from ops.deadletters.local import LocalLetters
    from streams.log.rocks import RocksLog

    log = RocksLog(options.store / "log", read_only=not writer)
    try:
        yield LocalLetters(log)
    finally:
        log.close()


def _wanted(options: DeadLetterOptions, ids: Sequence[str] = ()) -> Wanted:
    from ops.deadletters.letters import Wanted

    space = None if options.space is None else space_key(options, options.space)
    return Wanted(ids=frozenset(ids), space=space, stage=options.stage, topic=options.topic)


async def _list(options: ListOptions, world: World) -> int:
    from ops.deadletters.redrive import listed_in

    from .letter_lines import letter_line, letter_rows, print_letter

    wanted = _wanted(options)
    async with _letters(options, writer=False) as letters:
        listed = [one for one in await listed_in(letters) if wanted.fits(one)]
        if options.show is not None:
            one = _named(listed, options.show)
            print_letter(world, options, one, await letters.fetch(one.lies_at))
            return OK
    if options.json:
        world.say_json({"letters": [letter_rows(one) for one in listed]})
        return OK
    for number, one in enumerate(listed, start=1):
        world.say(f"{number:>4}  {letter_line(one, options.zone)}")
    open_ = sum(not one.redriven for one in listed)
    world.say(f"{len(listed)} parked, of which {len(listed) - open_} were re-driven since")
    return OK


def _named(listed: Sequence[Listed], name: str) -> Listed:
    """The one of this id, with or without the stage, or number."""
    if name.isdecimal() and 1 <= int(name) <= len(listed):
        return listed[int(name) - 1]
    found = [one for one in listed if name in {one.id, one.id.partition(":")[2]}]
    if not found:
        raise CommandError(f"--show: no such letter: {name!r}")
    return found[0]


async def _redrive(options: RedriveOptions, world: World) -> int:
    from ops.deadletters.redrive import CannotRedriveError, choose, listed_in

    from .letter_lines import Redriven, told

    repaired = None if options.repaired is None else _read(options.repaired)
    wanted = _wanted(options, options.ids)
    outcome = Redriven()
    async with _letters(options, writer=not options.dry_run) as letters:
        listed = await listed_in(letters)
        fitting = [one for one in listed if wanted.fits(one)]
        named = {name for one in fitting for name in (one.id, one.id.partition(":")[2])}
        if missing := sorted(set(options.ids) - named):
            raise CommandError(f"no such letter: {missing[0]!r}")
        chosen, outcome.left = choose(listed, fitting, again=options.again)
        if repaired is not None and len(chosen) != 1:
            raise CommandError("--from: give it with the ID of one record that was not re-driven yet")
        for one in chosen:
            if options.dry_run:
                outcome.would.append(one)
                continue
            try:
                outcome.notes += await letters.redrive(one, repaired, world.now())
            except CannotRedriveError as error:
                outcome.failed.append((one.place, str(error)))
    if outcome.notes and options.bootstrap is None:
        outcome.parked_again = await _process(options, world, listed)
    told(world, outcome, as_json=options.json, here=options.bootstrap is None)
    return NEGATIVE if outcome.failed or outcome.parked_again else OK


async def _process(options: RedriveOptions, world: World, before: Sequence[Listed]) -> Sequence[Listed]:
    """Let the stages read what was appended; the letters that are new."""
    from ops.deadletters.redrive import listed_in

    from .world import opened

    with opened(world, options, writer=True) as system:
        system.flush()
    known = {one.id for one in before}
    async with _letters(options, writer=False) as letters:
        return [one for one in await listed_in(letters) if one.id not in known]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"--from: {path}: {error.strerror}") from error
