"""Errors of the service: one JSON shape, a stable code, the field to blame. Pure."""

from __future__ import annotations

import re

import msgspec

from schemas.wire import Problem

STATUS_OF_CODE = {"not_found": 404, "conflict": 409, "too_large": 413, "unavailable": 503}
"""HTTP status of a refusal by the system; every other code is a 400."""

_AT = re.compile(r" - at `\$\.?([^`]*)`$")
_NAMED = re.compile(r"(?:required|unknown) field `([^`]*)`")


class RequestError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = Problem(code=code, message=message, field=field)


def status_of(problem: Problem) -> int:
    """HTTP status for a refusal."""
    return STATUS_OF_CODE.get(problem.code, 400)


def validation_problem(error: msgspec.ValidationError) -> Problem:
    """msgspec's complaint with the field's path taken out of the sentence: "events[0].type"."""
    text = str(error)
    at = _AT.search(text)
    named = _NAMED.search(text)
    path = [part for part in (at and at[1], named and named[1]) if part]
    return Problem(code="invalid", message=_AT.sub("", text), field=".".join(path) or None)
