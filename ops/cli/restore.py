"""``restore DIR``: a backup as a store in ``--store``, after checking every byte of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from .arguments import Subcommands
from .world import OK, Options, World


class RestoreOptions(Options):
    """Options of ``restore``."""

    directory: Path
    log_only: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "restore",
        parents=[shared],
        help="make a store of a backup",
        description="The store (--store) must not be there yet, or be empty. A damaged backup, or one of another "
        "format, is refused, and nothing is left of it. What was erased after the backup was made comes back: erase "
        "again.",
    )
    parser.add_argument("directory", metavar="DIR", type=Path, help="made by backup")
    parser.add_argument("--log-only", action="store_true", help="leave the view out; run rebuild afterwards")
    parser.set_defaults(run=run)


def run(options: RestoreOptions, world: World) -> int:
    """Restore and say what is there now."""
    from ops.backup.restore import restore_backup

    manifest = restore_backup(options.directory, options.store, log_only=options.log_only)
    if options.json:
        world.say_json(manifest)
        return OK
    world.say(f"restored {sum(manifest.ends.values())} records of {manifest.made_at} to {options.store}")
    if options.log_only:
        world.say(f"  without its view: run ./stilltrue rebuild --store {options.store}")
    world.say("  the vector index is made anew by import, serve, or rebuild --vectors; until then ask has none")
    world.say(f"  ./stilltrue verify SPACE --store {options.store} compares a space with its definition")
    return OK
