"""A response of an endpoint as what it says: the words, how it ended, what it took. Typed; other fields are ignored.

What only tells of the reply (names, counts) may be missing or nonsense: no answer is lost to bookkeeping.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec

from schemas.asking import Prompt, ReplyOutcome

RESPONSE_BYTES_MAX = 4 * 1024 * 1024
"""More is no answer to what we ask, and would not go into a record."""

CHARS_PER_TOKEN = 4
"""By which tokens are counted where the endpoint does not tell them: a budget counts all the same."""

_TOKENS_MAX = 1_000_000_000
_PROBLEM_CHARS = 200


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    text: str | None = None


class _Message(msgspec.Struct, frozen=True, kw_only=True):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct, frozen=True, kw_only=True):
    message: _Message | None = None
    finish_reason: Any = None


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a ``chat.completion`` object that are used.

    Attributes:
        choices: the first is the reply. Its content is a text, or parts of which the texts are joined (others are what
            a model thought).
        usage: read by ``answered``.
        model: likewise.
        error: some endpoints tell a failure with status 200.
    """

    choices: list[_Choice] | None = None
    usage: Any = None
    model: Any = None
    error: Any = None

    @property
    def problem(self) -> str:
        """Why it is no answer; empty when it is one."""
        told = f"the endpoint tells an error: {self.error}"[:_PROBLEM_CHARS]
        return told if self.error and not self.choices else ""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What came back for a question; see ``schemas.asking.ModelReplied``. Tokens are 0 where they are not told."""

    outcome: ReplyOutcome
    text: str
    error: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int

    def counted(self, prompt: Prompt) -> Answered:
        """With tokens by the length of what was asked and said, where the endpoint tells none."""
        asked = sum(len(message.content) for message in prompt.messages) + len(prompt.schema)
        return msgspec.structs.replace(
            self,
            prompt_tokens=self.prompt_tokens or math.ceil(asked / CHARS_PER_TOKEN),
            completion_tokens=self.completion_tokens or math.ceil(len(self.text) / CHARS_PER_TOKEN),
        )


class GarbledError(ValueError):
    """The response is no chat completion. Worth another try."""


_decoder = msgspec.json.Decoder(Completion)


def read_completion(raw: bytes, calls: int) -> Answered:
    """What a response says. Raises ``GarbledError``."""
    if len(raw) > RESPONSE_BYTES_MAX:
        raise GarbledError(f"the response has {len(raw)} bytes, the limit is {RESPONSE_BYTES_MAX}")
    try:
        completion = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise GarbledError(f"the response is no chat completion: {error}") from error
    if completion.problem:
        raise GarbledError(completion.problem)
    return answered(completion, calls)


def answered(completion: Completion, calls: int) -> Answered:
    """What a completion says."""
    choice = completion.choices[0] if completion.choices else _Choice()
    message = choice.message or _Message()
    text, refusal = _text(message.content), message.refusal or ""
    if choice.finish_reason == "content_filter" and not refusal:
        refusal = "stopped by the content filter"
    outcome: ReplyOutcome = "stop"
    if refusal:
        outcome = "refusal"
    elif choice.finish_reason == "length":
        outcome = "length"
    elif not text.strip():
        outcome = "empty"
    return Answered(
        outcome=outcome, text=text, error=refusal, model=completion.model if isinstance(completion.model, str) else "",
        calls=calls, prompt_tokens=_tokens(completion.usage, "prompt_tokens"),
        completion_tokens=_tokens(completion.usage, "completion_tokens"),
    )  # fmt: skip


def _text(content: str | list[_Part] | None) -> str:
    return "".join(part.text or "" for part in content) if isinstance(content, list) else content or ""


def _tokens(usage: Any, name: str) -> int:
    """A count of the usage; 0 when there is none, or nonsense."""
    try:
        told = msgspec.convert(usage, dict[str, Any]).get(name)
        count = int(msgspec.convert(told, float, strict=False))
    except msgspec.ValidationError:
        return 0
    return count if 0 < count <= _TOKENS_MAX else 0
