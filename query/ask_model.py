"""A context as a question for a model: every statement and message under a short id that an answer can cite.

Ids of events and messages are long hashes, which models copy badly; labels are turned back when the answer is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from schemas.ids import MessageKey

from .api import ContextItem, QueryRequest
from .question import Asked
from .quotes import day


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What a label stands for: one statement of the graph block, or a message with the statements that rest on it."""

    events: tuple[str, ...]
    message: MessageKey | None


def labels_of(items: Sequence[ContextItem]) -> Mapping[str, Label]:
    """What can be cited, in the order of the context. E1, E2 … are the labels that ``render`` wrote."""
    found: dict[str, Label] = {}
    numbers: dict[str, int] = {}
    notes = 0
    for item in items:
        if item.kind == "path":
            for event_id in item.event_ids:
                number = numbers.setdefault(event_id, len(numbers) + 1)
                found[f"E{number}"] = Label(events=(event_id,), message=None)
        elif item.kind == "note":
            notes += 1
            found[f"N{notes}"] = Label(events=item.event_ids, message=MessageKey(*item.message_ids[0]))
    return found


def question_data(request: QueryRequest, asked: Asked, items: Sequence[ContextItem]) -> str:
    """Question and evidence as JSON, whose quoting is the fence: no text can end the string it stands in.

    Only days are told of the time, so that a question asked twice on a day is one question.
    """
    notes = [item.text for item in items if item.kind == "note"]
    data: dict[str, Any] = {
        "question": request.question,
        "asked": day(request.asked_at, 0),
        "as_of": day(asked.at, 0),
        "graph": [line for item in items if item.kind == "path" for line in item.text.splitlines()],
        "ruled_out": [item.text for item in items if item.kind == "ruled_out"],
        "notes": [{"id": f"N{number}", "text": text} for number, text in enumerate(notes, start=1)],
    }
    return json.dumps({name: value for name, value in data.items() if value}, ensure_ascii=False)
