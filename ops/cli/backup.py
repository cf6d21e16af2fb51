"""``backup DIR``: log and view as of now, also while a service or an import writes to the store."""

from __future__ import annotations

import argparse
from pathlib import Path

from .arguments import Subcommands
from .world import OK, Options, World


class BackupOptions(Options):
    """Options of ``backup``."""

    directory: Path


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "backup",
        parents=[shared],
        help="copy the store to a directory, also while it is written to",
        description="Log, stages and view as of one moment, with a manifest: formats, positions, and a checksum of "
        "every file. The vector index is made anew after a restore. Killed half way, nothing is left that restore "
        "would take.",
    )
    parser.add_argument("directory", metavar="DIR", type=Path, help="not there yet, or empty")
    parser.set_defaults(run=run)


def run(options: BackupOptions, world: World) -> int:
    """Make the backup and say what is in it."""
    from ops.backup.make import make_backup

    manifest = make_backup(options.store, options.directory, now=world.now)
    if options.json:
        world.say_json(manifest)
        return OK
    size = sum(file.bytes for file in manifest.files)
    records = sum(manifest.ends.values())
    world.say(f"backup {options.directory}: {records} records, {len(manifest.files)} files, {size / 1e6:.1f} MB")
    world.say(f"  of {manifest.made_at}; log {manifest.cluster_id}")
    world.say(f"  put it back with: ./stilltrue restore {options.directory} --store NEW")
    return OK
