"""A model that answers questions of readers: what it said before is read from the record, the rest is asked now.

A question and its reply are records like those of the stages, written once the reply is there: a reader who leaves, or
a kill in between, leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol

from ops.erasing.work import Mark, may_write
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


@cache
def answer_producer(model: Model) -> str:
    """Name of the producer that a model with these prompts is."""
    words = [template_of(shape) for shape in SHAPES]
    return producer_name(model, prompt_hash(*words, AGAIN, reply_schema(ModelAnswer), str(RULES_VERSION)))


class AnswerDesk(Protocol):
    """Where replies to readers' questions are kept, and got."""

    def find(self, ask_id: str) -> ModelReplied | None:
        """A reply that was given before."""
        ...

    def ask(self, asked: ModelAsked) -> ModelReplied:
        """A new reply, recorded with its question.

        Raises:
            NoReplyError: there is none now, and why.
        """
        ...


class Answers:
    """``query.ports.AnswerModel``. Thread-safe.

    Args:
        desk: keeps and gets replies.
        settings: with a model.
        clock: microseconds UTC.
        observer: told what became of replies.
    """

    def __init__(self, desk: AnswerDesk, settings: LlmSettings, clock: Callable[[], int], observer: Observer) -> None:
        model = settings.asked_model()
        assert model is not None, "nobody to ask"
        self._desk = desk
        self._model = model
        self._now = clock
        self._observer = observer
        self.producer = answer_producer(model)

    def ask(self, space: SpaceKey, question: AnswerQuestion) -> ModelReplied:
        """The recorded reply, else a new one."""
        asked = self._asked(space, question)
        known = self._desk.find(asked.ask_id)
        return self._desk.ask(asked) if known is None else known

    def read(self, reply: ModelReplied, *, kept: int, dropped: int, outcome: ReadOutcome, problem: str) -> None:
        """Count it."""
        self._observer.model_told(
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


class LogDesk:
    """``AnswerDesk`` on the embedded log, whose desk stage keeps the replies.

    Args:
        log: holds recorded replies.
        settings: with a model.
        asker: asks the endpoint; None where nobody does.
        since: when the evidence of the questions was read.
    """

    def __init__(self, log: Log, settings: LlmSettings, asker: Asker | None, since: Mark) -> None:
        self._log = log
        self._settings = settings
        self._asker = asker
        self._since = since

    def find(self, ask_id: str) -> ModelReplied | None:
        """As the desk has it."""
        return find_answer(self._log, DESK_TABLE, DESK_PREFIX, ask_id)

    def ask(self, asked: ModelAsked) -> ModelReplied:
        """Of the endpoint, where this process may ask it."""
        if self._asker is None:
            why = "no endpoint is set, and no reply was imported"
            raise NoReplyError(why if self._settings.endpoint is None else "this process may not ask the endpoint")
        return self._asker.ask_now(asked, self._settings.answer_timeout_s, self._since)


class LaterDesk(LogDesk):
    """The same for questions that are to be answered elsewhere: they are put on the desk instead of being asked."""

    def __init__(self, log: Log, settings: LlmSettings, since: Mark, clock: Callable[[], int]) -> None:
        super().__init__(log, settings, None, since)
        self._clock = clock

    def ask(self, asked: ModelAsked) -> ModelReplied:
        """Record the question, unless something was erased since its evidence was read."""
        with self._log.batch() as batch:
            if not may_write(self._log, asked.key, self._since):
                raise NoReplyError("something of this space is being erased; ask again")
            batch.append("asks", asked.key, encode(asked), self._clock())
        raise NoReplyError("it is to be asked")
