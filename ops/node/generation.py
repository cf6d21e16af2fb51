"""A view with the index made from it, in one directory: what a node serves, and what it is replaced by."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from aiokafka.errors import KafkaError

from ops.observing import Observer
from views.source import Source
from views.worker import Applied

from .loop import BrokerLoop
from .replica import Replica
from .searching import OwnIndex, drop_index

if TYPE_CHECKING:
    from views.encoder.protocol import Encoder

AGAIN_S = 1.0
"""Pause before a broker that was not there is looked for again."""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """What a generation is made with.

    Attributes:
        loop: where the broker is talked to.
        source: the log.
        encoder: for an index of our own; None where a Qdrant server is shared.
        clock: microseconds UTC.
        observer: told what the index does.
        observe: told of every batch of the view.
        fault: called from any thread with what ends the node.
    """

    loop: BrokerLoop
    source: Source
    encoder: Callable[[], Encoder] | None
    clock: Callable[[], int]
    observer: Observer
    observe: Callable[[Applied], None]
    fault: Callable[[BaseException], None]


class Generation:
    """Opened here, followed from ``start`` on.

    Raises:
        StoreError: the directory cannot be used.
    """

    def __init__(self, directory: Path, around: Around) -> None:
        self.directory = directory
        self._around = around
        own = around.encoder is not None
        self.replica = Replica(
            directory / "view", around.source, marking=own, clock=around.clock, observe=around.observe
        )
        self.index: OwnIndex | None = None
        self._users = 0
        self._left = threading.Condition()
        self._stop = asyncio.Event()
        self._following = None

    def start(self) -> None:
        """Follow the log, and index what comes."""
        around, vectors = self._around, self.directory / "vectors"
        if around.encoder is None:
            drop_index(vectors)
        else:
            self.index = OwnIndex(self.replica, vectors, around.encoder, around.observer, around.fault)
        self._following = around.loop.spawn(self._follow())

    async def _follow(self) -> None:
        try:
            while not self._stop.is_set():
                try:
                    await self.replica.follow(self._stop)
                except KafkaError as error:
                    if not error.retriable:
                        raise
                    await asyncio.sleep(AGAIN_S)
        except asyncio.CancelledError:
            raise
        except BaseException as fault:  # noqa: BLE001 - carried to whoever opened us
            self._around.fault(fault)

    def enter(self) -> None:
        """It is in use until ``leave``."""
        with self._left:
            self._users += 1

    def leave(self) -> None:
        """No more."""
        with self._left:
            self._users -= 1
            self._left.notify_all()

    def is_as_good_as(self, other: Generation) -> bool:
        """Whether a reader loses nothing: it has caught up, and is no further behind, in the view and in the index."""
        replica, theirs = self.replica, other.replica
        if not replica.caught_up or replica.behind() > theirs.behind():
            return False
        return self.index is None or replica.tables.marked <= theirs.tables.marked

    def close(self) -> None:
        """Wait until nobody uses it, finish the batch that has begun, and give the directory free."""
        with self._left:
            self._left.wait_for(lambda: self._users == 0)
        if self._following is not None:
            self._around.loop.call(self._end())
            self._following.result()
        if self.index is not None:
            self.index.close()
        self.replica.close()

    async def _end(self) -> None:
        self._stop.set()
