"""Settings of the language model, the table ``[llm]`` of ``stilltrue.toml``. Without a model nothing is ever asked."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from streams.llm.asking import Model

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1_000_000_000)]
Price = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]

Format = Literal["auto", "json_schema", "json_object", "plain"]
"""How an endpoint is made to answer in JSON: by a strict schema; by a flag, with the schema beside it; by the prompt
alone. ``auto`` tries them in this order, once per endpoint and model."""

Limit = Literal["auto", "max_tokens", "max_completion_tokens"]
"""What an endpoint calls the limit of a reply. The newer name goes with models that take no temperature either."""


class LlmSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set. The key is read from the environment (``STILLTRUE_LLM_KEY``), never from a file.

    Attributes:
        model: its name at the endpoint; None: no model, rules only.
        endpoint: base address of an OpenAI-compatible service, with its ``/v1``. None: questions are collected and
            answered by ``llm export`` and ``llm import``.
        distil: whether the model reads closed sessions.
        link: whether it judges the pairs that the rules are unsure of.
        answer: whether it answers questions; each new one is a call that somebody waits for.
        answer_timeout_s: how long a question waits for it; then the rules answer.
        format: see ``Format``.
        limit: see ``Limit``.
        reply_max_tokens: where a reply is cut.
        concurrency: how many questions are on the way at once.
        timeout_s: how long a call may take, from the connection to the last byte.
        tries: calls for one question before it is parked.
        retry_wait_max_s: longest wait before a further try; an endpoint that asks for more is left alone for so long,
            an hour at most.
        space_tokens_per_day: budget of a space and UTC day, both ways; None: no limit. A question goes out while
            something is left, with the most that others on the way may take: one is the most it is exceeded by.
        tokens_per_day: of all spaces together.
        usd_per_million_prompt_tokens: for the cost that is counted; 0 counts none.
        usd_per_million_completion_tokens: likewise.
    """

    model: str | None = None
    endpoint: str | None = None
    distil: bool = True
    link: bool = True
    answer: bool = False
    answer_timeout_s: Seconds = 30.0
    format: Format = "auto"
    limit: Limit = "auto"
    reply_max_tokens: Count = 8_192
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=256)] = 4
    timeout_s: Seconds = 60.0
    tries: Annotated[int, msgspec.Meta(ge=1, le=20)] = 4
    retry_wait_max_s: Seconds = 60.0
    space_tokens_per_day: Count | None = None
    tokens_per_day: Count | None = None
    usd_per_million_prompt_tokens: Price = 0.0
    usd_per_million_completion_tokens: Price = 0.0

    def __post_init__(self) -> None:
        """An endpoint that no request can be sent to is refused. Raises ``ValueError``."""
        if self.endpoint is None:
            return
        try:
            address = urlsplit(self.endpoint)
            whole = address.scheme in ("http", "https") and address.hostname and address.port != 0
        except ValueError as error:
            raise ValueError(f"endpoint {self.endpoint!r}: {error}") from error
        if not whole or not self.endpoint.isprintable() or " " in self.endpoint:
            raise ValueError(f"endpoint {self.endpoint!r} is no address as http://host:port/v1")

    def asked_model(self) -> Model | None:
        """The model as the stages know it."""
        return None if self.model is None else Model(name=self.model, reply_max_tokens=self.reply_max_tokens)

    def cost_usd(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        micro = prompt_tokens * self.usd_per_million_prompt_tokens
        micro += completion_tokens * self.usd_per_million_completion_tokens
        return micro / 1_000_000
