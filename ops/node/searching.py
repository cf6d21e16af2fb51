"""A node's own search index: kept behind its replica, in a thread of its own, where no Qdrant server is shared.

Whatever a mark names is set to what the view holds now, and flushed before the mark is cleared, so kill -9 anywhere
repeats a batch and changes nothing.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ops.observing import Folded, Lag, Observer
from ops.once import opened_once
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey
from views.reader import MessageText

from .marks import Mark
from .replica import Replica

if TYPE_CHECKING:
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex

STAGE = "embed"
BATCH = 64
"""Marks looked at before they are cleared: half a second of encoding."""

REST, REST_MAX_S = 4.0, 1.0
"""After a batch that was not full it rests for so many times as long as that took, but no longer than a second: a flush
costs as much for one point as for a hundred, and holds up whoever reads the view meanwhile."""

IDLE_S = 0.5
"""How long it waits for a change before it looks whether it shall stop."""


class OwnIndex:
    """Maintains the index of one replica.

    Args:
        replica: the view, which keeps marks.
        directory: of the index.
        encoder: loaded when the first text is to be encoded.
        observer: told of every batch.
        stopped: called from its thread with a fault, after which nothing is indexed any more.
    """

    def __init__(
        self,
        replica: Replica,
        directory: Path,
        encoder: Callable[[], Encoder],
        observer: Observer,
        stopped: Callable[[BaseException], None],
    ) -> None:
        self._replica = replica
        self._directory = directory
        self._encoder = encoder
        self._observer = observer
        self._stopped = stopped
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="index")
        self._thread.start()

    @opened_once
    def index(self) -> VectorIndex:
        """The index; an empty one is made where there is none, and filled from the view."""
        from views.vectors.edge import is_made, open_edge

        encoder = self._encoder()
        if not is_made(self._directory):
            self._replica.mark_everything()
        return open_edge(self._directory, dimension=encoder.dimension, encoder=encoder.name)

    def is_level(self, sequence: int) -> bool:
        """Whether all that was marked below it is indexed. Ask it under the replica's lock."""
        return self._replica.tables.indexed_below >= sequence

    def lags(self) -> Iterator[Lag]:
        """What is waiting; marks belong to no partition."""
        with self._replica.changed:
            yield Lag(stage=STAGE, topic=None, partition=0, records=self._replica.tables.marked)

    def _work(self) -> None:
        try:
            self._index_until_stopped()
        except BaseException as fault:  # noqa: BLE001 - carried to whoever opened us
            self._stopped(fault)

    def _index_until_stopped(self) -> None:
        from views.embed import Embed  # numpy is not needed before there is something to index

        tables = self._replica.tables
        while not self._stop.is_set():
            if not self._replica.wait(self._has_work, IDLE_S) or self._stop.is_set():
                continue
            with self._replica.changed:
                due = self._replica.passes.is_due(tables.indexed_below)
            if due:
                self._forget_deleted()
                continue
            begun = time.perf_counter()
            embed = Embed(self.index, self._encoder())
            with self._replica.changed:
                marks = tables.oldest(BATCH)
                notes, events = self._looked_up([mark for mark, _ in marks])
            for space in {**notes, **events}:
                embed.put(space, notes.get(space, {}), events.get(space, {}))
            embed.flush()
            with self._replica.changed:
                tables.clear(marks)
                self._replica.changed.notify_all()
            seconds = time.perf_counter() - begun
            self._observer.folded(Folded(stage=STAGE, read=len(marks), written=0, parked=0, seconds=seconds))
            if len(marks) < BATCH:
                self._stop.wait(min(REST * seconds, REST_MAX_S))

    def _has_work(self) -> bool:
        tables, passes = self._replica.tables, self._replica.passes
        return tables.marked > 0 or passes.is_due(tables.indexed_below) or self._stop.is_set()

    def _forget_deleted(self) -> None:
        """What is erased is deleted by now: nor shall it be in a file."""
        with self._replica.changed:
            self._replica.passes.begin()
        self.index.forget_deleted()
        with self._replica.changed:
            self._replica.passes.end()
            self._replica.changed.notify_all()

    def _looked_up(
        self, marks: list[Mark]
    ) -> tuple[dict[SpaceKey, dict[MessageKey, MessageText | None]], dict[SpaceKey, dict[str, Event | None]]]:
        """What is marked, as the view holds it now."""
        notes: dict[SpaceKey, dict[MessageKey, MessageText | None]] = {}
        events: dict[SpaceKey, dict[str, Event | None]] = {}
        for mark in marks:
            if mark.kind == "note":
                key = MessageKey(mark.conversation_id, mark.ref)
                notes.setdefault(mark.key, {})[key] = self._replica.message(mark.key, key)
            else:
                events.setdefault(mark.key, {})[mark.ref] = self._replica.event(mark.key, mark.ref)
        return notes, events

    def close(self) -> None:
        """Finish the batch that has begun, and give the directory free."""
        self._stop.set()
        with self._replica.changed:
            self._replica.changed.notify_all()
        self._thread.join()
        if "index" in self.__dict__:
            self.index.flush()
            self.index.close()


def drop_index(directory: Path) -> None:
    """Somebody else fills the index now: one that is not kept up to date must not be found later."""
    shutil.rmtree(directory, ignore_errors=True)
