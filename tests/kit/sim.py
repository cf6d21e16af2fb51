"""One run of the whole embedded pipeline, decided by one integer: order of arrival, scheduling, time and deaths.

``python -m tests.kit.sim SEED ...`` prints for each seed a digest of everything the run left behind.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random

import msgspec

from ops.indexing import Indexer, start_over
from ops.limits import session_limits
from ops.pipeline import StageRunner
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from ops.timer import Timer
from ops.viewing import LiveView
from schemas.codec import BadRecordError, decode
from schemas.events import EventsDistilled
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.topics import TOPICS
from streams.assertions import assert_events
from streams.classify.offline import OfflineClassifier
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.ingest import Ingest
from streams.link.stage import LinkStage
from streams.log import Log, LogEntry, partition_of
from streams.message_index import TABLE as MESSAGE_TABLE
from streams.sessions.stage import Sessionize
from streams.themes.stage import ThemesStage
from tests.kit.encoders import HashingEncoder
from tests.kit.simchat import NORTH, SOUTH, Action, Assert, Deed, Edit, Garbage, Post, chat, mixed
from tests.kit.simstores import Crash, Fate, MortalIndex, MortalLog, MortalTables
from views.embed import Embed
from views.encoder.cached import CachedEncoder
from views.tables import TABLES

SPACES = (NORTH, SOUTH)
PARTITIONS = 3
BEGIN = 2_000_000_000_000_000
"""When the run begins, microseconds UTC: after all that is said in it."""
SETTINGS = Settings(session_max_messages=5, open_revision_messages=3)


@cache
def encoder() -> CachedEncoder:
    """One for the process: the same text gives the same bytes."""
    return CachedEncoder(HashingEncoder())


class Process:
    """Everything that dies with a process: the edge and every consumer, on the durable stores."""

    def __init__(self, stores: Stores, batch: int) -> None:
        log = self.log = stores.log
        self.ingest = Ingest(log)
        view = self.view = LiveView(log, stores.tables, batch)
        self.timer = Timer(log, view)
        self.sessionize = StageRunner(log, Sessionize(session_limits(SETTINGS)), batch)
        stages = (
            DistilStage(OfflineDistiller()),
            ThemesStage(encoder()),
            LinkStage(OfflineClassifier(), encoder()),
        )
        self._later = [StageRunner(log, stage, batch) for stage in stages]
        self._indexer = Indexer(log, view, Embed(stores.index, encoder()), batch)

    def consumers(self) -> list[Callable[[int], int]]:
        """Each on its own, called with the time."""
        steps = [stage.step for stage in (self.sessionize, *self._later)]
        return [*steps, self.view.step, self.timer.step, lambda _: self._indexer.step()]

    def take(self, actions: list[Action], now: int) -> dict[SpaceKey, int]:
        """What producers send; returns the offsets to wait for."""
        first = actions[0]
        match first:
            case Post(space=space):
                raws = [action.raw for action in actions if isinstance(action, Post)]
                taken = self.ingest.post(space, raws, now=now)
            case Edit(space=space, content=None):
                taken = self.ingest.retract(space, first.conversation_id, first.message_id, now=now)
            case Edit(space=space, content=content):
                assert content is not None
                taken = self.ingest.edit(space, first.conversation_id, first.message_id, content, now=now)
            case Assert(space=space):
                assert_events(self.log, self.ingest, space, first.batch, now=now)
                return {}
            case Garbage(space=space):
                append(self.log, first, now)
                return {}
        refused = [s.error for s in taken.statuses if s.error is not None and s.error.code != "retracted"]
        assert not refused, refused
        return {space: taken.wait_for}


def append(log: Log, garbage: Garbage, now: int) -> None:
    """Bytes that no producer can get in through the edge."""
    with log.batch() as batch:
        batch.append("messages", garbage.space, garbage.raw, now)


class Stores:
    """What outlives a process."""

    def __init__(self, rng: Random, fate: Fate) -> None:
        self.log = MortalLog(fate, PARTITIONS)
        self.tables = MortalTables(fate)
        self.index = MortalIndex(encoder().dimension, fate, rng)

    def lose_view(self) -> None:
        """Somebody deleted it."""
        self.tables.erase()

    def lose_index(self) -> None:
        """Somebody deleted it; whoever makes it anew first starts over."""
        self.index.erase()
        while True:
            try:
                return start_over(self.log)
            except Crash:
                pass

    def opened(self, now: int) -> Embedded:
        """The whole system on the stores as they are, at an instant that stays."""
        index = self.index
        parts = Parts(log=self.log, tables=self.tables, encoder=encoder, index=lambda _: index, clock=lambda: now)
        return Embedded(parts, SETTINGS)


class Simulation:
    """A run. ``run`` ends with everything settled and the stores as the last process left them."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self.deeds: list[Deed] = chat(self._rng)
        self._batch = self._rng.choice((1, 2, 7, 256))
        self.fate = Fate(self._rng, chance=self._rng.choice((0.0, 0.02, 0.08, 0.3)), most=12)
        self.stores = Stores(self._rng, self.fate)
        self.now = BEGIN
        self.lost: Counter[str] = Counter()
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
            self.stores.index.reopen()
            self._lose_something()
            self.process = Process(self.stores, self._batch)
            return False
        return True

    def _lose_something(self) -> None:
        """What is derived can be deleted between two processes."""
        if self._rng.random() < 0.1:
            self.lost["view"] += 1
            self.stores.lose_view()
        if self._rng.random() < 0.1:
            self.lost["index"] += 1
            self.stores.lose_index()

    def _finish(self) -> None:
        self._settle()
        self.process.sessionize.flush(self.now, None)
        self._settle()

    def _settle(self) -> None:
        """Until no consumer finds anything, in whatever order they are asked."""
        consumers = self.process.consumers()
        while True:
            self._rng.shuffle(consumers)
            if sum(consumer(self.now) for consumer in consumers) == 0:
                return

    def check_basis(self) -> None:
        """All accepted messages of a space below its basis are applied, at every moment."""
        for space in SPACES:
            covers = self.process.view.covers(space)
            assert covers <= self.process.view.position("messages", partition_of(space, PARTITIONS))
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
    """What the same deeds leave behind in plain order through the whole system, when nobody dies."""
    stores = Stores(Random(0), Fate(Random(0), chance=0.0, most=0))
    system = stores.opened(BEGIN)
    for deed in deeds:
        match deed.action:
            case Post(space=space, raw=raw):
                system.post(space, [raw])
            case Edit() as edit:
                change(system, edit)
            case Assert(space=space, batch=batch):
                system.assert_events(space, batch)
            case Garbage() as garbage:
                append(stores.log, garbage, BEGIN)
    system.flush()
    return stores


def change(system: Embedded, edit: Edit) -> None:
    """An edit or a retraction through the whole system."""
    if edit.content is None:
        system.retract(edit.space, edit.conversation_id, edit.message_id)
    else:
        system.edit(edit.space, edit.conversation_id, edit.message_id, edit.content)


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


if __name__ == "__main__":
    for number in sys.argv[1:]:
        simulation = Simulation(int(number))
        simulation.run()
        sys.stdout.write(digest_of(simulation.stores) + "\n")
