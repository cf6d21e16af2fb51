"""What waits for a runner: records that came in order are kept, within limits; of all others only that they exist.

Never blocks whoever brings records. What was not kept is read from the broker when its turn comes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence

from schemas.fetched import Fetched
from schemas.topics import TopicName

KEPT_BYTES = 8 * 1024 * 1024
"""Of one input: more is read again when it is needed."""

KEPT_RECORDS = 1_000


class Inbox:
    """The inputs of one stage in one partition."""

    def __init__(self, inputs: tuple[TopicName, ...]) -> None:
        self._kept: dict[TopicName, deque[Fetched]] = {topic: deque() for topic in inputs}
        self._bytes = dict.fromkeys(inputs, 0)
        self.ends = dict.fromkeys(inputs, 0)
        self.arrived = asyncio.Event()

    def announce(self, topic: TopicName, end: int) -> None:
        """There are records below this offset."""
        if end > self.ends[topic]:
            self.ends[topic] = end
            self.arrived.set()

    def offer(self, record: Fetched) -> None:
        """A record was read; kept when it follows the last kept one and there is room."""
        kept = self._kept[record.topic]
        follows = not kept or record.offset == kept[-1].offset + 1
        if follows and len(kept) < KEPT_RECORDS and self._bytes[record.topic] < KEPT_BYTES:
            kept.append(record)
            self._bytes[record.topic] += len(record.value)
        self.announce(record.topic, record.offset + 1)

    def take(self, positions: Mapping[TopicName, int], limit: int) -> list[Fetched]:
        """Up to ``limit`` kept records of each input, without a gap from its position on.

        They are gone from here; kept records that are of no use any more are dropped.
        """
        taken: list[Fetched] = []
        for topic, position in positions.items():
            kept, following = self._kept[topic], position
            while kept and following < position + limit:
                if kept[0].offset > following:
                    break
                record = kept.popleft()
                self._bytes[topic] -= len(record.value)
                if record.offset == following:
                    taken.append(record)
                    following += 1
        return taken

    def put_back(self, records: Sequence[Fetched]) -> None:
        """Records that were taken and are still to be folded; nothing else was taken in between."""
        for record in reversed(records):
            self._kept[record.topic].appendleft(record)
            self._bytes[record.topic] += len(record.value)

    def missing(self, positions: Mapping[TopicName, int]) -> tuple[TopicName, int, int] | None:
        """An input with records from its position on that are not kept: (topic, first, end of the gap)."""
        for topic, position in positions.items():
            kept = self._kept[topic]
            end = kept[0].offset if kept and kept[0].offset >= position else self.ends[topic]
            if position < end:
                return topic, position, end
        return None

    def lag(self, positions: Mapping[TopicName, int]) -> int:
        """Records that wait."""
        return sum(max(0, self.ends[topic] - position) for topic, position in positions.items())
