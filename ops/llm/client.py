"""Asks an OpenAI-compatible endpoint: tries again what may pass, waits as it is told, and gives up in words.

The ``openai`` package carries the requests. Its own retries are switched off, for each call is counted, and the result
is read by our types: servers that only resemble the API leave fields out.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec
import openai

from ops.observing import CallResult
from schemas.asking import Prompt

from .away import EndpointAwayError
from .bodies import PROBE, Dialect, body, dialects, keeps_to_probe
from .completion import Answered, GarbledError, read_completion
from .settings import LlmSettings

KEY_VARIABLE = "STILLTRUE_LLM_KEY"

BACKOFF_S = 0.5
"""Wait before the second try where the endpoint names none; doubled for each further one."""

ASKED_WAIT_MAX_S = 3_600.0
"""Longest that an endpoint is left alone because it asks for it: it may be mistaken by years."""

PROBE_TRIES = 2
"""An endpoint that does not know a dialect says so at once, some of them with status 500."""

DOUBTFUL: frozenset[CallResult] = frozenset({"bad_request", "server_error"})
"""How a server answers to a dialect it does not know."""

UNUSABLE_S = 60.0
"""How long an endpoint is left alone that will not have us: a key, a name or an address is wrong."""


class ChatClient:
    """Of one event loop. A call that is cancelled leaves nothing behind.

    Args:
        settings: model and endpoint among them.
        dialect: how the endpoint is known to be spoken to; None tries, at the first question.
        learned: told the dialect that was found.
        wait: waits so many seconds.
        told: told of each call and how it went.
    """

    def __init__(
        self,
        settings: LlmSettings,
        *,
        dialect: Dialect | None,
        learned: Callable[[Dialect], None],
        wait: Callable[[float], Awaitable[None]],
        told: Callable[[CallResult], None],
    ) -> None:
        assert settings.endpoint is not None, "nothing to ask"
        self._settings = settings
        self._dialect = dialect
        self._remembered = dialect is not None
        self._learned = learned
        self._wait = wait
        self._told = told
        self._probing = asyncio.Lock()
        self._api = openai.AsyncOpenAI(
            api_key=os.environ.get(KEY_VARIABLE) or "none",
            base_url=settings.endpoint,
            timeout=settings.timeout_s,
            max_retries=0,
        )

    async def ask(self, prompt: Prompt, tries: int | None = None) -> Answered:
        """Ask, until there is an answer or ``tries`` calls failed (outcome ``failed``); by default as set.

        Raises:
            EndpointAwayError: see there.
        """
        tries = self._settings.tries if tries is None else tries
        dialect = await self._spoken(prompt.model)
        got, result = await self._ask(body(prompt, dialect), tries)
        if result not in DOUBTFUL:
            return got
        other = await self._spoken_now(prompt.model, dialect)
        if other == dialect:
            return got
        again, _ = await self._ask(body(prompt, other), tries)
        return msgspec.structs.replace(again, calls=got.calls + again.calls)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._api.close()

    async def _spoken(self, model: str) -> Dialect:
        """The endpoint's dialect, found by whoever comes first."""
        async with self._probing:
            if self._dialect is None:
                self._dialect = await self._probe(model)
                self._learned(self._dialect)
            return self._dialect

    async def _spoken_now(self, model: str, refused: Dialect) -> Dialect:
        """The dialect after a question failed in one that was remembered: the server may be another by now.

        It is tried once, by whoever comes first; a refusal in a dialect found here is about the question.
        """
        async with self._probing:
            if self._remembered:
                self._remembered = False
                try:
                    found = await self._probe(model)
                except EndpointAwayError:
                    return refused
                if found != refused:
                    self._dialect = found
                    self._learned(found)
            return self._dialect or refused

    async def _probe(self, model: str) -> Dialect:
        """The first dialect the endpoint answers in; of the last one only that it answers."""
        tried = list(dialects(self._settings.format, self._settings.limit))
        problem = ""
        for dialect in tried:
            got, result = await self._ask(
                body(PROBE, dialect) | {"model": model}, min(PROBE_TRIES, self._settings.tries)
            )
            if result in ("timeout", "connection"):
                raise EndpointAwayError(got.error, UNUSABLE_S, got.calls)
            if result == "ok" and (dialect == tried[-1] or keeps_to_probe(got.text)):
                return dialect
            problem = got.error or problem
        raise EndpointAwayError(f"the endpoint answers in no way we know: {problem}", UNUSABLE_S, 1)

    async def _ask(self, request: Mapping[str, Any], tries: int) -> tuple[Answered, CallResult]:
        """The answer and how the last call went."""
        for call in range(1, tries + 1):
            try:
                got = read_completion(await self._response(request), call)
            except (openai.APIError, GarbledError, TimeoutError) as error:
                result = _result(error)
                self._told(result)
                await self._after(error, result, call, tries)
                if result == "bad_request" or call == tries:
                    return failed(_problem(error), call), result
            else:
                self._told("ok")
                return got, "ok"
        raise AssertionError("unreachable")

    async def _response(self, request: Mapping[str, Any]) -> bytes:
        """Of one call. The package's own time-out is one of silence, which a response that trickles never is."""
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                raw = await self._api.chat.completions.with_raw_response.create(**request)
        except TimeoutError as late:
            raise TimeoutError(f"no whole response within {self._settings.timeout_s:g} s") from late
        return raw.content

    async def _after(self, error: Exception, result: CallResult, call: int, tries: int) -> None:
        """Wait before the next try; raises when there is to be none."""
        last = call == tries
        asked = _retry_after(error)
        if result == "unusable":
            raise EndpointAwayError(_problem(error), UNUSABLE_S, call)
        if result == "busy" and (last or (asked or 0.0) > self._settings.retry_wait_max_s):
            raise EndpointAwayError(_problem(error), asked or self._settings.retry_wait_max_s, call)
        if last or result == "bad_request":
            return
        pause = min(BACKOFF_S * 2 ** (call - 1) if asked is None else asked, self._settings.retry_wait_max_s)
        await self._wait(pause)


