"""Makes a backup of a store, also while a service or an import writes to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from ops.pipeline import STAGES_FORMAT
from ops.settings import CONFIG_NAME
from ops.stores import LOG, VIEW, open_stores
from schemas.times import format_time
from streams.log.copying import copy_database
from streams.log.database import Database
from streams.log.errors import BadStoreError
from streams.log.rocks import FAMILIES, FORMAT
from views.origin import VIEW_FORMAT
from views.store import RocksTables
from views.tables import TABLES

from .known import KNOWN, Known, note
from .manifest import BACKUP_FORMAT, MANIFEST, Manifest, applied_of, check_positions, ends_of, sum_of
from .staging import staged

TRIES = 3
"""A writer that compacts may remove a file from under a reader; the next try reads what took its place."""


def make_backup(store: Path, target: Path, *, now: Callable[[], int]) -> Manifest:
    """Copy log and view as of one moment each, the view's first, so that the log is never behind it.

    The vector index is not copied: its engine has no moment at which its files stand still while it is written to. It
    is made anew from the log when a restored store is first written to.

    The backup is remembered in the store before it is begun: an erasure that ends meanwhile must name it.

    Args:
        store: any number of processes may use it.
        target: not there yet, or empty.
        now: microseconds UTC.

    Raises:
        StoreError: no store, one of another format or damaged, or a target that cannot be used. Nothing is left of it.
    """
    at = now()
    with staged(target) as part:
        _check_usable(store)
        note(store, Known(directory=str(target.absolute()), made_at=format_time(at)))
        _copy(store, part)
        for name in (CONFIG_NAME, KNOWN):
            if (store / name).exists():
                shutil.copyfile(store / name, part / name)
        manifest = _described(part, at)
        (part / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2))
    return manifest


def _check_usable(store: Path) -> None:
    """Refuse a store that a reader could not use."""
    log, view = open_stores(store, writer=False)
    log.close()
    view.close()


def _copy(store: Path, part: Path) -> None:
    for folder, families in ((VIEW, TABLES), (LOG, FAMILIES)):
        for left in reversed(range(TRIES)):
            shutil.rmtree(part / folder, ignore_errors=True)
            try:
                with closing(Database(store / folder, families=families, read_only=True)) as source:
                    copy_database(source, part / folder)
            except BadStoreError:
                if not left:
                    raise
                continue
            break


def _described(part: Path, at: int) -> Manifest:
    """Opens the copy as a reader would, so that what is handed over has been opened once."""
    log, view = open_stores(part, writer=False)
    try:
        ends, applied = ends_of(log), applied_of(RocksTables(view), log.partitions)
        cluster_id, partitions = log.cluster_id, log.partitions
    finally:
        view.close()
        log.close()
    check_positions(ends, applied)
    files = tuple(sum_of(part, file) for file in sorted(part.rglob("*")) if file.is_file())
    return Manifest(
        format=BACKUP_FORMAT, made_at=format_time(at), cluster_id=cluster_id, partitions=partitions, log_format=FORMAT,
        stages_format=STAGES_FORMAT, view_format=VIEW_FORMAT, ends=ends, applied=applied, vectors="made anew",
        files=files,
    )  # fmt: skip
