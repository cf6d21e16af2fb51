"""A database written anew into another directory, from a view of it that stands still while its writer goes on.

What RocksDB offers for this, a checkpoint, must be taken by the process that writes: taken from a read-only opening it
silently leaves out the write-ahead log (measured: an empty copy). Reading everything costs more than linking files, and
gives more: every block's checksum is checked on the way, and nothing that was replaced or deleted is in the copy.
"""

from __future__ import annotations

from pathlib import Path

from .database import Change, Database

BATCH_BYTES = 1 << 20
"""Of keys and values in one write."""


def copy_database(source: Database, directory: Path) -> int:
    """Copy every row; returns how many.

    Args:
        source: opened for reading.
        directory: empty or not there; has a database of the same families afterwards, closed and on the disk.

    Raises:
        BadStoreError: a file of the source is damaged, or was removed by its writer meanwhile; try again. Throw the
            directory away.
    """
    target = Database(directory, families=source.families, read_only=False)
    try:
        rows = sum(_copy_family(source, target, family) for family in source.families)
        target.to_files()
    finally:
        target.close()
    return rows


def _copy_family(source: Database, target: Database, family: str) -> int:
    rows = size = 0
    changes: list[Change] = []
    for key, value in source.everything(family):
        changes.append((family, key, value))
        rows += 1
        size += len(key) + len(value)
        if size >= BATCH_BYTES:
            target.write(changes, sync=False)
            changes, size = [], 0
    if changes:
        target.write(changes, sync=False)
    return rows
