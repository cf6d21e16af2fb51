"""The part of ``ops.system.System`` that concerns questions: those of readers, and those to a language model."""

from __future__ import annotations

from collections.abc import Iterator

from ops.answering import Answering
from ops.llm.completion import Completion
from ops.llm.questions import Questions, Recorded, Standing
from query.api import QueryRequest, QueryResult
from schemas.asking import AskingStage, ModelAsked
from schemas.ids import SpaceKey


class Asked:
    """See ``ops.system.System`` for what each method means. ``answering`` and ``questions`` do the work."""

    answering: Answering
    questions: Questions

    def query(self, request: QueryRequest) -> QueryResult:
        """Answer a question."""
        return self.answering.query(request)

    def ask_later(self, request: QueryRequest) -> QueryResult:
        """Answer it, and put on the desk what a model is to be asked for it."""
        return self.answering.ask_later(request)

    def questions_of(self, space: SpaceKey) -> Standing:
        """What is open of the space."""
        return self.questions.standing(space)

    def open_questions(self, space: SpaceKey, stage: AskingStage) -> Iterator[ModelAsked]:
        """The open ones of a stage."""
        return self.questions.open(space, stage)

    def record_reply(self, ask_id: str, answer: Completion) -> tuple[SpaceKey | None, Recorded]:
        """Record a reply from elsewhere."""
        return self.questions.record(ask_id, answer)
