"""A file of questions: one JSON object a line, as the service takes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .world import CommandError

if TYPE_CHECKING:
    from query.api import QueryRequest
    from schemas.ids import SpaceKey


def read_questions(path: Path, space: SpaceKey, now: int) -> list[QueryRequest]:
    """The questions of a file. ``now``: asked then, where a line does not say.

    Raises:
        CommandError: the file cannot be read, or a line is no question; it is named.
    """
    from query.service.bodies import decode_body
    from query.service.errors import RequestError
    from query.service.reads import query_request
    from schemas.wire import QueryIn

    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    found: list[QueryRequest] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(query_request(space, decode_body(line, QueryIn), now))
            except RequestError as error:
                raise CommandError(f"{path}:{number}: {error.problem.message}") from error
    return found
