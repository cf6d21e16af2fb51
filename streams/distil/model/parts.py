"""A session as questions: whole, or split at message borders where it is long, each part with what came before it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from schemas.asking import Prompt
from schemas.sessions import SessionMessage, SessionRevised
from schemas.times import from_us

from ...llm.asking import Model, make_prompt, producer_name, prompt_hash
from ...llm.prompts import distil as words
from ...llm.schema import reply_schema
from ...participants import roster_of
from .reply import DistilReply

RULES_VERSION = 2
"""Raise it with every change of how a session is shown or an answer is read: it is part of the prompt's hash."""

PART_CHARS = 8_000
"""Text of one question, about 2,000 tokens, so that its answer (at most some 150 tokens for 200 characters of dense
talk) seldom meets the limit of a reply, 8,192 unless set."""

OVERLAP = 3
"""Messages shown again before a part, for whom "he" and "it" mean. Nothing is distilled from them twice."""


class Part(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Messages ``[start, stop)`` of the session."""

    start: int
    stop: int

    @property
    def halves(self) -> tuple[Part, Part] | None:
        """Two parts of about equal length; None for a single message."""
        middle = (self.start + self.stop) // 2
        if middle == self.start:
            return None
        return Part(start=self.start, stop=middle), Part(start=middle, stop=self.stop)


def parts_of(session: SessionRevised) -> tuple[Part, ...]:
    """The session in parts of at most ``PART_CHARS`` characters; a longer message is a part of its own."""
    parts: list[Part] = []
    start = size = 0
    for place, message in enumerate(session.messages):
        length = len(message.content)
        if place > start and size + length > PART_CHARS:
            parts.append(Part(start=start, stop=place))
            start, size = place, 0
        size += length
    if session.messages:
        parts.append(Part(start=start, stop=len(session.messages)))
    return tuple(parts)


def distil_hash() -> str:
    """Of everything that shapes a question apart from the session."""
    limits = f"{RULES_VERSION}/{PART_CHARS}/{OVERLAP}"
    return prompt_hash(words.SYSTEM, words.AGAIN, reply_schema(DistilReply), limits)


def distil_producer(model: Model) -> str:
    """Name of the producer that a model with this prompt is."""
    return producer_name(model, distil_hash())


def question(model: Model, session: SessionRevised, part: Part, problem: str = "") -> Prompt:
    """What is asked about a part. Messages keep their number of the whole session, from 1."""
    first = max(0, part.start - OVERLAP)
    shown = [
        _shown(number, message, context=number - 1 < part.start)
        for number, message in enumerate(session.messages[first : part.stop], start=first + 1)
    ]
    data = {"people": _people(session.messages, session), "messages": shown}
    return make_prompt(
        model,
        system=words.SYSTEM,
        data=json.dumps(data, ensure_ascii=False, separators=(",", ":")),
        schema_name=words.__name__.rpartition(".")[2],
        schema=reply_schema(DistilReply),
        problem=words.AGAIN.format(problem=problem) if problem else "",
    )


def _people(messages: Sequence[SessionMessage], session: SessionRevised) -> list[str]:
    return list(roster_of(session).people)


def _shown(number: int, message: SessionMessage, *, context: bool) -> dict[str, object]:
    """A message as data: JSON quoting is the fence, for no text can end the string it stands in."""
    shown: dict[str, object] = {
        "n": number,
        "sent": from_us(message.sent_at, message.utc_offset_min).strftime("%A %Y-%m-%d %H:%M"),
        "speaker": message.speaker,
        "role": message.role,
        "text": message.content,
    }
    return shown | {"context": True} if context else shown
