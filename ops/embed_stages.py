"""The embed stages of a stage worker: made on one vector index, and what waits in them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ops.embedding import IndexPoints, MeasuredEmbed
from ops.observing import Lag, Observer
from streams.embed.stage import EmbedStage, Indexed

if TYPE_CHECKING:
    from streams.worker.fleet import Fleet
    from views.encoder.protocol import Encoder
    from views.vectors.server import ServerIndex


class EmbedStages:
    """Makes an instance for each partition.

    Args:
        index: shared by all; closed by ``close``.
        encoder: shared by all.
        observer: told what was set.
        say: told when the index goes away and when it is back, from any thread.
    """

    def __init__(self, index: ServerIndex, encoder: Encoder, observer: Observer, say: Callable[[str], None]) -> None:
        self._index = index
        self._encoder = encoder
        self._observer = observer
        self._say = say
        self._waiting: dict[int, int] = {}
        self._away: set[int] = set()
        self._lock = threading.Lock()

    def make(self) -> EmbedStage:
        """For one partition."""
        embed = MeasuredEmbed(self._index, self._encoder, self._observer)
        return EmbedStage(IndexPoints(embed, self._index.made), self._told)

    def lags(self, fleet: Fleet) -> Iterator[Lag]:
        """Records that were read and whose points are not set yet, of the partitions that the fleet has now."""
        for stage, partition in fleet.held:
            if stage == EmbedStage.name and partition in self._waiting:
                yield Lag(stage=stage, topic=None, partition=partition, records=self._waiting[partition])

    def close(self) -> None:
        """Let go of the server."""
        self._index.close()

    def _told(self, indexed: Indexed) -> None:
        with self._lock:
            self._waiting[indexed.partition] = indexed.waiting
            before = bool(self._away)
            if indexed.away is not None:
                self._away.add(indexed.partition)
            else:
                self._away.discard(indexed.partition)
            now = bool(self._away)
        if now and not before:
            self._say(f"vector index: {indexed.away}; what is to be written waits")
        elif before and not now:
            self._say("vector index: it is back")
