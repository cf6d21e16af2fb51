"""What a model answered, read and checked against the context: nothing is told that the view contradicts.

An answer that cites nothing it was shown is "not known". One that tells as present what the view has as past is not
told at all: the extractive answer is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from schemas.asking import ModelReplied
from views.rows import EventRow

from .answer import can_answer
from .api import Answer, Citation, ContextItem
from .ask_model import Label
from .cut import Cut
from .markers import is_past
from .question import Asked
from .quotes import citations_of

PROBLEM_CHARS = 300

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_PAST_WORD = re.compile(
    r"\b(was|were|had|did|until|till|before|former\w*|previous\w*|earlier|originally|initially|at first|once|no longer"
    r"|not any ?more|used to|ended|left|back then|in the past|ago|instead of|rather than|not|never|\w{2,}ed)\b",
    re.I,
)
_DECODER = json.JSONDecoder()


class Cited(msgspec.Struct, frozen=True, kw_only=True):
    """A label of the context, and how the answer tells what it says."""

    id: Annotated[str, msgspec.Meta(max_length=200)]
    told_as: Literal["current", "past", "planned"]


class ModelAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer; the fields are explained in the prompt (``plans``)."""

    reason: str
    known: bool
    answer: str
    citations: Annotated[tuple[Cited, ...], msgspec.Meta(max_length=100)]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that may be told; or, with ``stale``, why not."""

    answer: Answer
    citations: tuple[Citation, ...]
    stale: str


def read_answer(reply: ModelReplied) -> ModelAnswer | str:
    """The answer of a reply, or what is wrong with it. Never raises on any text."""
    match reply.outcome:
        case "length":
            return "it was cut off at the limit of its length"
        case "refusal":
            return f"it was refused: {reply.error}"[:PROBLEM_CHARS]
        case "empty" | "failed":
            return "there was nothing in it"
        case "stop":
            pass
    start = reply.text.find("{")
    if start < 0:
        return "no JSON object in it"
    try:
        _, end = _DECODER.raw_decode(reply.text, start)
        return msgspec.json.decode(reply.text[start:end], type=ModelAnswer)  # strict: no half surrogates
    except (ValueError, RecursionError) as error:
        return f"not of the asked form: {error}"[:PROBLEM_CHARS]


def judge(
    given: ModelAnswer,
    labels: Mapping[str, Label],
    items: Sequence[ContextItem],
    asked: Asked,
    cut: Cut,
    producer: str,
) -> Judged:
    """Check an answer.

    Args:
        given: as the model gave it.
        labels: of the context it was shown.
        items: that context.
        asked: the question.
        cut: the space as read by this query.
        producer: who answers.
    """
    cited = {one.id: one for one in given.citations if one.id in labels}
    dropped = len(given.citations) - sum(one.id in labels for one in given.citations)
    if not given.known or not given.answer.strip() or not cited:
        why = "the evidence does not answer it" if not given.known else "the answer that was given names no evidence"
        text = f"Not known: {why}."
        return _judged(
            Answer(text=text, known=False, kind="generated", event_ids=(), producer=producer, dropped=dropped)
        )
    rows = {label: cut.rows(labels[label].events) for label in cited}
    shown = cut.rows(list(dict.fromkeys(event_id for item in items for event_id in item.event_ids)))
    stale = (
        _misdeclared(cited, rows, asked)
        or _only_past(labels, rows, asked)
        or _past_value(given.answer, shown, asked.at)
    )
    used = [row for label, one in cited.items() for row in rows[label] if _is_used(row, one, labels[label], asked.at)]
    answer = Answer(
        text=given.answer.strip(),
        known=True,
        kind="generated",
        event_ids=tuple(dict.fromkeys(row.event.id for row in used)),
        producer=producer,
        dropped=dropped,
    )
    return _judged(answer, _citations([labels[label] for label in cited], cut), stale)


def _judged(answer: Answer, citations: Iterable[Citation] = (), stale: str = "") -> Judged:
    return Judged(answer=answer, citations=tuple(citations), stale=stale)


def _misdeclared(cited: Mapping[str, Cited], rows: Mapping[str, Sequence[EventRow]], asked: Asked) -> str:
    """A cited statement that is past or planned, told as present. Of a message all that it says must be."""
    for label, one in cited.items():
        listed = rows[label]
        if one.told_as == "current" and listed and all(is_past(row, asked.at) for row in listed):
            return f"it tells {label} as current, which is past"
        if one.told_as != "planned" and listed and all(_is_open_plan(row, asked.at) for row in listed):
            return f"it tells {label} as {one.told_as}, which is planned"
    return ""


def _only_past(labels: Mapping[str, Label], rows: Mapping[str, Sequence[EventRow]], asked: Asked) -> str:
    """A question about the present, answered from nothing but what is past."""
    if asked.former or asked.past_tense or asked.shape == "temporal" or asked.period is not None:
        return ""
    able = [not listed or any(can_answer(row, asked) for row in listed) for listed in rows.values()]
    return "" if any(able) else "it rests on nothing that still holds"


def _past_value(text: str, shown: Sequence[EventRow], at: int) -> str:
    """A value that is past stands in a sentence without a word that says so."""
    current = {_value(row) for row in shown if not is_past(row, at)}
    past = sorted({_value(row) for row in shown if is_past(row, at)} - current - {""})
    for sentence in _SENTENCE.split(text):
        for value in past:
            if re.search(rf"\b{re.escape(value)}\b", sentence.casefold()) and not _PAST_WORD.search(sentence):
                return f"it tells {value!r} as present, which is past"
    return ""


def _value(row: EventRow) -> str:
    return " ".join((row.event.value or "").casefold().split())


def _is_open_plan(row: EventRow, at: int) -> bool:
    return row.event.modality == "planned" and not is_past(row, at)


def _is_used(row: EventRow, one: Cited, label: Label, at: int) -> bool:
    """Of a message that is cited, what no longer holds is no support for the present."""
    return label.message is None or one.told_as == "past" or not is_past(row, at)


def _citations(labels: Iterable[Label], cut: Cut) -> Iterable[Citation]:
    for label in labels:
        if label.message is None:
            for row in cut.rows(label.events):
                yield from citations_of(row.event, cut)
            continue
        note = cut.note(label.message)
        if note is not None:
            yield Citation(
                event_id="", conversation_id=note.conversation_id, message_id=note.message_id, speaker=note.speaker,
                sent_at=note.sent_at, utc_offset_min=note.utc_offset_min, quote=note.content,
            )  # fmt: skip
