"""Which events and edges changed lately, and at which transaction time: also in what no read of the past shows.

Kept in memory only, and bounded: it says which records may be put at their own time although they come late (``late``).
What it does not know any more, it says to have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

MOST = 50_000
"""Cells of a generation, some 200 bytes each. There are two; the old one is dropped when the young one is full."""


class _Generation:
    """Changes, and since when they are all there: by space its newest transaction time when it was first looked at."""

    __slots__ = ("edges", "events", "ruled", "spaces")

    def __init__(self) -> None:
        self.events: dict[bytes, int] = {}
        self.edges: dict[bytes, int] = {}
        self.ruled: dict[bytes, int] = {}
        self.spaces: dict[bytes, int] = {}

    def is_full(self) -> bool:
        return len(self.events) + len(self.edges) + len(self.ruled) + len(self.spaces) > MOST


class Moved:
    """Transaction times of the latest changes, by keys of cells."""

    def __init__(self) -> None:
        self._young, self._old = _Generation(), _Generation()

    def event(self, key: bytes, at: int) -> None:
        """An event changes."""
        events = self._young.events
        if events.get(key, -1) < at:
            events[key] = at

    def edge(self, key: bytes, at: int) -> None:
        """An edge changes."""
        edges = self._young.edges
        if edges.get(key, -1) < at:
            edges[key] = at

    def ruled(self, prefix: bytes, at: int) -> None:
        """An analyst rules in a space, or takes a ruling back: what it concerned in between may not be known now."""
        spaces = self._young.ruled
        if spaces.get(prefix, -1) < at:
            spaces[prefix] = at

    def watch(self, prefix: bytes, newest: int) -> None:
        """Records of a space follow, which has come to this transaction time: every change from here on is noted."""
        self._young.spaces.setdefault(prefix, newest)

    def age(self) -> None:
        """Forget what is old, where there is too much."""
        if self._young.is_full():
            self._old, self._young = self._young, _Generation()

    def none_since(self, prefix: bytes, at: int, events: Iterable[bytes], edges: Iterable[bytes]) -> bool:
        """Whether it is known that after a transaction time no cell of these changed, and nobody ruled in the space."""
        young, old = self._young, self._old
        known_from = old.spaces.get(prefix, young.spaces.get(prefix))
        if known_from is None or known_from > at or not _none(young.ruled, old.ruled, at, (prefix,)):
            return False
        return _none(young.events, old.events, at, events) and _none(young.edges, old.edges, at, edges)


def _none(young: Mapping[bytes, int], old: Mapping[bytes, int], at: int, keys: Iterable[bytes]) -> bool:
    """Whether none of them has a later time."""
    return all(young.get(key, at) <= at and old.get(key, at) <= at for key in keys)
