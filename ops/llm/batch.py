"""Questions as lines of a provider's batch file, and the lines of its results. No I/O here.

The format is that of OpenAI's Batch API, which others took over: a line of JSON for each request, with an id of ours
that comes back with the result, in whatever order.
"""

from __future__ import annotations

import msgspec

from schemas.asking import ModelAsked

from .bodies import Dialect, body
from .completion import RESPONSE_BYTES_MAX, Completion

URL = "/v1/chat/completions"


class _Response(msgspec.Struct, frozen=True, kw_only=True):
    status_code: int = 200
    body: Completion | None = None


class _Error(msgspec.Struct, frozen=True, kw_only=True):
    code: str | None = None
    message: str | None = None


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    custom_id: str
    response: _Response | None = None
    error: _Error | None = None


class BatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """One line of results: an answer, or why there is none."""

    custom_id: str
    answer: Completion | None
    problem: str


class BadLineError(ValueError):
    """A line that is no result of a batch."""


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Line)


def request_line(ask: ModelAsked, dialect: Dialect) -> bytes:
    """A question as a line, with its end."""
    whole = {"custom_id": ask.ask_id, "method": "POST", "url": URL, "body": body(ask.prompt, dialect)}
    return _encoder.encode(whole) + b"\n"


def read_result(line: bytes) -> BatchResult:
    """A line of results. Raises ``BadLineError``."""
    if len(line) > RESPONSE_BYTES_MAX:
        raise BadLineError(f"the line has {len(line)} bytes, the limit is {RESPONSE_BYTES_MAX}")
    try:
        read = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadLineError(f"no result of a batch: {error}") from error
    if read.error is not None:
        problem = read.error.message or read.error.code or "error"
        return BatchResult(custom_id=read.custom_id, answer=None, problem=problem)
    if read.response is None or read.response.body is None or read.response.status_code != 200:
        status = "no response" if read.response is None else f"status {read.response.status_code}"
        return BatchResult(custom_id=read.custom_id, answer=None, problem=status)
    problem = read.response.body.problem
    return BatchResult(custom_id=read.custom_id, answer=None if problem else read.response.body, problem=problem)
