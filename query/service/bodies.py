"""Request bodies: bytes to types, with the position or the field in every refusal. Pure."""

from __future__ import annotations

import json
from typing import TypeVar, cast

import msgspec

from schemas.wire import MessagesIn

from .errors import RequestError, validation_problem

T = TypeVar("T")


def decode_body(raw: bytes, kind: type[T]) -> T:
    """A body as its type.

    Raises:
        RequestError: 400; not UTF-8 or not JSON (with the position), or not of the type (with the field).
    """
    _check_utf8(raw)
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        problem = validation_problem(error)
        raise RequestError(400, problem.code, problem.message, problem.field) from error
    except msgspec.DecodeError as error:
        _check_json(raw)
        raise RequestError(400, "bad_json", f"body is not valid JSON: {error}") from error
    except RecursionError as error:
        raise RequestError(400, "bad_json", "body is nested too deeply") from error


def split_batch(raw: bytes) -> list[bytes]:
    """The messages of a ``MessagesIn`` body, each as JSON, unjudged: one bad message does not refuse the others.

    A lone surrogate (``\\ud800``) makes JSON that the standard library reads and msgspec does not; such a body is
    taken apart with the former, and whether the message it stands in can be kept is judged with the message.

    Raises:
        RequestError: as ``decode_body``, for what is wrong with the body as a whole.
    """
    try:
        return [bytes(message) for message in decode_body(raw, MessagesIn).messages]
    except RequestError as error:
        if error.problem.code != "bad_json":
            told = f'{error.problem.message}; the body is {{"messages": [{{...}}, ...]}}'
            raise RequestError(400, error.problem.code, told, error.problem.field) from error
        messages = _messages_with_surrogates(raw)
        if messages is None:
            raise
        return messages


def _messages_with_surrogates(raw: bytes) -> list[bytes] | None:
    """The messages, when the body is otherwise a proper batch; None when it is not."""
    try:
        document: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or list(cast("dict[str, object]", document)) != ["messages"]:
        return None
    messages = cast("dict[str, object]", document)["messages"]
    if not isinstance(messages, list):
        return None
    return [json.dumps(message).encode() for message in cast("list[object]", messages)]


def _check_utf8(raw: bytes) -> None:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(400, "bad_json", f"body is not UTF-8: invalid byte at {error.start}") from error


def _check_json(raw: bytes) -> None:
    """Raise with line and column, which msgspec does not give for a body that breaks off."""
    try:
        json.loads(raw)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno} (character {error.pos})"
        raise RequestError(400, "bad_json", f"body is not valid JSON: {error.msg} at {where}") from error
    except RecursionError as error:
        raise RequestError(400, "bad_json", "body is nested too deeply") from error
