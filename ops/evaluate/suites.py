"""The suites by name, each loaded when it is run: some need libraries that the others do not."""

from __future__ import annotations

from typing import Literal

from .suite import Scores, Task

Suite = Literal["supersession", "anchors", "utterances", "pairs", "retrieval", "stress", "cases", "statebench"]


def run_suite(name: Suite, task: Task) -> Scores:
    """Measure.

    Raises:
        BadDataError: the folder lacks what the suite reads.
    """
    match name:
        case "supersession":
            from .supersession import run
        case "anchors":
            from .anchors import run
        case "utterances":
            from .utterances import run
        case "pairs":
            from .pairs import run
        case "retrieval":
            from .retrieval import run
        case "stress":
            from .stress import run
        case "cases":
            from .cases import run
        case "statebench":
            from .statebench import run
    return run(task)
