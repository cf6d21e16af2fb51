"""The embedded view: folded from the local log, read in cuts that are kept until their space changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from ops.cuts import Cuts
from ops.observing import SILENT, Applied, Lag, Observer
from ops.pipeline import write_position
from ops.space_log import entries_below, posted
from schemas.codec import encode
from schemas.deltas import Cause
from schemas.entry import Entry
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey
from schemas.topics import TopicName
from streams.log import Log, partition_of
from views import told
from views.aliases import resolved_aliases
from views.batch import STAGE, fold_batch
from views.deltas import view_deltas
from views.held import space_prefix
from views.known import in_time_order
from views.maintain import VIEW_TOPICS, Maintainer
from views.reader import Basis, MessageAccount, MessageText
from views.rows import EventRow
from views.snapshot import Snapshot, cut, read_space, read_space_at
from views.tables import Tables
from views.texts import message_text

FOLLOWERS = ("embed",)
"""Consumers of the local log that keep up with ``deltas``, by the names their positions have."""


class LiveView:
    """Maintains the view and hands out cuts of it. Thread-safe."""

    def __init__(self, log: Log, tables: Tables, batch_records: int, observer: Observer = SILENT) -> None:
        self._log = log
        self._observer = observer
        self._reached: list[int] | None = None
        self._tables = tables
        self._batch_records = batch_records
        self._lock = threading.RLock()
        self._maintainer = Maintainer(tables)
        self._cuts = Cuts(self._maintainer)

    # --- maintaining ------------------------------------------------------------------------------------------------

    def step(self, now: int) -> int:
        """Fold a batch of every input that has something waiting; returns how many records were read."""
        with self._lock:
            partitions = range(self._log.partitions)
            if self._reached is None:
                self._start_followers_over()
                self._reached = [self._covers(p) for p in partitions]
                for one in told.uncommitted(self._tables, self._maintainer.position):
                    self._fold(one.topic, one.partition, now, one.end - one.first)
            done = sum(self._fold(t, p, now, self._batch_records) for t in VIEW_TOPICS for p in partitions)
            if done:
                self._tell_reached(self._reached)
            return done

    def _start_followers_over(self) -> None:
        """Where the view was lost, and is made anew: who follows its deltas reads them all again.

        Folded in another order, what came and went since need not come at all, so nothing would tell that it went; but
        some former delta names it, and a follower sets whatever is named to what the view holds now.
        """
        partitions = range(self._log.partitions)
        if any(self._maintainer.position(topic, p) for topic in VIEW_TOPICS for p in partitions):
            return
        with self._log.batch() as batch:
            for partition in partitions:
                if self._log.end("deltas", partition):
                    for consumer in FOLLOWERS:
                        write_position(batch, consumer, "deltas", partition, 0)

    def _tell_reached(self, before: Sequence[int]) -> None:
        """When the newest messages that are applied now, and were not before, had been appended."""
        self._reached = [self._covers(p) for p in range(self._log.partitions)]
        for partition, (old, new) in enumerate(zip(before, self._reached, strict=True)):
            if new > old:
                self._observer.reached(self._log.read("messages", partition, new - 1, 1)[0].time_us)

    def lags(self) -> Iterator[Lag]:
        """What is waiting on every input."""
        for topic in VIEW_TOPICS:
            for partition in range(self._log.partitions):
                waiting = max(0, self._log.end(topic, partition) - self.position(topic, partition))
                yield Lag(stage=STAGE, topic=topic, partition=partition, records=waiting)

    def _fold(self, topic: TopicName, partition: int, now: int, most: int) -> int:
        """One batch: fold, append the deltas to the log, then commit. A crash in between repeats the very batch
        (``views.told``), hence the same deltas."""
        start = self._maintainer.position(topic, partition)
        read = self._log.read(topic, partition, start, most)
        if not read:
            return 0
        begun = time.perf_counter()
        folded = fold_batch(self._maintainer, read, now)
        folded_at = time.perf_counter()
        if folded.deltas:
            told.note(self._tables, [told.Range(topic, partition, start, start + len(read))])
        with self._log.batch() as batch:
            for letter in folded.parked:
                batch.append("dead-letters", letter.key, encode(letter), now)
            for delta in folded.deltas:
                batch.append("deltas", delta.key, encode(delta), now)
        written_at = time.perf_counter()
        self._maintainer.commit()
        self._observer.applied(
            Applied(
                read=len(read), parked=len(folded.parked), faulted=folded.faulted, deltas=folded.deltas,
                fold_s=folded_at - begun, write_s=written_at - folded_at, commit_s=time.perf_counter() - written_at,
            )
        )  # fmt: skip
        return len(read)

    def read_up_to(self, topic: TopicName, space: SpaceKey, clock: Callable[[], int]) -> None:
        """Fold until every record of a topic that the space's partition holds now is applied."""
        partition = partition_of(space, self._log.partitions)
        end = self._log.end(topic, partition)
        while self.position(topic, partition) < end:
            self.step(clock())

    def due(self, now: int, most: int) -> list[tuple[int, SpaceKey]]:
        """Instants that have passed and that no clock record tells of; none while such records are not yet folded."""
        with self._lock:
            partitions = range(self._log.partitions)
            if any(self._maintainer.position("clock", p) < self._log.end("clock", p) for p in partitions):
                return []
            return self._maintainer.due(now, most)

    def has_read(self, partition: int, *, events: int, edges: int) -> bool:
        """Whether events and edges below these offsets are applied."""
        return self.position("events", partition) >= events and self.position("edges", partition) >= edges

    def position(self, topic: TopicName, partition: int) -> int:
        """Offset of the next record of an input."""
        with self._lock:
            return self._maintainer.position(topic, partition)

    def event(self, space: SpaceKey, event_id: str) -> EventRow | None:
        """A live event as it is stored now."""
        with self._lock:
            return self._maintainer.state.events.get(space_prefix(space) + event_id.encode()).row

    def said(self, space: SpaceKey, event_id: str) -> Event | None:
        """What an event says, also one that is no longer live as long as a set still holds it."""
        with self._lock:
            cell = self._maintainer.state.events.get(space_prefix(space) + event_id.encode())
        if cell.row is not None:
            return cell.row.event
        return cell.assertions[0].event if cell.assertions else None

    def canonical(self, space: SpaceKey) -> Callable[[str], str]:
        """Looks names up: case-folded, through the alias table as it stands now."""
        with self._lock:
            aliases = resolved_aliases(self._maintainer.state.control.get(space_prefix(space)))
        return lambda name: aliases.get(name.casefold(), name.casefold())

    def message(self, space: SpaceKey, key: MessageKey) -> MessageText | None:
        """A message as it is stored now."""
        with self._lock:
            return message_text(self._maintainer, space, key)

    def covers(self, space: SpaceKey) -> int:
        """All accepted messages of the space below this offset are applied, or parked."""
        with self._lock:
            return self._covers(partition_of(space, self._log.partitions))

    def _covers(self, partition: int) -> int:
        """Distilled, linked, and its own edits and retractions folded.

        A parked record belongs to no session, so no set of events will ever claim it: it is passed over.
        """
        covers = min(self._maintainer.covers(partition), self._maintainer.position("messages", partition))
        while read := self._log.read("messages", partition, covers, 1):
            space = SpaceKey(read[0].tenant, read[0].space)
            if not self._maintainer.is_parked(space, "messages", partition, covers):
                break
            covers += 1
        return covers

    def waiting(self) -> int:
        """Records of ``messages`` that are not yet applied, over all spaces."""
        with self._lock:
            partitions = range(self._log.partitions)
            return sum(self._log.end("messages", p) - self._covers(p) for p in partitions)

    def rebuild(self, space: SpaceKey, now: int) -> None:
        """Drop the rows of a space and fold its records anew, in one commit.

        Where the former rows were wrong, the difference goes out as deltas, before the commit as always: whoever
        follows them, the vector index first of all, is put right too.
        """
        with self._lock:
            before = read_space(self._maintainer, space).view
            self._maintainer.drop(space)
            for entry in in_time_order(self.entries(space)):
                self._maintainer.fold_anywhere(entry)
            after = read_space(self._maintainer, space).view
            with self._log.batch() as batch:
                for delta in view_deltas(space, before, after, self._rebuilt_from(space), now):
                    batch.append("deltas", space, encode(delta), now)
            self._maintainer.commit()
            self._cuts.clear()

    def _rebuilt_from(self, space: SpaceKey) -> Cause:
        """The cause named for what a rebuild put right: the last set of events that was folded."""
        partition = partition_of(space, self._log.partitions)
        return Cause(topic="events", partition=partition, offset=self._maintainer.position("events", partition) - 1)

    # --- reading ----------------------------------------------------------------------------------------------------

    def entries(self, space: SpaceKey) -> Iterator[Entry]:
        """Every record of the space that the view has folded by now, by topic; what cannot be decoded is left out.

        Only the call looks at the view: the records are read from the log as they are asked for, and nobody waits.
        """
        partition = partition_of(space, self._log.partitions)
        with self._lock:
            ends: dict[TopicName, int] = {t: self._maintainer.position(t, partition) for t in VIEW_TOPICS}
        return entries_below(self._log, space, ends, self._maintainer.passes_over)

    def snapshot(self, space: SpaceKey) -> Snapshot:
        """The space as it is stored now."""
        with self._lock:
            return self._cuts.current(space)

    def read(self, space: SpaceKey, known_at: int | None) -> tuple[Snapshot, Basis]:
        """A cut and what it reflects, of one moment: a basis taken later would claim what the cut does not hold.

        With ``known_at`` (microseconds UTC) the cut is made from the versions kept. Where they are not exact it is
        folded from the log, outside the lock: it costs by all records of the space, and others go on meanwhile.
        """
        with self._lock:
            basis, version = self.basis(space), self._maintainer.version(space)
            if known_at is None:
                return self.snapshot(space), basis
            kept = self._cuts.get(space, known_at, version) or read_space_at(self._maintainer, space, known_at)
            if kept is not None:
                return self._cuts.keep(space, known_at, version, kept), basis
            entries = self.entries(space)
        made = cut(entries, space, known_at)
        with self._lock:
            return self._cuts.keep(space, known_at, version, made), basis

    def basis(self, space: SpaceKey) -> Basis:
        """What a read of the space reflects now. Accepted messages the view has not even seen are waiting too."""
        with self._lock:
            partition = partition_of(space, self._log.partitions)
            account = self.account(space)
            covers = self._covers(partition)
            return Basis(partition=partition, messages=covers, waiting=account.waiting, parked=account.parked)

    def account(self, space: SpaceKey) -> MessageAccount:
        """Where the accepted messages are; those that the view has not even seen are waiting too."""
        with self._lock:
            snapshot = self.snapshot(space)
            position = self._maintainer.position("messages", partition_of(space, self._log.partitions))
            keys = {posted(raw) for raw in self._log.read_space("messages", space, position)}
            unseen = sum(key is not None and not snapshot.counts(key) for key in keys)
            known = snapshot.account
            return msgspec.structs.replace(known, accepted=known.accepted + unseen, waiting=known.waiting + unseen)

    def parked(self) -> int:
        """Records of all spaces that were parked and not re-driven since."""
        with self._lock:
            return self._maintainer.open_letters()

    def frozen(self, space: SpaceKey) -> tuple[Snapshot, Iterator[Entry]]:
        """The space as it is stored, and the records it was folded from, of one moment."""
        with self._lock:
            return self.snapshot(space), self.entries(space)

    def close(self) -> None:
        """Let go of the tables; nothing uncommitted is written."""
        with self._lock:
            self._tables.close()
