"""The deltas of a space as readers of the stream get them: those the view process wrote to the broker."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from query.api import DeltaPage, Told
from query.told import told
from schemas.codec import decode
from schemas.deltas import EdgeChanged, EventChanged
from schemas.ids import SpaceKey
from schemas.transport import broker_topic, space_key
from views.source import Source

from .loop import BrokerLoop
from .reading import ASK_S, AwayError, open_consumer
from .replica import Replica

LOOK_S = 0.25
"""How often the ends of ``deltas`` are looked at while somebody listens."""

LISTENED_S = 30.0
"""Nobody has asked for so long: nobody listens."""

PAGE_S = 30.0
"""Longest reading of one page."""


class Telling:
    """Thread-safe. What an event says is looked up in the replica, where it may be older or newer than the delta."""

    def __init__(self, loop: BrokerLoop, source: Source, replica: Callable[[], Replica]) -> None:
        self._loop = loop
        self._source = source
        self._topic = broker_topic(source.prefix, "deltas")
        self._replica = replica
        self._ends: dict[int, int] = {}
        self._asked = 0.0
        self._looking = False
        self._lock = threading.Lock()

    def end(self, space: SpaceKey) -> int:
        """The position the next delta will have at least, as of a moment ago.

        Raises:
            AwayError: the broker has not said yet.
        """
        replica = self._replica()
        partition = replica.partition(space)
        with self._lock:
            self._asked = time.monotonic()
            begins, self._looking = not self._looking, True
        if begins:
            try:
                self._loop.call(self._look(replica.partitions), ASK_S)
            except TimeoutError as error:
                self._looking = False
                raise AwayError("the broker does not say where deltas end") from error
            self._loop.spawn(self._keep_looking(replica.partitions))
        return self._ends.get(partition, 0)

    async def _look(self, partitions: int) -> None:
        async with open_consumer(self._source) as consumer:
            await self._read_ends(consumer, partitions)

    async def _read_ends(self, consumer: AIOKafkaConsumer, partitions: int) -> None:
        places = [TopicPartition(self._topic, p) for p in range(partitions)]
        for place, end in (await consumer.end_offsets(places)).items():
            self._ends[place.partition] = end

    async def _keep_looking(self, partitions: int) -> None:
        """Until nobody listens, or the broker is away; whoever asks next begins again."""
        try:
            async with open_consumer(self._source) as consumer:
                while time.monotonic() < self._asked + LISTENED_S:
                    await asyncio.sleep(LOOK_S)
                    await self._read_ends(consumer, partitions)
        except (AwayError, KafkaError):
            pass
        finally:
            self._looking = False

    def page(self, space: SpaceKey, following: int, limit: int) -> DeltaPage:
        """Deltas from a position on.

        Raises:
            AwayError: the broker does not answer.
        """
        end = self.end(space)
        if following >= end:
            return DeltaPage(entries=(), following=following)
        place = TopicPartition(self._topic, self._replica().partition(space))
        read = self._loop.call(self._read(place, space_key(space) + b"/", following, end, limit), PAGE_S)
        replica = self._replica()
        names, entries = replica.canonical(space), list[Told]()
        for offset, value in read:
            delta = decode("deltas", value)
            assert isinstance(delta, EventChanged | EdgeChanged), "what deltas holds"
            entries.append(told(offset, delta, lambda event_id: replica.said(space, event_id), names))
        full = len(read) == limit
        return DeltaPage(entries=tuple(entries), following=read[-1][0] + 1 if full else end)

    async def _read(
        self, place: TopicPartition, prefix: bytes, following: int, end: int, limit: int
    ) -> list[tuple[int, bytes]]:
        """Offset and value of a space's deltas; compaction leaves gaps."""
        found: list[tuple[int, bytes]] = []
        async with open_consumer(self._source) as consumer:
            consumer.assign([place])
            consumer.seek(place, following)
            while len(found) < limit and await consumer.position(place) < end:
                for record in (await consumer.getmany(place, timeout_ms=500)).get(place, ()):
                    if record.key is not None and record.key.startswith(prefix) and record.offset < end:
                        found.append((record.offset, record.value or b""))
        return found[:limit]
