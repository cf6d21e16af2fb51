"""What dies in a simulated run, the process, and what outlives it, its stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from ops.erasing.work import Work, save
from ops.indexing import Indexer, start_over
from ops.limits import session_limits
from ops.pipeline import StageRunner
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from ops.timer import Timer
from ops.viewing import LiveView
from schemas.codec import encode
from schemas.events import Event
from schemas.ids import SpaceKey
from schemas.sessions import SessionRevised
from schemas.topics import TopicName
from streams.assertions import assert_events
from streams.classify.offline import OfflineClassifier
from streams.classify.protocol import Judgement, Pair
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.erasure import Extent, begin
from streams.ingest import Ingest
from streams.link.stage import LinkStage
from streams.log import Log
from streams.sessions.stage import Sessionize
from streams.themes.stage import ThemesStage
from tests.kit.encoders import HashingEncoder
from tests.kit.simchat import Action, Assert, Edit, Erase, Garbage, Post, Rule
from tests.kit.simstores import Crash, Fate, MemoryStores, MortalIndex, RocksStores
from views.embed import Embed
from views.encoder.cached import CachedEncoder

PARTITIONS = 2
"""Each space has one of its own, unless a run has only one."""

SETTINGS = Settings(session_max_messages=5, open_revision_messages=3)


@cache
def encoder() -> CachedEncoder:
    """One for all processes: the same text gives the same bytes."""
    return CachedEncoder(HashingEncoder())


class RecallingDistiller:
    """The offline distiller, which is pure: what it read once it does not read again."""

    def __init__(self) -> None:
        self._distiller = OfflineDistiller()
        self._known: dict[tuple[object, ...], tuple[Event, ...]] = {}
        self.producer = self._distiller.producer

    def distil(self, session: SessionRevised) -> tuple[Event, ...]:
        """See ``Distiller``; no event rests on offsets or on the number of the revision."""
        said = [(m.message_id, m.sent_at, m.seq, m.speaker, m.content) for m in session.messages]
        key = (session.key, session.conversation_id, *said)
        if key not in self._known:
            self._known[key] = self._distiller.distil(session)
        return self._known[key]


@cache
def distiller() -> RecallingDistiller:
    """One for all processes."""
    return RecallingDistiller()


class RecallingClassifier:
    """The offline classifier, which is pure too."""

    def __init__(self) -> None:
        self._classifier = OfflineClassifier()
        self._known: dict[bytes, Judgement] = {}
        self.producer = self._classifier.producer
        self.prompt_hash = self._classifier.prompt_hash

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """See ``Classifier``."""
        named = [(msgspec.msgpack.encode(pair), pair) for pair in pairs]
        new = {name: pair for name, pair in named if name not in self._known}
        self._known |= zip(new, self._classifier.classify(list(new.values())), strict=True)
        return [self._known[name] for name, _ in named]


@cache
def classifier() -> RecallingClassifier:
    """One for all processes."""
    return RecallingClassifier()


class Process:
    """Everything that dies with a process: the edge and every consumer, on the durable stores."""

    def __init__(self, stores: Stores, batch: int) -> None:
        log = self.log = stores.log
        self.ingest = Ingest(log)
        view = self.view = LiveView(log, stores.tables, batch)
        self.timer = Timer(log, view)
        self.sessionize = StageRunner(log, Sessionize(session_limits(SETTINGS)), batch)
        stages = (
            DistilStage(distiller()),
            ThemesStage(encoder()),
            LinkStage(classifier(), encoder()),
        )
        self._later = [StageRunner(log, stage, batch) for stage in stages]
        self._indexer = Indexer(log, view, Embed(stores.index, encoder()), batch)

    def consumers(self) -> list[Callable[[int], int]]:
        """Each on its own, called with the time."""
        steps = [stage.step for stage in (self.sessionize, *self._later)]
        return [*steps, self.view.step, self.timer.step, lambda _: self._indexer.step()]

    def take(self, actions: list[Action], now: int) -> dict[SpaceKey, int]:
        """What producers and analysts send; returns the offsets to wait for."""
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
            case Rule(space=space):
                self._append("adjudications", space, encode(first.record), now)
                return {}
            case Erase(space=space):
                self._erase(first, now)
                return {}
            case Garbage(space=space):
                self._append("messages", space, first.raw, now)
                return {}
        refused = [s.error for s in taken.statuses if s.error is not None and s.error.code != "retracted"]
        assert not refused, refused
        return {space: taken.wait_for}

    def settle(self, now: int, shuffle: Callable[[list[Callable[[int], int]]], None] = lambda _: None) -> None:
        """Until no consumer finds anything, in whatever order they are asked."""
        consumers = self.consumers()
        while True:
            shuffle(consumers)
            if sum(consumer(now) for consumer in consumers) == 0:
                return

    def _append(self, topic: TopicName, space: SpaceKey, value: bytes, now: int) -> None:
        """As it is, also bytes that no producer can get in through the edge."""
        with self.log.batch() as batch:
            batch.append(topic, space, value, now)

    def _erase(self, wanted: Erase, now: int) -> None:
        """The erasure begins; whoever opens the whole system next finishes it."""
        extent = Extent(conversation_id=wanted.conversation_id, message_id=wanted.message_id)
        space = wanted.space
        begin(
            self.log, space, extent, now=now,
            remember=lambda batch, begun: save(batch, Work(space=space, extent=extent, begun=begun, at=now)),
        )  # fmt: skip


class Stores:
    """What outlives a process.

    Args:
        rng: decides what an index loses.
        fate: of the processes.
        partitions: of the log.
        directory: holds log and view; None keeps them in memory.
    """

    def __init__(self, rng: Random, fate: Fate, partitions: int = PARTITIONS, directory: Path | None = None) -> None:
        self._kept = MemoryStores(fate, partitions) if directory is None else RocksStores(fate, partitions, directory)
        self.index = MortalIndex(encoder().dimension, fate, rng)

    @property
    def log(self) -> Log:
        """As it is open now."""
        return self._kept.log

    @property
    def tables(self):
        """As they are open now."""
        return self._kept.tables

    def reopen(self) -> None:
        """As a new process finds them."""
        self._kept.reopen()
        self.index.reopen()

    def close(self) -> None:
        """Let go of the directory."""
        self._kept.close()

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
                self._kept.reopen()

    def opened(self, now: int) -> Embedded:
        """The whole system on the stores as they are, at an instant that stays."""
        index = self.index
        parts = Parts(log=self.log, tables=self.tables, encoder=encoder, index=lambda _: index, clock=lambda: now)
        return Embedded(parts, SETTINGS)
