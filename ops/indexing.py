"""Keeps the vector index behind the view: notes from ``messages``, events from ``deltas``, at positions of its own.

The index is set to what the view holds *now* for whatever a batch names, and flushed before the position moves, so a
crash repeats a batch and changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from ops.observing import SILENT, Folded, Lag, Observer
from ops.pipeline import lag, read_position, write_position
from ops.viewing import LiveView
from schemas.codec import BadRecordError
from schemas.deltas import EventChanged
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.parking import decoded
from schemas.record import Record
from schemas.topics import TopicName
from streams.log import BadStoreError, Log, LogEntry
from views.embed import Embed
from views.vectors.points import IndexAwayError

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
        """Index a batch of notes and of events; returns how many records were read.

        Raises:
            BadStoreError: the disk is nearly full. Nothing is lost: make room, and the next process goes on.
        """
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
        try:
            read = index(partition)
        except IndexAwayError as error:
            raise BadStoreError(str(error)) from error
        if read:
            seconds = time.perf_counter() - begun
            self._observer.folded(Folded(stage=CONSUMER, read=read, written=0, parked=0, seconds=seconds))
        return read

    def _notes(self, partition: int) -> int:
        """What is named is set to what the view holds, which is ahead: nothing once erased or of an edit of nothing."""
        start = read_position(self._log, CONSUMER, "messages", partition)
        known = self._view.position("messages", partition)
        read = self._log.read("messages", partition, start, min(self._batch_records, max(0, known - start)))
        named: dict[SpaceKey, dict[MessageKey, None]] = {}
        for record in _records(read):
            if isinstance(record, MessagePosted | MessageEdited | MessageRetracted):
                named.setdefault(record.key, {})[record.message] = None
        for space, keys in named.items():
            self._embed.put(space, {key: self._view.message(space, key) for key in keys}, {})
        return self._advance("messages", partition, read)

    def _events(self, partition: int) -> int:
        start = read_position(self._log, CONSUMER, "deltas", partition)
        read = self._log.read("deltas", partition, start, self._batch_records)
        named: dict[SpaceKey, dict[str, None]] = {}
        for record in _records(read):
            if isinstance(record, EventChanged):
                named.setdefault(record.key, {})[record.event_id] = None
        for space, event_ids in named.items():
            rows = {event_id: self._view.event(space, event_id) for event_id in event_ids}
            self._embed.put(space, {}, {i: None if row is None else row.event for i, row in rows.items()})
        return self._advance("deltas", partition, read)

    def _advance(self, topic: TopicName, partition: int, read: Sequence[LogEntry]) -> int:
        """Move past what was read, once it is durable in the index; returns how much that was."""
        if read:
            self._embed.flush()
            with self._log.batch() as batch:
                write_position(batch, CONSUMER, topic, partition, read[-1].offset + 1)
        return len(read)


def _records(read: Sequence[LogEntry]) -> Iterator[Record]:
    """The records; bytes that other consumers have parked are passed over."""
    for raw in read:
        try:
            yield decoded(raw).record
        except BadRecordError:
            continue
