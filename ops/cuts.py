"""Cuts of the view in memory, kept until their space changes. One for every view that is served."""

from __future__ import annotations

from collections import OrderedDict

from schemas.ids import SpaceKey
from views.snapshot import Snapshot

CUTS_KEPT = 64
"""Cuts in memory; one of a space of 700 messages and 500 events takes about 3 MB."""


class Cuts:
    """The last used cuts, by space and transaction time (microseconds UTC; None: all that is known).

    Not thread-safe: whoever maintains the view holds its lock.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[SpaceKey, int | None], tuple[int, Snapshot]] = OrderedDict()

    def get(self, space: SpaceKey, known_at: int | None, version: int) -> Snapshot | None:
        """A cut made before, when the space has not changed since (``Maintainer.version``)."""
        key = (space, known_at)
        kept = self._kept.get(key)
        if kept is None or kept[0] != version:
            return None
        self._kept.move_to_end(key)
        return kept[1]

    def keep(self, space: SpaceKey, known_at: int | None, version: int, made: Snapshot) -> Snapshot:
        """Remember a cut, in place of one of an older version; returns it."""
        key = (space, known_at)
        self._kept[key] = (version, made)
        self._kept.move_to_end(key)
        if len(self._kept) > CUTS_KEPT:
            self._kept.popitem(last=False)
        return made

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
