"""Passes over a node's own search index that write its files anew, without the points that were deleted."""

from __future__ import annotations

from schemas.ids import SpaceKey


class Passes:
    """Who asks for one, and which are over. Every call under the replica's lock."""

    def __init__(self) -> None:
        self._begun = self._over = 0
        self._asked: dict[SpaceKey, int] = {}
        self._after = 0

    def over(self, space: SpaceKey, sequence: int) -> bool:
        """Whether a pass is over that began after the first call for the space, with all marks below ``sequence`` done.

        One that is over is told once.
        """
        if space not in self._asked:
            self._after = sequence
        need = self._asked.setdefault(space, self._begun + 1)
        if self._over < need:
            return False
        del self._asked[space]
        return True

    def is_due(self, indexed_below: int) -> bool:
        """Whether one shall begin: it is asked for, and the points are deleted."""
        return indexed_below >= self._after and any(need > self._begun for need in self._asked.values())

    def begin(self) -> None:
        """One begins."""
        self._begun += 1

    def end(self) -> None:
        """It is over."""
        self._over = self._begun
