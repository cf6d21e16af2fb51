"""The generations of a node's view in its store: which one is served, which one shall follow it.

``CURRENT`` names the directory that is served, ``NEXT`` one that is complete and shall be served from now on. Both are
replaced in one step, so that a crash leaves the one or the other. A node holds ``SERVING``, a rebuild ``BUILDING``.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from streams.log.errors import BadStoreError, StoreInUseError

FIRST = "g1"


class Generations:
    """Those of one store."""

    def __init__(self, store: Path) -> None:
        self._root = store / "node"
        try:
            self._root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadStoreError(f"{self._root} cannot be made: {error.strerror}") from error

    @property
    def current(self) -> Path:
        """What is served; the first one where nothing ever was."""
        return self._root / (self._read("CURRENT") or FIRST)

    @property
    def proposed(self) -> Path | None:
        """What shall be served next."""
        name = self._read("NEXT")
        return None if name is None else self._root / name

    def fresh(self) -> Path:
        """A directory for another generation; what earlier rebuilds left behind is removed. Hold ``building``."""
        kept = {self.current, self.proposed}
        for found in self._root.glob("g*"):
            if found not in kept:
                shutil.rmtree(found)
        numbers = [int(found.name[1:]) for found in self._root.glob("g*")]
        return self._root / f"g{max([0, *numbers]) + 1}"

    def propose(self, generation: Path) -> None:
        """Complete: whoever serves shall take it."""
        self._write("NEXT", generation.name)

    def switch(self, generation: Path) -> None:
        """It is what is served, from the next start on too; the former one is removed by ``remove``."""
        self._write("CURRENT", generation.name)
        (self._root / "NEXT").unlink(missing_ok=True)

    @staticmethod
    def remove(generation: Path) -> None:
        """Nobody has it open any more."""
        shutil.rmtree(generation, ignore_errors=True)

    @contextmanager
    def serving(self) -> Generator[None]:
        """Only one node serves from a store. Raises ``StoreInUseError``."""
        with self._locked("SERVING", "another node serves"):
            yield

    @contextmanager
    def building(self) -> Generator[None]:
        """Only one rebuild at a time. Raises ``StoreInUseError``."""
        with self._locked("BUILDING", "another rebuild is under way"):
            yield

    @contextmanager
    def _locked(self, name: str, who: str) -> Generator[None]:
        lock = os.open(self._root / name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise StoreInUseError(f"{who} from {self._root}: stop it, or choose another --store") from error
        try:
            yield
        finally:
            os.close(lock)

    def _read(self, name: str) -> str | None:
        try:
            return (self._root / name).read_text("utf-8").strip() or None
        except FileNotFoundError:
            return None

    def _write(self, name: str, value: str) -> None:
        scratch = self._root / f"{name}.new"
        with scratch.open("w", encoding="utf-8") as file:
            file.write(value)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(self._root / name)
