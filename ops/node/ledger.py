"""The records of one space on the broker, read and appended: what rulings, proofs and looks at the past need.

Reading costs the size of the space's partition of a topic. What was read is kept for the next question.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager

from schemas.codec import BadRecordError
from schemas.entry import Entry
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.parking import decoded
from schemas.topics import TopicName
from schemas.transport import space_key
from views.outgoing import Place
from views.source import Source

from .loop import BrokerLoop
from .reading import read_ends, read_space
from .replica import Replica
from .writing import Item, Outlet

READ_S = 120.0
"""Longest reading of a space's records: some millions of a partition."""

KEPT = 32
"""Answers in memory, each all records of a space in some topics."""

SEEN_S = 5.0
"""How long the replica may take to apply what the broker holds."""


class Ledger:
    """Thread-safe."""

    def __init__(self, loop: BrokerLoop, source: Source, outlet: Outlet, replica: Callable[[], Replica]) -> None:
        self._loop = loop
        self._source = source
        self._outlet = outlet
        self._replica = replica
        self._kept: OrderedDict[tuple[SpaceKey, tuple[Place, ...]], list[Fetched]] = OrderedDict()
        self._lock = threading.Lock()

    def catch_up(self, space: SpaceKey, topic: TopicName) -> int:
        """Wait until the replica has applied what the space's partition of a topic holds now; returns its end.

        Raises:
            AwayError: the broker does not answer.
        """
        place = (topic, self._replica().partition(space))
        end = self._loop.call(read_ends(self._source, [place]))[place]
        self.wait_applied(space, topic, end)
        return end

    def wait_applied(self, space: SpaceKey, topic: TopicName, end: int) -> bool:
        """Until the replica has applied a topic up to there; False when that takes too long."""
        replica = self._replica()
        partition = replica.partition(space)
        return replica.wait(lambda: replica.maintainer.position(topic, partition) >= end, SEEN_S)

    def read_space(self, topic: TopicName, space: SpaceKey) -> list[Fetched]:
        """The records of the space in a topic that the replica has applied."""
        replica = self._replica()
        end = replica.positions().get((topic, replica.partition(space)), 0)
        return self.read(space, {topic: end})

    def read(self, space: SpaceKey, ends: Mapping[TopicName, int]) -> list[Fetched]:
        """The records of the space below the offsets, by topic.

        Raises:
            AwayError: the broker does not answer.
        """
        key = (space, tuple(ends.items()))
        with self._lock:
            kept = self._kept.get(key)
        if kept is None:
            partition = self._replica().partition(space)
            kept = self._loop.call(read_space(self._source, space, partition, ends), READ_S)
            with self._lock:
                self._kept[key] = kept
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return kept

    def entries(self, replica: Replica, space: SpaceKey, ends: Mapping[TopicName, int]) -> Iterator[Entry]:
        """What a replica was folded from."""
        for raw in self.read(space, ends):
            try:
                entry = decoded(raw)
            except BadRecordError:
                continue  # parked when it was folded
            if not replica.maintainer.passes_over(raw):
                yield entry

    @contextmanager
    def batch(self) -> Generator[Appended]:
        """Collects records of one space and topic; on leaving they are in the log.

        Raises:
            AwayError: the broker did not acknowledge them.
        """
        batch = Appended()
        yield batch
        for (topic, space), items in batch.items.items():
            end = self._outlet.write(topic, self._replica().partition(space), items)
            self.wait_applied(space, topic, end)


class Appended:
    """Records to be written."""

    def __init__(self) -> None:
        self.items: dict[tuple[TopicName, SpaceKey], list[Item]] = {}

    def append(self, topic: TopicName, space: SpaceKey, value: bytes, now: int) -> int:
        """One more; ``now`` is the broker's to say, and the offset too."""
        items = self.items.setdefault((topic, space), [])
        items.append((space_key(space), value))
        return len(items) - 1
