"""The scripted endpoint (``ops.evaluate.cases.endpoint``), and what it answers when something is wrong."""

from __future__ import annotations

import json

from ops.evaluate.cases.endpoint import Answer, Body, Script, completion, is_probe, no_choices
from ops.evaluate.cases.endpoint import Endpoint as FaultServer

__all__ = ["Answer", "Body", "FaultServer", "Script", "completion", "is_probe", "no_choices", "status"]


def status(code: int, message: str = "no", **headers: str) -> Answer:
    """An error as the API tells it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=code, body=json.dumps({"error": {"message": message}}).encode(), headers=named)
