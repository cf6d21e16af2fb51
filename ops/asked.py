"""The part of ``ops.system.System`` that concerns questions to a language model."""

from __future__ import annotations

from collections.abc import Iterator

from ops.llm.completion import Completion
from ops.llm.questions import Questions, Recorded, Standing
from schemas.asking import AskingStage, ModelAsked
from schemas.ids import SpaceKey


class Asked:
    """See ``ops.system.System`` for what each method means. ``questions`` does the work."""

    questions: Questions

    def questions_of(self, space: SpaceKey) -> Standing:
        """What is open of the space."""
        return self.questions.standing(space)

    def open_questions(self, space: SpaceKey, stage: AskingStage) -> Iterator[ModelAsked]:
        """The open ones of a stage."""
        return self.questions.open(space, stage)

    def record_reply(self, ask_id: str, answer: Completion) -> tuple[SpaceKey | None, Recorded]:
        """Record a reply from elsewhere."""
        return self.questions.record(ask_id, answer)
