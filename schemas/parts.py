"""Names of the parts of a set that is too large for one record, or for one step of a reader.

A part is a set of its own: it replaces its own former revision and is folded like any other. The first part has the
session's name; a later one's says which part it is. Whoever writes a set in fewer parts than before writes the others
empty (``streams.parts``).
"""

from __future__ import annotations

import re
from typing import Literal

PartKind = Literal["events", "links"]
"""Of a session's events, or of what links a session (edges and verdicts), which may be a part of one itself."""

_PREFIX = re.compile(r"(?:(?:events|links)[1-9][0-9]*:)+")


def part_name(kind: PartKind, session_id: str, part: int) -> str:
    """The name of a part, counted from 0. No session's own name looks like one: a colon in it is percent-encoded, and
    batches begin with ``batch:``."""
    return session_id if part == 0 else f"{kind}{part + 1}:{session_id}"


def whole_of(name: str) -> str:
    """The session (or batch) that a part belongs to; any other name is its own."""
    found = _PREFIX.match(name) if ":" in name else None
    return name if found is None else name[found.end() :]
