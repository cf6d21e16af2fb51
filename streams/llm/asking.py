"""Questions for a model: which model, under which limits, and the ids and producer names that follow from them."""

from __future__ import annotations

import msgspec

from schemas.asking import ChatMessage, Prompt
from schemas.ids import SpaceKey, digest

HASH_CHARS = 8
"""Of a prompt's hash, in a producer's name."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Which model is asked. ``reply_max_tokens``: where its replies are cut."""

    name: str
    reply_max_tokens: int = 8_192


def prompt_hash(*parts: str) -> str:
    """Hash of everything that shapes the questions of a stage apart from the data: words, schema, rules, limits."""
    return digest("prompt", *parts)[:HASH_CHARS]


def producer_name(model: Model, hashed: str) -> str:
    """A model with another prompt is another producer."""
    return f"{model.name}+{hashed}"


def make_prompt(model: Model, *, system: str, data: str, schema_name: str, schema: str, problem: str = "") -> Prompt:
    """A question. ``problem``: what was wrong with the former answer, as the model is told, when it is asked again."""
    messages = [ChatMessage(role="system", content=system), ChatMessage(role="user", content=data)]
    if problem:
        messages.append(ChatMessage(role="user", content=problem))
    return Prompt(
        model=model.name,
        messages=tuple(messages),
        schema_name=schema_name,
        schema=schema,
        reply_max_tokens=model.reply_max_tokens,
    )


def ask_id(space: SpaceKey, session_id: str, prompt: Prompt, *about: str) -> str:
    """Id of a question about a session: the same question about it has one reply, however often it comes up.

    ``about``: as in ``ModelAsked``. Things that are named otherwise make another question, though it reads the same.
    At most 64 characters: providers take it as the id of a line of a batch.
    """
    return "q" + digest("ask", *space, session_id, msgspec.msgpack.encode(prompt), *about)
