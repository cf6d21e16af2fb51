"""Answers of the embedded system: from the view and the index, worded by a model where one may."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ops.erasing.work import Mark, mark_of
from ops.heap import keep as keep_in_heap
from ops.once import opened_once
from ops.parts import Parts
from ops.settings import Settings
from ops.viewing import LiveView
from query.api import QueryRequest, QueryResult

if TYPE_CHECKING:
    from ops.llm.answers import AnswerDesk, Answers
    from query.engine import QueryEngine
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex


class Answering:
    """Thread-safe.

    Args:
        parts: what the system is made of.
        settings: of queries and of the model.
        view: read in cuts.
        encoder: opened when it is needed.
        index: likewise.
    """

    def __init__(
        self,
        parts: Parts,
        settings: Settings,
        view: LiveView,
        *,
        encoder: Callable[[], Encoder],
        index: Callable[[], VectorIndex],
    ) -> None:
        self._parts = parts
        self._settings = settings
        self._view = view
        self._encoder = encoder
        self._index = index

    @opened_once
    def _engine(self) -> QueryEngine:
        from query.engine import QueryEngine
        from query.search import IndexSearch

        engine = QueryEngine(IndexSearch(self._index(), self._encoder()), self._settings.query)
        keep_in_heap()
        return engine

    def query(self, request: QueryRequest) -> QueryResult:
        """Answer a question."""
        observer = self._parts.observer
        steps, since = observer.asked(), mark_of(self._parts.log, request.space)
        cut, basis = self._view.read(request.space, request.known_at)
        model = self._model(since)
        result = self._engine.query(request, cut, cut, basis, cut.ruled_out(), steps, model)
        observer.answered(result)
        return result

    def ask_later(self, request: QueryRequest) -> QueryResult:
        """Answer a question, and put on the desk what a model is to be asked for it."""
        from ops.llm.answers import LaterDesk

        log, since = self._parts.log, mark_of(self._parts.log, request.space)
        cut, basis = self._view.read(request.space, request.known_at)
        later = self._answers(LaterDesk(log, self._settings.llm, since, self._parts.clock))
        return self._engine.query(request, cut, cut, basis, cut.ruled_out(), model=later)

    def _model(self, since: Mark) -> Answers | None:
        """Who words answers; nobody unless the settings say so."""
        llm = self._settings.llm
        if llm.model is None or not llm.answer:
            return None
        from ops.llm.answers import LogDesk

        return self._answers(LogDesk(self._parts.log, llm, self._parts.asker, since))

    def _answers(self, desk: AnswerDesk) -> Answers:
        from ops.llm.answers import Answers

        return Answers(desk, self._settings.llm, self._parts.clock, self._parts.observer)
