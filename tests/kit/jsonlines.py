"""What a command that goes on has said so far with ``--json``: one JSON object on each line, and nothing else."""

from __future__ import annotations

import json
from typing import Any


def json_lines(said: str) -> list[dict[str, Any]]:
    """The objects, in order; a line that is still being written is left out. Fails on anything that is none."""
    whole = said[: said.rfind("\n") + 1]
    told = [json.loads(line) for line in whole.splitlines()]
    assert all(isinstance(one, dict) for one in told), told
    return told
