"""Which generation a query node serves: one is swapped for another while questions to the former go on."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from .generation import Generation


class Serving:
    """Thread-safe."""

    def __init__(self, first: Generation) -> None:
        self._current = first
        self._swapping = threading.Lock()

    @property
    def current(self) -> Generation:
        """What is served now; it may be swapped any time."""
        return self._current

    @contextmanager
    def held(self) -> Generator[Generation]:
        """The generation of this moment, kept open inside the block."""
        with self._swapping:
            generation = self._current
            generation.enter()
        try:
            yield generation
        finally:
            generation.leave()

    def swap(self, successor: Generation) -> Generation:
        """Serve another from now on; returns the former one, to be closed."""
        with self._swapping:
            former, self._current = self._current, successor
        return former
