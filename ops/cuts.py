"""Cuts of the view in memory, kept until their space changes. One for every view that is served."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from ops.heap import keep as keep_in_heap
from schemas.ids import SpaceKey
from views.held import space_prefix
from views.maintain import Maintainer
from views.snapshot import Snapshot, next_snapshot, read_space

CUTS_KEPT = 64
"""Cuts in memory; one of a space of 700 messages and 500 events takes about 3 MB."""


class _Key(NamedTuple):
    """Of what a cut is: what was known at a transaction time (microseconds UTC), or None: all that is known."""

    space: SpaceKey
    known_at: int | None


class Cuts:
    """The last used cuts. Not thread-safe: whoever maintains the view holds its lock.

    Args:
        maintainer: the view.
    """

    def __init__(self, maintainer: Maintainer) -> None:
        self._maintainer = maintainer
        self._kept: OrderedDict[_Key, tuple[int, Snapshot]] = OrderedDict()

    def current(self, space: SpaceKey) -> Snapshot:
        """The space as it is stored now: the cut kept before with what changed since, or else read anew."""
        maintainer, key = self._maintainer, _Key(space, None)
        version = maintainer.version(space)
        kept = self.get(space, None, version)
        if kept is not None:
            return kept
        former, touched = self._kept.get(key), maintainer.touched(space)
        if former is None or touched is None:
            made = read_space(maintainer, space)
            keep_in_heap()
        else:
            made = next_snapshot(former[1], maintainer, space, touched)
        maintainer.journal.watch(space_prefix(space))
        return self.keep(space, None, version, made)

    def get(self, space: SpaceKey, known_at: int | None, version: int) -> Snapshot | None:
        """A cut made before, when the space has not changed since (``Maintainer.version``)."""
        key = _Key(space, known_at)
        kept = self._kept.get(key)
        if kept is None or kept[0] != version:
            return None
        self._kept.move_to_end(key)
        return kept[1]

    def keep(self, space: SpaceKey, known_at: int | None, version: int, made: Snapshot) -> Snapshot:
        """Remember a cut, in place of one of an older version; returns it."""
        key = _Key(space, known_at)
        self._kept[key] = (version, made)
        self._kept.move_to_end(key)
        if len(self._kept) > CUTS_KEPT:
            self._unwatch(self._kept.popitem(last=False)[0])
        return made

    def clear(self) -> None:
        """Forget all."""
        for key in self._kept:
            self._unwatch(key)
        self._kept.clear()

    def _unwatch(self, key: _Key) -> None:
        if key.known_at is None:
            self._maintainer.journal.unwatch(space_prefix(key.space))
