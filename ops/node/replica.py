"""A node's own copy of the view: follows the log, and is read while it does, under one lock."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import msgspec

from ops.cuts import Cuts
from schemas.codec import BadRecordError
from schemas.dead_letters import DeadLetter
from schemas.deltas import EventChanged
from schemas.events import Event
from schemas.fetched import Fetched
from schemas.ids import MessageKey, SpaceKey
from schemas.parking import decoded
from schemas.record import Record
from schemas.topics import TopicName
from streams.log.database import Database
from streams.log.partition import partition_of
from views.aliases import resolved_aliases
from views.batch import Folded
from views.maintain import VIEW_TOPICS, Maintainer
from views.origin import ORIGIN_KEY, Origin
from views.outgoing import Place
from views.reader import Basis, MessageAccount, MessageText
from views.snapshot import Snapshot, read_space_at
from views.source import Source
from views.state import MessageState, message_part, space_prefix
from views.texts import message_text
from views.worker import Applied, Worker

from .cleaning import Passes
from .coverage import Coverage
from .forgetting import Forgetting
from .marks import FAMILIES, MarkedTables, event_mark, note_mark, notes_of
from .spaces import all_spaces, split_key

_LOOKED_AT: tuple[TopicName, ...] = ("messages", "dead-letters", "erasures")


class Replica:
    """Thread-safe but for ``follow``, which runs on one event loop.

    Args:
        directory: of the view; made where it is missing.
        source: the log to follow; it must not emit.
        marking: whether an index of ours is kept up to date from the marks.
        clock: microseconds UTC.
        observe: told of every batch.

    Raises:
        StoreError: the directory cannot be used.
    """

    def __init__(
        self,
        directory: Path,
        source: Source,
        *,
        marking: bool,
        clock: Callable[[], int],
        observe: Callable[[Applied], None],
    ) -> None:
        self._database = Database(directory, families=FAMILIES, read_only=False)
        self.tables = MarkedTables(self._database, marking=marking)
        self.changed = threading.Condition(threading.RLock())
        """Held by whoever reads or changes the view; notified after every change."""
        self._observe = observe
        self.passes = Passes()
        self._forgetting = Forgetting(
            self._database, source, clean=self._index_is_clean if marking else lambda _: True, lock=self.changed
        )
        self.worker = Worker(
            self.tables, source, clock=clock, observe=self._applied, lock=self.changed, folding=self._folding,
            between=self._between,
        )  # fmt: skip
        self._forgetting.keep(self.worker)
        self.maintainer: Maintainer = self.worker.maintainer
        self._coverage = Coverage(self.maintainer)
        self._cuts = Cuts(self.maintainer)
        self._to_go: int | None = None

    # --- following --------------------------------------------------------------------------------------------------

    async def follow(self, stop: asyncio.Event) -> None:
        """Apply the log until ``stop``. Errors as of ``Worker.run``; after a ``KafkaError`` it may be called again."""

        def ready(waiting: int) -> None:
            with self.changed:
                self._to_go = waiting if self._to_go is None else min(self._to_go, waiting)

        await self.worker.run(stop, ready=ready)

    def _folding(self, batch: Sequence[Fetched], folded: Folded) -> None:
        """Before a batch is committed: what the index must look at, what was parked, and what is erased."""
        self._forgetting.note(batch)
        self.tables.mark(
            event_mark(delta.key, delta.event_id) for delta in folded.deltas if isinstance(delta, EventChanged)
        )
        for raw in batch:
            if raw.topic in _LOOKED_AT:
                record = _record(raw)
                if isinstance(record, DeadLetter):
                    self._coverage.note(record)
                elif record is not None:
                    self.tables.mark(notes_of(record, self.maintainer.state))

    def _applied(self, applied: Applied) -> None:
        with self.changed:
            self._to_go = max(0, (self._to_go or 0) - applied.records)
            self.changed.notify_all()
        self._observe(applied)

    async def _between(self) -> None:
        await self._forgetting.turn()
        with self.changed:
            self.changed.notify_all()

    def _index_is_clean(self, space: SpaceKey) -> bool:
        with self.changed:
            return self.passes.over(space, self.tables.sequence)

    def is_forgotten(self, space: SpaceKey) -> bool:
        """Whether rows, files and points hold nothing of what is erased of the space."""
        with self.changed:
            return self._forgetting.is_done(space)

    def mark_everything(self) -> None:
        """For an index that is about to be made, empty."""
        with self.changed:
            state = self.maintainer.state
            messages = (cell.posted for _, cell in state.messages.scan(b"") if cell.posted is not None)
            notes = (note_mark(posted.key, posted.message) for posted in messages)
            events = (event_mark(*split_key(key)) for key, _ in state.events.scan(b""))
            self.tables.mark(chain(notes, events))
            self.tables.commit(())

    # --- where it stands --------------------------------------------------------------------------------------------

    @property
    def partitions(self) -> int:
        """Of every topic of the log; 0 while this view has never met its log."""
        raw = self.tables.get("positions", ORIGIN_KEY)
        return 0 if raw is None else msgspec.msgpack.decode(raw, type=Origin).partitions

    def partition(self, space: SpaceKey) -> int:
        """Where the records of a space are."""
        return partition_of(space, max(1, self.partitions))

    def positions(self) -> Mapping[Place, int]:
        """Of every input, the offset of the next record to fold."""
        with self.changed:
            return {(t, p): self.maintainer.position(t, p) for t in VIEW_TOPICS for p in range(self.partitions)}

    def position(self, topic: TopicName, partition: int) -> int:
        """Of one input, the offset of the next record to fold."""
        with self.changed:
            return self.maintainer.position(topic, partition)

    def end(self, topic: TopicName, partition: int) -> int:
        """Where a partition ends, as far as the broker has said; never before what is folded."""
        with self.changed:
            heard = self.worker.heard.get((topic, partition), (0, 0))[0]
            return max(heard, self.maintainer.position(topic, partition))

    def behind(self) -> int:
        """Records the log has, as far as the broker has said, and this view has not."""
        with self.changed:
            return sum(self.end(*place) - position for place, position in self.positions().items())

    @property
    def caught_up(self) -> bool:
        """Whether it has applied, since it was opened, as much as the log held then."""
        with self.changed:
            return self._to_go == 0

    def covers(self, partition: int) -> int:
        """All messages of the partition below this offset are applied, or parked."""
        with self.changed:
            return self._coverage.covers(partition)

    def waiting(self) -> int:
        """Records of ``messages`` that are not yet applied, over all spaces."""
        with self.changed:
            return sum(self.end("messages", p) - self._coverage.covers(p) for p in range(self.partitions))

    def parked(self) -> int:
        """Records of all spaces that were parked and not re-driven since."""
        with self.changed:
            return self.maintainer.open_letters()

    def wait(self, reached: Callable[[], bool], timeout_s: float) -> bool:
        """Until something is so; False when time ran out. Looked at after every change."""
        with self.changed:
            return self.changed.wait_for(reached, timeout_s)

    # --- reading ----------------------------------------------------------------------------------------------------

    def snapshot(self, space: SpaceKey) -> Snapshot:
        """The space as it is now."""
        with self.changed:
            return self._cuts.current(space)

    def read(self, space: SpaceKey) -> tuple[Snapshot, Basis]:
        """A cut, and what it reflects."""
        with self.changed:
            return self.snapshot(space), self.basis(space)

    def past(
        self, space: SpaceKey, known_at: int
    ) -> tuple[Snapshot | None, Basis, Mapping[TopicName, int], Callable[[Snapshot], Snapshot]]:
        """A cut of the past, as of this moment, or what is needed to fold it.

        Returns:
            The cut itself where the view's versions tell exactly, or where it was made before; the basis; below which
            offsets the space's records count; and what keeps the cut for the next time.
        """
        with self.changed:
            version, partition = self.maintainer.version(space), self.partition(space)
            ends: dict[TopicName, int] = {t: self.maintainer.position(t, partition) for t in VIEW_TOPICS}
            basis = self.basis(space)

            def keep(made: Snapshot) -> Snapshot:
                with self.changed:
                    return self._cuts.keep(space, known_at, version, made)

            kept = self._cuts.get(space, known_at, version) or read_space_at(self.maintainer, space, known_at)
            return None if kept is None else keep(kept), basis, ends, keep

    def basis(self, space: SpaceKey) -> Basis:
        """What a read of the space reflects now."""
        with self.changed:
            account, partition = self.account(space), self.partition(space)
            covers = self._coverage.covers(partition)
            return Basis(partition=partition, messages=covers, waiting=account.waiting, parked=account.parked)

    def account(self, space: SpaceKey) -> MessageAccount:
        """Where the accepted messages are that this view has seen."""
        return self.snapshot(space).account

    def message(self, space: SpaceKey, key: MessageKey) -> MessageText | None:
        """A message as it stands."""
        with self.changed:
            return message_text(self.maintainer, space, key)

    def message_cell(self, space: SpaceKey, key: MessageKey) -> MessageState:
        """Everything known of a message."""
        with self.changed:
            return self.maintainer.state.messages.get(space_prefix(space) + message_part(key))

    def event(self, space: SpaceKey, event_id: str) -> Event | None:
        """An event, when it is live."""
        with self.changed:
            row = self.maintainer.state.events.get(space_prefix(space) + event_id.encode()).row
            return None if row is None else row.event

    def said(self, space: SpaceKey, event_id: str) -> Event | None:
        """What an event says, also one that is no longer live as long as a set still holds it."""
        with self.changed:
            cell = self.maintainer.state.events.get(space_prefix(space) + event_id.encode())
        if cell.row is not None:
            return cell.row.event
        return cell.assertions[0].event if cell.assertions else None

    def canonical(self, space: SpaceKey) -> Callable[[str], str]:
        """Looks names up: case-folded, through the alias table as it stands now."""
        with self.changed:
            aliases = resolved_aliases(self.maintainer.state.control.get(space_prefix(space)))
        return lambda name: aliases.get(name.casefold(), name.casefold())

    def last_received(self, space: SpaceKey) -> int:
        """When the newest message of the space was received, microseconds UTC; costs by the space's size."""
        with self.changed:
            cells = self.maintainer.state.messages.scan(space_prefix(space))
            return max((cell.posted.received_at for _, cell in cells if cell.posted is not None), default=0)

    def spaces(self, tenant: str) -> list[str]:
        """Names of the tenant's spaces that hold anything."""
        return sorted({space.space for space in all_spaces(self._database) if space.tenant == tenant})

    # --- ending -----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Nobody follows or reads it any more."""
        self.tables.close()


def _record(raw: Fetched) -> Record | None:
    try:
        return decoded(raw).record
    except BadRecordError:
        return None
