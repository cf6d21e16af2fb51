"""A broker in memory for stage runners, and the moment at which everything stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from streams.worker.broker import Outgoing, Stored


class Killed(BaseException):
    """The process is gone."""


class MemoryBroker:
    """``streams.worker.broker.Broker``. ``kill_at``: the write, counted from 1, at which the process is killed.

    ``killed``: "before" the write has happened, or "after" it, when nobody was told that it has.
    """

    def __init__(self) -> None:
        self.topics: dict[tuple[str, int], list[Stored]] = {}
        self.writes = 0
        self.kill_at: int | None = None
        self.killed: Literal["before", "after"] = "before"

    def log(self, topic: str, partition: int = 0) -> list[Stored]:
        """The records of a partition."""
        return self.topics.setdefault((topic, partition), [])

    def put(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        """Somebody writes."""
        log = self.log(topic, partition)
        log.append(Stored(len(log), key, value, []))
        return len(log) - 1

    async def ranges(self, topics: Sequence[str], partition: int) -> Sequence[tuple[int, int]]:
        """See ``Broker``."""
        return [(0, len(self.log(topic, partition))) for topic in topics]

    async def read(self, topic: str, partition: int, first: int, end: int, limit: int) -> Sequence[Stored]:
        """See ``Broker``."""
        return self.log(topic, partition)[first : min(end, first + limit)]

    async def append(self, topic: str, partition: int, value: bytes) -> int:
        """See ``Broker``."""
        self._maybe_die("before")
        offset = self.put(topic, partition, None, value)
        self._maybe_die("after")
        return offset

    async def write(self, topic: str, partition: int, records: Sequence[Outgoing]) -> None:
        """See ``Broker``."""
        self._maybe_die("before")
        log = self.log(topic, partition)
        log += [Stored(len(log) + n, out.key, out.value, out.headers) for n, out in enumerate(records)]
        self._maybe_die("after")

    def _maybe_die(self, when: Literal["before", "after"]) -> None:
        self.writes += when == "before"
        if self.writes == self.kill_at and when == self.killed:
            raise Killed
