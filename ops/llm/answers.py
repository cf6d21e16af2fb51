"""A model that answers questions of readers: what it said before is read from the record, the rest is asked now.

A question and its reply are records like those of the stages, written together once the reply is there: a reader who
leaves, or a kill in between, leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ops.observing import Observer
from query.generated import ModelAnswer
from query.plans import AGAIN, template_of
from query.ports import AnswerQuestion, NoReplyError
from query.shapes import SHAPES
from schemas.asking import ModelAsked, ModelReplied, ReadOutcome, ReplyRead
from schemas.codec import encode
from schemas.ids import SpaceKey
from streams.llm.asking import Model, ask_id, make_prompt, producer_name, prompt_hash
from streams.llm.desk import find_answer
from streams.llm.schema import reply_schema
from streams.log import Log

from .questions import DESK_PREFIX, DESK_TABLE
from .settings import LlmSettings

if TYPE_CHECKING:
    from .asker import Asker

RULES_VERSION = 1
"""Raise it with every change of how evidence is shown or an answer is checked: it is part of the prompt's hash."""

SCHEMA_NAME = "answer"


def answer_producer(model: Model) -> str:
    """Name of the producer that a model with these prompts is."""
    words = [template_of(shape) for shape in SHAPES]
    return producer_name(model, prompt_hash(*words, AGAIN, reply_schema(ModelAnswer), str(RULES_VERSION)))


class Answers:
    """``query.ports.AnswerModel``. Thread-safe.

    Args:
        log: holds recorded replies.
        settings: with a model.
        asker: asks the endpoint; None where nobody does.
        clock: microseconds UTC.
        observer: told what became of replies.
    """

    def __init__(
        self, log: Log, settings: LlmSettings, asker: Asker | None, clock: Callable[[], int], observer: Observer
    ) -> None:
        model = settings.asked_model()
        assert model is not None, "nobody to ask"
        self._log = log
        self._settings = settings
        self._model = model
        self._asker = asker
        self._now = clock
        self._observer = observer
        self.producer = answer_producer(model)

    def ask(self, space: SpaceKey, question: AnswerQuestion) -> ModelReplied:
        """The recorded reply, else a new one."""
        asked = self._asked(space, question)
        known = find_answer(self._log, DESK_TABLE, DESK_PREFIX, asked.ask_id)
        if known is not None:
            return known
        if self._asker is None:
            why = "no endpoint is set, and no reply was imported"
            raise NoReplyError(why if self._settings.endpoint is None else "this process may not ask the endpoint")
        return self._asker.ask_now(asked, self._settings.answer_timeout_s)

    def read(self, reply: ModelReplied, *, kept: int, dropped: int, outcome: ReadOutcome, problem: str) -> None:
        """Count it."""
        self._observer.model_read(
            ReplyRead(
                tenant=reply.tenant, space=reply.space, stage="answer", ask_id=reply.ask_id, session_id="",
                producer=self.producer, kept=kept, invalid=dropped, ungrounded=0, unsaid=0, outcome=outcome,
                problem=problem, learned_at=reply.at,
            )
        )  # fmt: skip

    def _asked(self, space: SpaceKey, question: AnswerQuestion) -> ModelAsked:
        prompt = make_prompt(
            self._model,
            system=question.system,
            data=question.data,
            schema_name=SCHEMA_NAME,
            schema=reply_schema(ModelAnswer),
            problem=question.again,
        )
        return ModelAsked(
            tenant=space.tenant, space=space.space, stage="answer", ask_id=ask_id(space, "", prompt),
            producer=self.producer, session_id="", conversation_id=None, prompt=prompt, about=(),
            learned_at=self._now(),
        )  # fmt: skip


class LaterAnswers(Answers):
    """The same for questions that are to be answered elsewhere: they are put on the desk instead of being asked."""

    def ask(self, space: SpaceKey, question: AnswerQuestion) -> ModelReplied:
        """The recorded reply; else the question is recorded."""
        asked = self._asked(space, question)
        known = find_answer(self._log, DESK_TABLE, DESK_PREFIX, asked.ask_id)
        if known is not None:
            return known
        with self._log.batch() as batch:
            batch.append("asks", space, encode(asked), self._now())
        raise NoReplyError("it is to be asked")
