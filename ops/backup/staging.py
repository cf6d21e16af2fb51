"""A directory that appears as a whole or not at all: made beside its place, forced to the disk, then renamed."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from streams.log.errors import StoreError

_SUFFIX = ".part"


class TargetError(StoreError):
    """The directory cannot be made: something is there already, or cannot be written. Nothing was changed."""


@contextmanager
def staged(target: Path) -> Generator[Path]:
    """A directory to fill; it takes the target's place when the block ends well, and is removed when it does not.

    What a killed run left is removed by the next one for the same target.

    Raises:
        TargetError: the target holds something, another process is making it, or it cannot be written.
    """
    target = target.absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise TargetError(f"{target} is not empty: name a directory that is not there yet, or an empty one")
    part = target.with_name(f".{target.name}{_SUFFIX}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(part.with_name(part.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise TargetError(f"{target} cannot be written: {error.strerror}") from error
    try:
        yield from _filled(target, part, lock)
    finally:
        os.close(lock)


def _filled(target: Path, part: Path, lock: int) -> Generator[Path]:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise TargetError(f"another process is making {target}") from error
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        yield part
        for place in sorted(part.rglob("*"), reverse=True):
            _to_disk(place)
        _to_disk(part)
        part.rename(target)
        _to_disk(target.parent)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        part.with_name(part.name + ".lock").unlink(missing_ok=True)


def _to_disk(place: Path) -> None:
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
