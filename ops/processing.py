"""The processors of the embedded system: every stage, the view and the index, batch by batch in one order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ops.embedding import MeasuredEmbed
from ops.indexing import Indexer
from ops.limits import session_limits
from ops.llm.stages import distil_stage, link_stage
from ops.observing import Lag, Observer
from ops.pipeline import StageRunner, read_position
from ops.settings import Settings
from ops.timer import Timer
from ops.viewing import LiveView
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.link.stage import LinkStage
from streams.log import Log
from streams.sessions.stage import Sessionize
from streams.themes.stage import ThemesStage

if TYPE_CHECKING:
    from ops.llm.asker import Asker
    from streams.ports import Stage
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex


STEP_S = 0.25
"""Of one stage, before the lock is given up: readers of the view, and a stop, wait for a step of all stages."""


class Processors:
    """Works off what waits in the log. Thread-safe: one step at a time, whoever asks for it.

    Args:
        log: what is read and written.
        view: maintained by a step, between the stages and the index.
        settings: limits and batch sizes.
        clock: microseconds UTC.
        observer: told what every consumer did.
        encoder: for links, themes and the index.
        index: the vector index to maintain.
        asker: asks a model what the stages want to know, while they go on; None where nobody is asked.
    """

    def __init__(
        self,
        log: Log,
        view: LiveView,
        settings: Settings,
        *,
        clock: Callable[[], int],
        observer: Observer,
        encoder: Encoder,
        index: VectorIndex,
        asker: Asker | None = None,
    ) -> None:
        batch = settings.stage_batch_records
        self._log = log
        self._view = view
        self._timer = Timer(log, view)
        self._now = clock
        self._lock = threading.RLock()
        self._sessionize = StageRunner(log, Sessionize(session_limits(settings)), batch, observer, STEP_S)
        stages = _stages(settings, encoder)
        self._later_stages = tuple(StageRunner(log, stage, batch, observer, STEP_S) for stage in stages)
        self._asker = asker
        self._settled = 0
        self._indexer = Indexer(log, view, MeasuredEmbed(index, encoder, observer), batch, observer)

    def held(self) -> threading.RLock:
        """No step runs while this is held (``with``)."""
        return self._lock

    def run(self) -> int:
        """Process what is waiting until nothing is left to do now."""
        done = 0
        while step := self.step():
            done += step
        return done

    def step(self) -> int:
        """One batch of every consumer, in the order of the flow; time passes once."""
        with self._lock:
            now = self._now()
            done = self._sessionize.step(now) + self._sessionize.tick(now)
            done += sum(stage.step(now) for stage in self._later_stages)
            if self._asker is not None:
                self._asker.poke()
            done += self._timer.step(now) + self._view.step(now)
            return done + self._indexer.step()

    def flush(self, space: SpaceKey | None = None) -> None:
        """Close open sessions and process everything."""
        with self._lock:
            self.run()
            self._sessionize.flush(self._now(), space)
            self.run()

    def settle(self) -> bool:
        """Wait for a reply of the model and work it off; False when none is to be expected now."""
        if self._asker is None:
            return False
        replies = self._asker.settle(self._settled)
        self.run()
        came, self._settled = replies > self._settled, replies
        return came

    def close(self) -> None:
        """Ask nobody any more."""
        if self._asker is not None:
            self._asker.close()

    def apply_events(self, partition: int) -> None:
        """Work until every set of events accepted so far is linked and in the view, whatever else is waiting."""
        events = self._log.end("events", partition)
        while read_position(self._log, LinkStage.name, "events", partition) < events and self.step():
            pass
        edges = self._log.end("edges", partition)
        while not self._view.has_read(partition, events=events, edges=edges) and self.step():
            pass

    def relink(self, partition: int) -> None:
        """Work until every choice of producers and every name so far is followed, and what came of it in the view."""
        ends: dict[TopicName, int] = {t: self._log.end(t, partition) for t in LinkStage.inputs}
        while any(read_position(self._log, LinkStage.name, t, partition) < end for t, end in ends.items()):
            if self.step() == 0:
                break
        edges = self._log.end("edges", partition)
        while not self._view.has_read(partition, events=ends["events"], edges=edges) and self.step():
            pass

    def lags(self) -> Iterator[Lag]:
        """What every consumer has still to read; the view tells its own."""
        for stage in (self._sessionize, *self._later_stages):
            yield from stage.lags()
        yield from self._indexer.lags()


def _stages(settings: Settings, encoder: Encoder) -> Iterator[Stage]:
    """The stages after sessionize, in the order of the flow."""
    yield distil_stage(settings)
    yield ThemesStage(encoder)
    yield link_stage(settings, encoder)
    if settings.llm.model is not None:
        from streams.llm.desk import Desk

        yield Desk()
