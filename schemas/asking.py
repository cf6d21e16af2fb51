"""Topics ``asks`` and ``replies``: what a language model is to be asked, what it said, and what came of that.

A reply could be otherwise the next time, so it is a record: a replay reads it and asks nobody.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from .record import Record

AskingStage = Literal["distil", "link", "answer"]
"""Who asks. ``answer`` is no stage of the flow: a question that somebody put is answered from its context."""

ReplyOutcome = Literal["stop", "length", "refusal", "empty", "failed"]
"""How a call ended: whole, cut at the token limit, refused, nothing in it, or no reply at all after several tries."""

ReadOutcome = Literal["done", "retried", "split", "parked"]
"""What came of a reply: used up, asked once more, asked again in halves, or given up."""


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A turn of the conversation with the model."""

    role: Literal["system", "user", "assistant"]
    content: str


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A whole request, as far as it decides the reply: whoever has it can ask, here or in a provider's batch.

    ``schema`` is the JSON Schema of the reply as text, ``schema_name`` what it is called; how the endpoint is made to
    keep to it is the client's affair. ``reply_max_tokens``: where the reply is cut.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    schema_name: str
    schema: str
    reply_max_tokens: int


class ModelAsked(Record, frozen=True, kw_only=True, tag="model_asked"):
    """A question for the model. ``ask_id`` is the hash of session and prompt: the same question has one reply.

    ``session_id`` is empty when it is about no session (``answer``).

    ``conversation_id`` is None when it is about statements of several. ``about``: keys of the things it numbers (pairs
    of statements), in their order; empty for a session, whose messages number themselves. ``learned_at``: of what led
    to it.
    """

    stage: AskingStage
    ask_id: str
    producer: str
    session_id: str
    conversation_id: str | None
    prompt: Prompt
    about: tuple[str, ...]
    learned_at: int


class AskWithdrawn(Record, frozen=True, kw_only=True, tag="ask_withdrawn"):
    """Nobody waits for the reply any more: what the question shows was edited, retracted, or went on meanwhile.

    Whoever has not asked it by now does not. The same question may come up again later. ``learned_at``: of what led to
    it.
    """

    stage: AskingStage
    ask_id: str
    session_id: str
    learned_at: int


class ModelReplied(Record, frozen=True, kw_only=True, tag="model_replied"):
    """What the model said, word for word, and what it took.

    Attributes:
        about: as in ``ModelAsked``: what the reply says can be used whoever asks it again in other company.
        outcome: how it ended; see ``ReplyOutcome``.
        text: the reply; empty when there was none.
        error: of a refusal or failure, for people; else empty.
        model: as the endpoint names it.
        via: asked here, or by a batch of the provider whose results were imported.
        calls: requests sent for it, those that failed included.
        cost_usd: by the prices in the settings; 0 where none are set.
        at: microseconds UTC.
    """

    stage: AskingStage
    ask_id: str
    session_id: str
    about: tuple[str, ...]
    outcome: ReplyOutcome
    text: str
    error: str
    model: str
    via: Literal["live", "batch"]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    at: int


class ReplyRead(Record, frozen=True, kw_only=True, tag="reply_read"):
    """What a stage made of a reply.

    Attributes:
        kept: events or verdicts taken from it.
        invalid: objects that do not keep to the schema or name what was not asked about.
        ungrounded: events whose quote is not in the message they name; dropped.
        unsaid: events that no user said (an assistant's own words, recalled text); dropped.
        outcome: what comes next; see ``ReadOutcome``.
        problem: what was wrong, for people; empty when nothing was.
    """

    stage: AskingStage
    ask_id: str
    session_id: str
    producer: str
    kept: int
    invalid: int
    ungrounded: int
    unsaid: int
    outcome: ReadOutcome
    problem: str
    learned_at: int


AskRecord = ModelAsked | AskWithdrawn
ReplyRecord = ModelReplied | ReplyRead
