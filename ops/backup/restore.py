"""Puts a backup back as a store, after checking every byte of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from ops.pipeline import STAGES_FORMAT
from ops.stores import LOG, VIEW, open_stores
from streams.log.errors import BadStoreError, NoStoreError
from streams.log.rocks import FORMAT, RocksLog
from views.origin import VIEW_FORMAT
from views.store import RocksTables

from .known import Known, note
from .manifest import BACKUP_FORMAT, MANIFEST, Manifest, applied_of, check_positions, ends_of, sum_of
from .staging import staged


class DamagedBackupError(BadStoreError):
    """A file of the backup is not what it was. Nothing was restored; use another backup."""


def restore_backup(source: Path, store: Path, *, log_only: bool = False) -> Manifest:
    """Make a store of a backup.

    Args:
        source: the backup.
        store: not there yet, or empty.
        log_only: leave the view out; it is made anew by a rebuild.

    Raises:
        StoreError: no finished backup, one of another format, a damaged one, or a store that cannot be made there.
            Nothing was left.
    """
    manifest = read_manifest(source)
    _check_formats(source, manifest, store, log_only=log_only)
    with staged(store) as part:
        for file in manifest.files:
            if log_only and Path(file.path).parts[0] == VIEW:
                continue
            place = part / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            if not (source / file.path).is_file():
                raise DamagedBackupError(f"{source / file.path} is missing: the backup is damaged, use another one")
            shutil.copyfile(source / file.path, place)
            if sum_of(part, place) != file:
                raise DamagedBackupError(
                    f"{source / file.path} is not what it was when the backup was made: the backup is damaged, use "
                    "another one"
                )
        _check_restored(part, manifest, log_only=log_only)
        note(part, Known(directory=str(source.absolute()), made_at=manifest.made_at))
    return manifest


def read_manifest(source: Path) -> Manifest:
    """What the backup says about itself.

    Raises:
        StoreError: there is no finished backup, or none that this release reads.
    """
    try:
        raw = (source / MANIFEST).read_bytes()
    except OSError as error:
        raise NoStoreError(f"{source} is no finished backup: it has no readable {MANIFEST}") from error
    try:
        found = msgspec.json.decode(raw, type=_Formatted)
        if found.format == BACKUP_FORMAT:
            return msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError as error:
        raise DamagedBackupError(f"{source / MANIFEST} cannot be read ({error}): use another backup") from error
    raise BadStoreError(
        f"{source} is a backup of format {found.format}, this release reads format {BACKUP_FORMAT}: restore it with "
        "the release that made it"
    )


class _Formatted(msgspec.Struct, frozen=True, kw_only=True):
    format: int


def _check_formats(source: Path, manifest: Manifest, store: Path, *, log_only: bool) -> None:
    for what, found, ours in (("log", manifest.log_format, FORMAT), ("stages", manifest.stages_format, STAGES_FORMAT)):
        if found != ours:
            raise BadStoreError(
                f"{source}: its {what} has format {found}, this release reads format {ours}: restore it with the "
                "release that made it"
            )
    if manifest.view_format != VIEW_FORMAT and not log_only:
        raise BadStoreError(
            f"{source}: its view has layout {manifest.view_format}, this release reads layout {VIEW_FORMAT}: restore "
            f"with --log-only, then run ./stilltrue rebuild --store {store}"
        )


def _check_restored(part: Path, manifest: Manifest, *, log_only: bool) -> None:
    """Opened as a reader would: the log is the one that was backed up, and the view fits it."""
    applied: dict[str, int] = {}
    if log_only:
        log = RocksLog(part / LOG, read_only=True)
    else:
        log, view = open_stores(part, writer=False)
        applied = applied_of(RocksTables(view), log.partitions)
        view.close()
    ends, cluster_id = ends_of(log), log.cluster_id
    log.close()
    check_positions(ends, applied)
    if (cluster_id, ends) != (manifest.cluster_id, manifest.ends) or (applied != manifest.applied and not log_only):
        raise DamagedBackupError(f"{part}: what was restored is not what {MANIFEST} describes: use another backup")
