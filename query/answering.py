"""Answering with a model: asked once, once more when its answer cannot be read, and else the extractive answer stands.

Whatever keeps the model from answering is said in the reply (``Answer.fallback``), and never raised.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from .answer import Extract
from .api import ContextItem, QueryRequest
from .ask_model import labels_of, question_data
from .cut import Cut
from .generated import Judged, judge, read_answer
from .plans import AGAIN, template_of
from .ports import AnswerModel, AnswerQuestion, NoReplyError
from .question import Asked

ATTEMPTS = 2


def generate(
    request: QueryRequest, asked: Asked, items: Sequence[ContextItem], cut: Cut, model: AnswerModel, rules: Extract
) -> Extract:
    """The model's answer from a context, or the rules' with why.

    Args:
        request: the question.
        asked: as it was understood.
        items: the context.
        cut: the space as read by this query.
        model: whom to ask.
        rules: the extractive answer.
    """
    data, problem = question_data(request, asked, items), ""
    for attempt in range(1, ATTEMPTS + 1):
        again = AGAIN.format(problem=problem) if problem else ""
        try:
            reply = model.ask(request.space, AnswerQuestion(system=template_of(asked.shape), data=data, again=again))
        except NoReplyError as none:
            return _fallback(rules, str(none))
        given = read_answer(reply)
        if isinstance(given, str):
            problem = given
            model.read(reply, kept=0, dropped=0, outcome="retried" if attempt < ATTEMPTS else "parked", problem=given)
            continue
        judged = judge(given, labels_of(items), items, asked, cut, model.producer)
        model.read(
            reply, kept=len(given.citations) - judged.answer.dropped, dropped=judged.answer.dropped,
            outcome="parked" if judged.stale else "done", problem=judged.stale,
        )  # fmt: skip
        return _fallback(rules, judged.stale) if judged.stale else _told(judged)
    return _fallback(rules, problem)


def _fallback(rules: Extract, why: str) -> Extract:
    return Extract(answer=msgspec.structs.replace(rules.answer, fallback=why), citations=rules.citations)


def _told(judged: Judged) -> Extract:
    return Extract(answer=judged.answer, citations=judged.citations)