def _result(error: Exception) -> CallResult:
    match error:
        case GarbledError() | openai.APIResponseValidationError():
            return "garbled"
        case openai.APITimeoutError() | TimeoutError():
            return "timeout"
        case openai.APIConnectionError():
            return "connection"
        case openai.RateLimitError():
            return "busy"
        case openai.AuthenticationError() | openai.PermissionDeniedError() | openai.NotFoundError():
            return "unusable"
        case openai.APIStatusError() if error.status_code in (408, 409) or error.status_code >= 500:
            return "server_error"
        case _:
            return "bad_request"


def _retry_after(error: Exception) -> float | None:
    """Seconds the endpoint asks us to wait, at most ``ASKED_WAIT_MAX_S``; None when it does not say."""
    if not isinstance(error, openai.APIStatusError):
        return None
    raw = error.response.headers.get("retry-after", "").strip()
    try:
        asked = float(raw)
    except ValueError:
        asked = _seconds_until(raw)
    return None if math.isnan(asked) else min(max(0.0, asked), ASKED_WAIT_MAX_S)


def _seconds_until(date: str) -> float:
    """By this machine's clock; NaN when it is no date."""
    try:
        until = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return math.nan
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return (until - datetime.now(UTC)).total_seconds()


PROBLEM_CHARS = 300


def _problem(error: Exception) -> str:
    """For people. It goes into a record, so half a character that the endpoint sends becomes a question mark."""
    return f"{type(error).__name__}: {error}"[:PROBLEM_CHARS].encode(errors="replace").decode()


def failed(problem: str, calls: int) -> Answered:
    """No answer, after so many calls."""
    return Answered(
        outcome="failed", text="", error=problem, model="", calls=calls, prompt_tokens=0, completion_tokens=0
    )
