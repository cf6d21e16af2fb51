"""Judging every pair of a space anew, as a step of the stage that links: its state and outputs are one write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemas.codec import BadRecordError
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.link.stage import LinkStage
from streams.ports import Entry, Output, StageState

if TYPE_CHECKING:
    from streams.link.model.stage import ModelLinkStage


class Relink:
    """Reads nothing and has the linking stage's rows; every tick judges all sessions anew.

    Satisfies ``streams.ports.Stage``.

    Args:
        stage: judges.
        space: which one.
        cause: names this tick among all others.
    """

    name = LinkStage.name
    inputs: tuple[TopicName, ...] = ()

    def __init__(self, stage: LinkStage | ModelLinkStage, space: SpaceKey, cause: str) -> None:
        self._stage = stage
        self._space = space
        self._cause = cause

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Nothing is read. Raises ``BadRecordError``."""
        raise BadRecordError("relinking reads no records")

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """The sets that changed."""
        return self._stage.all_judged_anew(self._space, self._cause, state)
