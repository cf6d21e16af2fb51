"""Suite ``anchors``: are dates resolved? LoCoMo's questions for a date, against the anchors of what was distilled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import get_args

from query.api import StateEntry
from schemas.times import Precision

from .data import AnchorQuestion, number_of, sample_numbers
from .intervals import widened
from .memory import after_last
from .suite import Scores, Task, share

_WIDTHS: tuple[str, ...] = get_args(Precision)
"""From the narrowest to the widest."""

_WEEKEND = "weekend"
"""A precision of the data that we have no name for: two days, known to the day."""


def run(task: Task) -> Scores:
    """All listed questions count, also those whose message yielded no event."""
    samples = task.data.samples()
    questions = task.data.anchors()
    hits: dict[str, tuple[int, int]] = {}
    details: list[str] = []
    for place in sample_numbers(samples, task.samples):
        asked = [question for question in questions if question.sample == number_of(samples, place)]
        if not asked:
            continue
        space = task.memory.import_locomo(task.data.locomo, place)
        entries = task.memory.statements(space, after_last(task.memory.statements(space, 0)))
        for question in asked:
            hit = is_hit(question, entries)
            for name in ("accuracy", f"accuracy_{question.precision}"):
                right, total = hits.get(name, (0, 0))
                hits[name] = (right + hit, total + 1)
            if not hit:
                details.append(f"{question.id} missed: {_seen(question, entries)}")
    metrics = {name: share(*counted) for name, counted in sorted(hits.items())}
    return Scores(metrics={**metrics, "questions": hits.get("accuracy", (0, 0))[1]}, counts=hits, details=details)


def is_hit(question: AnchorQuestion, entries: Sequence[StateEntry]) -> bool:
    """Some event of an evidence message is anchored in the gold interval, give or take one unit, and no wider."""
    start, until = widened(date.fromisoformat(question.start), date.fromisoformat(question.until), question.precision)
    width = _WIDTHS.index("day" if question.precision == _WEEKEND else question.precision)
    return any(
        start <= entry.event.anchor.start
        and entry.event.anchor.until <= until
        and _WIDTHS.index(entry.event.anchor.precision) <= width
        for entry in _of(question, entries)
    )


def _of(question: AnchorQuestion, entries: Sequence[StateEntry]) -> list[StateEntry]:
    wanted = set(question.dia_ids)
    return [entry for entry in entries if any(source.message_id in wanted for source in entry.event.sources)]


def _seen(question: AnchorQuestion, entries: Sequence[StateEntry]) -> str:
    found = [
        f"{entry.event.anchor.phrase!r} ({entry.event.anchor.precision}) in {entry.event.text!r}"
        for entry in _of(question, entries)
    ]
    wanted = f"{'/'.join(question.dia_ids)} wants {question.start}..{question.until} ({question.precision})"
    return f"{wanted}; {'; '.join(found) or 'no event'}"
