"""The order in which records of several topics are folded: that in which the log took them, as far as it can be known.

A view that reads one topic far ahead of another learns what happened in another order than it did, and its history then
has holes where the live view's has none. So records of one partition number, where the records of a space are, are
handed out by the log's own times; of equal ones in the order of the topics, and each topic's by offset. What is still
on its way is waited for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Generic, Protocol, TypeVar


class Timed(Protocol):
    """A record of a log: where it is, and when the log took it."""

    @property
    def offset(self) -> int: ...
    @property
    def timestamp(self) -> int: ...


R = TypeVar("R", bound=Timed)
P = TypeVar("P")


def in_log_order(found: Iterable[Sequence[R]]) -> list[R]:
    """Records of one partition number, merged; each sequence is one topic's, and stays in its order."""
    queues = [deque(records) for records in found if records]
    heap = [(queue[0].timestamp, at) for at, queue in enumerate(queues)]
    heapify(heap)
    merged: list[R] = []
    while heap:
        _, at = heap[0]
        queue = queues[at]
        merged.append(queue.popleft())
        if queue:
            heapreplace(heap, (queue[0].timestamp, at))
        else:
            heappop(heap)
    return merged


class Merging(Generic[P, R]):
    """Records that were fetched and not yet handed out.

    Args:
        groups: places whose records are merged, in the order that decides between equal times.
    """

    def __init__(self, groups: Sequence[Sequence[P]]) -> None:
        self._groups = [list(group) for group in groups]
        self._waiting: dict[P, deque[R]] = {place: deque() for group in groups for place in group}

    def give(self, found: Mapping[P, Sequence[R]]) -> None:
        """Take in what was fetched; each place's in order."""
        for place, records in found.items():
            self._waiting[place].extend(records)

    def held(self, place: P) -> int:
        """How many records of a place wait."""
        return len(self._waiting[place])

    def take(self, most: int, is_at_end: Callable[[P, R | None], bool]) -> dict[P, list[R]]:
        """The next records, by place; empty while one is missing that may come before those that are there.

        Args:
            most: how many. Groups are served in turns.
            is_at_end: whether a place has nothing more to come just now, after its last record that was handed out
                here; None where none was.
        """
        taken: dict[P, list[R]] = {}
        left = most
        for group in self._groups:
            left -= self._take(group, left, is_at_end, taken)
        self._groups.append(self._groups.pop(0))
        return taken

    def _take(
        self, group: Sequence[P], most: int, is_at_end: Callable[[P, R | None], bool], taken: dict[P, list[R]]
    ) -> int:
        if not any(self._waiting[place] for place in group):
            return 0
        if not all(self._waiting[place] or is_at_end(place, None) for place in group):
            return 0
        heap = [(self._waiting[place][0].timestamp, at) for at, place in enumerate(group) if self._waiting[place]]
        heapify(heap)
        count = 0
        while heap and count < most:
            _, at = heap[0]
            place = group[at]
            queue, record = self._waiting[place], self._waiting[place].popleft()
            taken.setdefault(place, []).append(record)
            count += 1
            if queue:
                heapreplace(heap, (queue[0].timestamp, at))
                continue
            heappop(heap)
            if not is_at_end(place, record):
                break
        return count
