"""Reading a space anew with another producer: asked beside the live view, compared with it, then switched to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ops.llm.stages import link_stage
from ops.pipeline import StageRunner
from ops.settings import Settings
from ops.viewing import LiveView
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from streams.llm.desk import Desk
from streams.log import Log
from streams.ports import Encoder, Stage

from .relinking import Relink
from .shadow import Comparison, Shadow, compare, record_all

if TYPE_CHECKING:
    from .asker import Asker


class Redistilled(msgspec.Struct, frozen=True, kw_only=True):
    """How far another producer has come with a space.

    Attributes:
        producer: its name.
        open: questions that nobody has answered yet; the comparison leaves the rules' sets for their sessions.
        away: why they are not asked just now; None when nothing is wrong, or nobody is to be asked.
        comparison: the live view against that of the producer.
    """

    producer: str
    open: int
    away: str | None
    comparison: Comparison


class Redistilling:
    """One run of it, by whoever may write the store. The processors must not run meanwhile.

    Args:
        log: of the store.
        view: the live one.
        encoder: for links.
        present: the settings of the store: by them the present producer's statements are related.
        settings: with the other model, or none.
        asker: asks that model; None where nobody does.
        now: microseconds UTC.
        after_replies: called whenever replies were recorded.
    """

    def __init__(
        self,
        log: Log,
        view: LiveView,
        encoder: Encoder,
        present: Settings,
        settings: Settings,
        asker: Asker | None,
        now: int,
        after_replies: Callable[[], None] = lambda: None,
    ) -> None:
        self._log = log
        self._view = view
        self._encoder = encoder
        self._settings = settings
        self._asker = asker
        self._now = now
        self._after_replies = after_replies
        self._sets: list[EventsDistilled] = []
        self._desk = StageRunner(log, Desk(), settings.stage_batch_records)
        self._present = link_stage(present, encoder)
        self._links = link_stage(settings, encoder)

    def run(self, space: SpaceKey, *, record: bool) -> Redistilled:
        """Ask what was not asked before, wait for the replies there will be, and compare.

        Args:
            space: which one.
            record: also write the producer's sets to the log, when nothing is open; they count once it is activated.
        """
        shadow, asker = Shadow(self._log, space, self._settings, self._encoder, self._now), self._asker
        left, seen = shadow.run(), 0 if asker is None else asker.replies
        while left:
            record_all(self._log, "asks", left, self._now)
            self._work_off()
            replies = seen if asker is None else asker.settle(seen)
            if replies == seen:
                break
            seen = replies
            self._work_off()
            self._after_replies()
            left = shadow.run()
        self._after_replies()
        away = None if asker is None else asker.away
        self._sets = [] if left else shadow.sets()
        if record and not left:
            self.record_sets()
            self._link(self._present)
            self._link(self._links)
        found = compare(self._view.snapshot(space), shadow.snapshot())
        return Redistilled(producer=shadow.producer, open=len(left), away=away, comparison=found)

    def record_sets(self) -> None:
        """The producer's sets, as the last run made them when nothing was left to ask."""
        record_all(self._log, "events", self._sets, self._now)

    def switched(self, space: SpaceKey) -> None:
        """Relate the statements as the comparison did, by what the other model said of their pairs.

        Call it right after the producer was activated: whoever reads that first relates them by his own verdicts.
        """
        self._link(self._links)
        relink = Relink(self._links, space, f"switched {self._now}")
        StageRunner(self._log, relink, self._settings.stage_batch_records).tick(self._now)

    def _link(self, stage: Stage) -> None:
        """Read on with the stage. The present one reads the new sets: before the activation the other one would ask
        about statements that are not its own. That one may have replies to read that are of no use to the former."""
        runner = StageRunner(self._log, stage, self._settings.stage_batch_records)
        while runner.step(self._now):
            pass

    def _work_off(self) -> None:
        while self._desk.step(self._now):
            pass
