"""Keeps the vector index behind the view: notes from ``messages``, events from ``deltas``, at positions of its own.

The index is set to what the view holds *now* for whatever a batch names, and flushed before the position moves, so a
crash repeats a batch and changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ops.observing import SILENT, Folded, Lag, Observer
from ops.pipeline import lag, read_position, write_position
from ops.viewing import LiveView
from schemas.codec import BadRecordError
from schemas.deltas import EventChanged
from schemas.entry import Entry
from schemas.events import Event
from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.parking import decoded
from schemas.topics import TopicName
from streams.log import Log, LogEntry
from views.embed import Embed

CONSUMER = "embed"
INPUTS: tuple[TopicName, ...] = ("messages", "deltas")


def start_over(log: Log) -> None:
    """Back to the beginning of every input: for an index that is about to be made, empty. Call it before that."""
    with log.batch(sync=True) as batch:
        for topic in INPUTS:
            for partition in range(log.partitions):
                write_position(batch, CONSUMER, topic, partition, 0)


def is_indexed(log: Log, partition: int, *, messages: int, deltas: int) -> bool:
    """Whether the index holds what came of a partition's inputs below these offsets."""
    ends: tuple[tuple[TopicName, int], ...] = (("messages", messages), ("deltas", deltas))
    return all(read_position(log, CONSUMER, topic, partition) >= end for topic, end in ends)


class Indexer:
    """Drives ``Embed`` from the log, never ahead of the view."""

    def __init__(self, log: Log, view: LiveView, embed: Embed, batch_records: int, observer: Observer = SILENT) -> None:
        self._log = log
        self._view = view
        self._embed = embed
        self._batch_records = batch_records
        self._observer = observer

    def step(self) -> int:
        """Index a batch of notes and of events; returns how many records were read."""
        done = 0
        for partition in range(self._log.partitions):
            done += self._timed(partition, self._notes)
            done += self._timed(partition, self._events)
        return done

    def lags(self) -> Iterator[Lag]:
        """What is waiting on every input."""
        for topic in INPUTS:
            for partition in range(self._log.partitions):
                yield lag(self._log, CONSUMER, topic, partition)

    def _timed(self, partition: int, index: Callable[[int], int]) -> int:
        begun = time.perf_counter()
        read = index(partition)
        if read:
            seconds = time.perf_counter() - begun
            self._observer.folded(Folded(stage=CONSUMER, read=read, written=0, parked=0, seconds=seconds))
        return read

    def _notes(self, partition: int) -> int:
        start = read_position(self._log, CONSUMER, "messages", partition)
        known = self._view.position("messages", partition)
        read = self._log.read("messages", partition, start, min(self._batch_records, max(0, known - start)))
        if read:
            self._embed.apply_messages([entry for raw in read for entry in _decoded(raw) if self._is_held(entry)])
            self._advance("messages", partition, read[-1].offset + 1)
        return len(read)

    def _is_held(self, entry: Entry) -> bool:
        """Whether the view, which is ahead, has a text: not of an edit of nothing, which is parked, nor once erased."""
        record = entry.record
        assert isinstance(record, MessagePosted | MessageEdited | MessageRetracted), "what messages holds"
        return self._view.message(record.key, record.message) is not None

    def _events(self, partition: int) -> int:
        start = read_position(self._log, CONSUMER, "deltas", partition)
        read = self._log.read("deltas", partition, start, self._batch_records)
        if not read:
            return 0
        touched: dict[SpaceKey, dict[str, None]] = {}
        for raw in read:
            for entry in _decoded(raw):
                if isinstance(entry.record, EventChanged):
                    touched.setdefault(entry.record.key, {})[entry.record.event_id] = None
        for space, event_ids in touched.items():
            changed: dict[str, Event | None] = {}
            for event_id in event_ids:
                row = self._view.event(space, event_id)
                changed[event_id] = None if row is None else row.event
            self._embed.sync_events(space, changed)
        self._advance("deltas", partition, read[-1].offset + 1)
        return len(read)

    def _advance(self, topic: TopicName, partition: int, offset: int) -> None:
        with self._log.batch() as batch:
            write_position(batch, CONSUMER, topic, partition, offset)


def _decoded(raw: LogEntry) -> tuple[Entry, ...]:
    """The entry, or nothing for bytes that other consumers have parked."""
    try:
        return (decoded(raw),)
    except BadRecordError:
        return ()
