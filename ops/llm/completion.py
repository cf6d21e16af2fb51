"""A response of an endpoint as what it says: the words, how it ended, what it took. Typed; other fields are ignored."""

from __future__ import annotations

import msgspec

from schemas.asking import ReplyOutcome


class _Message(msgspec.Struct, frozen=True, kw_only=True):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct, frozen=True, kw_only=True):
    message: _Message = _Message()
    finish_reason: str | None = None


class _Usage(msgspec.Struct, frozen=True, kw_only=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a ``chat.completion`` object that are used."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str = ""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What came back for a question; see ``schemas.asking.ModelReplied``."""

    outcome: ReplyOutcome
    text: str
    error: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


class GarbledError(ValueError):
    """The response is no chat completion. Worth another try."""


_decoder = msgspec.json.Decoder(Completion)


def read_completion(raw: bytes, calls: int) -> Answered:
    """What a response says. Raises ``GarbledError``."""
    try:
        return answered(_decoder.decode(raw), calls)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise GarbledError(f"the response is no chat completion: {error}") from error


def answered(completion: Completion, calls: int) -> Answered:
    """What a completion says."""
    choice = completion.choices[0] if completion.choices else _Choice()
    text, refusal = choice.message.content or "", choice.message.refusal or ""
    if choice.finish_reason == "content_filter" and not refusal:
        refusal = "stopped by the content filter"
    outcome: ReplyOutcome = "stop"
    if refusal:
        outcome = "refusal"
    elif choice.finish_reason == "length":
        outcome = "length"
    elif not text.strip():
        outcome = "empty"
    usage = completion.usage or _Usage()
    return Answered(
        outcome=outcome, text=text, error=refusal, model=completion.model, calls=calls,
        prompt_tokens=max(0, usage.prompt_tokens), completion_tokens=max(0, usage.completion_tokens),
    )  # fmt: skip
