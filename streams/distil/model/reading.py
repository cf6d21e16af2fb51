"""One reply, read: events that rest on the text, how many objects did not, and whether to ask again."""

from __future__ import annotations

from collections import Counter

import msgspec

from schemas.asking import ModelReplied
from schemas.events import Event
from schemas.sessions import SessionRevised

from ...llm.salvage import salvage
from .ground import ground
from .parts import Part
from .reply import FIELD, ModelEvent

PROBLEM_CHARS = 300
"""Of what was wrong, as it is told to the model and kept."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply holds.

    Attributes:
        events: grounded, in stated order, ids unique.
        invalid: objects not of the asked form, or about messages that were not shown: worth asking again.
        ungrounded: dropped, for a quote is not in its message.
        unsaid: dropped, for no person said it.
        whole: it is one complete answer.
        problem: what is wrong with it; empty when nothing is.
    """

    events: tuple[Event, ...]
    invalid: int
    ungrounded: int
    unsaid: int
    whole: bool
    problem: str


def read_reply(reply: ModelReplied, session: SessionRevised, part: Part) -> Reading:
    """Read a reply about a part. Never raises on any text."""
    found = salvage(reply.text, FIELD, ModelEvent)
    events: dict[str, Event] = {}
    dropped: Counter[str] = Counter()
    for item in found.items:
        event = ground(item, session, part)
        if isinstance(event, str):
            dropped[event] += 1
        else:
            events.setdefault(event.id, event)
    wrong = [*found.wrong, *(["an event names a message that was not shown"] if dropped["unknown message"] else [])]
    if dropped["ungrounded"] and not events:
        wrong.append("no quote stands in the message it names; copy the words exactly")
    problem = _problem(reply, found.problem) or "; ".join(wrong)
    return Reading(
        events=tuple(sorted(events.values(), key=lambda event: (event.stated, event.id))),
        invalid=len(found.wrong) + dropped["unknown message"],
        ungrounded=dropped["ungrounded"],
        unsaid=dropped["unsaid"],
        whole=found.whole and reply.outcome == "stop",
        problem=problem[:PROBLEM_CHARS],
    )


def _problem(reply: ModelReplied, broken: str) -> str:
    match reply.outcome:
        case "length":
            return "it was cut off at the limit of its length"
        case "refusal":
            return f"it was refused: {reply.error}"
        case "empty":
            return "there was nothing in it"
        case _:
            return broken
