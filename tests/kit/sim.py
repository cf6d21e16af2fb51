"""One run of the whole embedded pipeline, decided by one integer: order of arrival, scheduling, time and deaths."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec

from schemas.codec import BadRecordError, decode
from schemas.events import EventsDistilled
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.topics import TOPICS
from streams.log import LogEntry, partition_of
from streams.message_index import TABLE as MESSAGE_TABLE
from tests.kit.simchat import NORTH, SOUTH, Action, Deed, Post, chat, mixed
from tests.kit.simprocess import Process, Stores
from tests.kit.simstores import Crash, Fate
from views.tables import TABLES

SPACES = (NORTH, SOUTH)
BEGIN = 2_000_000_000_000_000
"""When the run begins, microseconds UTC: after all that is said in it."""


class Simulation:
    """A run. ``run`` ends with everything settled and the stores as the last process left them.

    Args:
        seed: decides everything.
        directory: holds log and view; None keeps them in memory. The bytes are the same.
    """

    def __init__(self, seed: int, directory: Path | None = None) -> None:
        self._rng = Random(seed)
        self.deeds: list[Deed] = chat(self._rng)
        self.spaces = tuple(space for space in SPACES if any(deed.action.space == space for deed in self.deeds))
        self._batch = self._rng.choice((1, 2, 7, 256))
        self.fate = Fate(self._rng, chance=self._rng.choice((0.0, 0.02, 0.08, 0.3)), most=12)
        self.stores = Stores(self._rng, self.fate, self._rng.choice((1, 2)), directory)
        self.now = BEGIN
        self.lost: Counter[str] = Counter()
        self.told_before_loss: list[int] = [0] * self.stores.log.partitions
        """Of each partition, the deltas that were written before the view was lost the last time."""

        self.wait_for: dict[SpaceKey, int] = {}
        self.process = Process(self.stores, self._batch)

    def run(self) -> None:
        """Everything is sent, anybody steps at any time, processes die; then all is flushed and settled."""
        left = mixed(self._rng, self.deeds)
        while left:
            self._anything(left)
            if self._rng.random() < 0.05:
                self.check_basis()
        while not self._alive(self._finish):
            pass
        self.check_basis()

    def _anything(self, left: list[Action]) -> None:
        """One thing that can happen; what was sent is taken from the front of ``left``."""
        dice = self._rng.random()
        if dice < 0.3:
            sent = self._together(left)
            if self._alive(lambda: self._send(sent)):
                del left[: len(sent)]
        elif dice < 0.4:
            self.now += self._rng.choice((1, 500_000, 2_500_000, 3_600_000_000, 90_000_000_000))
            self._alive(lambda: self.process.sessionize.tick(self.now))
        else:
            consumer = self._rng.choice(self.process.consumers())
            self._alive(lambda: consumer(self.now))

    def _together(self, left: list[Action]) -> list[Action]:
        """Posts of one space that follow each other may go in one request."""
        size = self._rng.randint(1, 6)
        first = left[0]
        sent: list[Action] = []
        for action in left[:size]:
            if not isinstance(action, Post) or action.space != first.space:
                break
            sent.append(action)
        return sent or [first]

    def _send(self, actions: list[Action]) -> None:
        self.wait_for |= self.process.take(actions, self.now)

    def _alive(self, step: Callable[[], object]) -> bool:
        """Whether the process lived through the step; a dead one is replaced."""
        try:
            step()
        except Crash:
            self.stores.reopen()
            self._lose_something()
            self.process = Process(self.stores, self._batch)
            return False
        return True

    def _lose_something(self) -> None:
        """What is derived can be deleted between two processes."""
        if self._rng.random() < 0.1:
            self.lost["view"] += 1
            log = self.stores.log
            self.told_before_loss = [log.end("deltas", p) for p in range(log.partitions)]
            self.stores.lose_view()
        if self._rng.random() < 0.1:
            self.lost["index"] += 1
            self.stores.lose_index()

    def _finish(self) -> None:
        self.process.settle(self.now, self._rng.shuffle)
        self.process.sessionize.flush(self.now, None)
        self.process.settle(self.now, self._rng.shuffle)

    def check_basis(self) -> None:
        """All accepted messages of a space below its basis are applied, at every moment."""
        for space in self.spaces:
            covers = self.process.view.covers(space)
            assert covers <= self.process.view.position("messages", partition_of(space, self.stores.log.partitions))
            unclaimed = self._accepted(space, covers) - self._read(space)
            assert not unclaimed, f"{space}: the basis claims {sorted(unclaimed)}"

    def _accepted(self, space: SpaceKey, below: int) -> set[MessageKey]:
        """Messages below an offset that are retracted nowhere in the log."""
        found: set[MessageKey] = set()
        for raw in self.stores.log.read_space("messages", space):
            match readable(raw):
                case MessagePosted() as record if raw.offset < below:
                    found.add(record.message)
                case MessageRetracted() as record:
                    found.discard(record.message)
                case _:
                    pass
        return found

    def _read(self, space: SpaceKey) -> set[MessageKey]:
        """Messages that some session's newest set, of those in the view, was made from."""
        sets: dict[str, EventsDistilled] = {}
        for entry in self.process.view.entries(space):
            record = entry.record
            if isinstance(record, EventsDistilled):
                newest = sets.get(record.session_id)
                if newest is None or newest.revision < record.revision:
                    sets[record.session_id] = record
        return {MessageKey(record.conversation_id, i) for record in sets.values() for i in record.read}


def readable(raw: LogEntry) -> Record | None:
    """The record of an entry; None for garbage."""
    try:
        return decode(raw.topic, raw.value)
    except BadRecordError:
        return None


def undisturbed(deeds: list[Deed]) -> Stores:
    """What the same deeds leave behind in plain order, when nobody dies."""
    stores = Stores(Random(0), Fate(Random(0), chance=0.0, most=0))
    process = Process(stores, batch=256)
    for deed in deeds:
        process.take([deed.action], BEGIN)
    process.settle(BEGIN)
    process.sessionize.flush(BEGIN, None)
    process.settle(BEGIN)
    return stores


def digest_of(stores: Stores) -> str:
    """SHA-256 over every entry of the log, every row beside it and every row of the view."""
    h = hashlib.sha256()
    log = stores.log
    for topic in TOPICS:
        for partition in range(log.partitions):
            for entry in log.read(topic, partition, 0, log.end(topic, partition)):
                h.update(msgspec.msgpack.encode(entry))
    for table in ("stages", "positions", MESSAGE_TABLE):
        for pair in log.scan(table, b"", b"\xff" * 8):
            h.update(msgspec.msgpack.encode(pair))
    for name in TABLES:
        for pair in stores.tables.scan(name, b""):
            h.update(msgspec.msgpack.encode(pair))
    return h.hexdigest()
