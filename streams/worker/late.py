"""A stage whose code is loaded with its first record: a worker that comes back need not wait for all it can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from schemas.topics import TopicName

from ..ports import Entry, Output, Stage, StageState


class LateStage:
    """Satisfies ``streams.ports.Stage``.

    Args:
        name: of the stage that is made.
        inputs: its inputs.
        make: imports and makes it, in the thread that folds.
    """

    def __init__(self, name: str, inputs: tuple[TopicName, ...], make: Callable[[], Stage]) -> None:
        self.name = name
        self.inputs = inputs
        self._make = make

    @cached_property
    def made(self) -> Stage:
        """The stage itself."""
        stage = self._make()
        assert (stage.name, tuple(stage.inputs)) == (self.name, self.inputs), "another stage was promised"
        return stage

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        return self.made.apply(entry, state, now)

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        return self.made.tick(state, now)
