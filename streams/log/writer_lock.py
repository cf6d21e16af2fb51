"""Who may write to a directory: one process at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from .errors import BadStoreError, StoreInUseError


class WriterLock:
    """An advisory lock on a file beside the database; the system drops it when the process dies."""

    def __init__(self, directory: Path) -> None:
        self._fd = os.open(directory / "WRITER", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            raise StoreInUseError(
                f"another process writes to {directory}: stop it, or choose another directory with --store"
            ) from error

    def release(self) -> None:
        os.close(self._fd)


def lock(directory: Path) -> WriterLock:
    """The lock of a directory, which is made where there is none."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return WriterLock(directory)
    except OSError as error:
        raise BadStoreError(f"{directory} cannot be written: {error.strerror}") from error
