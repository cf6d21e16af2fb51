"""Copies of spaces in memory: the last used ones, so many events in all."""

from __future__ import annotations

from collections import OrderedDict

from schemas.ids import SpaceKey

from .space import Space

EVENTS_KEPT = 32_000
"""About 4 KB an event: some 130 MB. Counted in events, since a worker may have thousands of small spaces at once."""

SPACE_EVENTS = 8
"""What a space costs beside its events, in events: so empty ones are not kept for ever either."""


class Copies:
    """Of one stage instance.

    Args:
        events: how many are kept; the last used space always is.
    """

    def __init__(self, events: int = EVENTS_KEPT) -> None:
        self._most = events
        self._kept: OrderedDict[SpaceKey, tuple[str, Space, int]] = OrderedDict()
        self._events = 0

    def take(self, key: SpaceKey, token: str) -> Space | None:
        """The copy of exactly this state, if there is one; it is not kept any more while a step works on it."""
        held = self._kept.pop(key, None)
        if held is None:
            return None
        self._events -= held[2]
        return held[1] if held[0] == token else None

    def keep(self, key: SpaceKey, token: str, space: Space) -> None:
        """Remember a space that was taken, or read, as one of this state."""
        size = SPACE_EVENTS + len(space.pool.rows)
        self._kept[key] = (token, space, size)
        self._events += size
        while self._events > self._most and len(self._kept) > 1:
            self._events -= self._kept.popitem(last=False)[1][2]
