"""How recent the view is: when the newest message it has applied had been taken in."""

from __future__ import annotations

from collections import defaultdict, deque

KEPT = 100_000
"""Messages of a partition that wait to be applied. Of more, the oldest are forgotten: a newer one will be told."""


class Reached:
    """Remembers when messages came, until they are applied: that takes the events and edges made of them."""

    def __init__(self, kept: int = KEPT) -> None:
        self._waiting: defaultdict[int, deque[tuple[int, int]]] = defaultdict(lambda: deque(maxlen=kept))

    def read(self, partition: int, offset: int, time_us: int) -> None:
        """A message was read; offsets of a partition grow. ``time_us``: when the log took it, microseconds UTC."""
        self._waiting[partition].append((offset, time_us))

    def applied(self, partition: int, below: int) -> int | None:
        """All messages below the offset are applied: when the newest of them came. None when none of them is new."""
        waiting, newest = self._waiting[partition], None
        while waiting and waiting[0][0] < below:
            newest = waiting.popleft()[1]
        return newest
