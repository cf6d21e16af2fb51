"""Suite ``pairs``: what counts as found and as wrong."""

from __future__ import annotations

import msgspec
import pytest

from ops.evaluate.data import Data
from ops.evaluate.pairs import run
from ops.evaluate.suite import Task

CHANGE = ("I work at Brightwater as a clerk.", "I no longer work at Brightwater as a clerk, I quit.")
UNTOLD = ("Our flat is damp and dark.", "The garden is full of light in the mornings.")


def line(number: int, old: str, new: str, label: str) -> bytes:
    def side(text: str, day: int) -> dict[str, str]:
        return {"speaker": "Ysolde", "role": "user", "sent_at": f"2031-05-{day:02d}T10:00:00+02:00", "text": text}

    pair = {"id": f"q{number}", "old": side(old, 1), "new": side(new, 20), "label": label, "subtype": None}
    return msgspec.json.encode({**pair, "subject": None, "attribute": None})


@pytest.fixture
def scores(tmp_path):
    def scored(*lines: bytes):
        (tmp_path / "pairs").mkdir()
        (tmp_path / "pairs" / "pairs.jsonl").write_bytes(b"\n".join(lines))
        return run(Task(data=Data(tmp_path), memory=None))  # type: ignore[arg-type] (imports nothing)

    return scored


def test_updates_and_corrections_are_right_when_the_older_side_is_retired(scores) -> None:
    found = scores(line(1, *CHANGE, "updates"), line(2, *CHANGE, "correction"), line(3, *UNTOLD, "updates"))
    assert found.metrics["precision"] == 1
    assert found.metrics["recall"] == pytest.approx(2 / 3)


def test_every_other_label_is_none(scores) -> None:
    found = scores(*(line(n, *CHANGE, label) for n, label in enumerate(("none", "contradicts", "causes"))))
    assert found.metrics["predicted"] == 3
    assert found.metrics["precision"] == 0


def test_what_was_missed_and_what_was_wrong_is_told(scores) -> None:
    found = scores(line(1, *UNTOLD, "updates"), line(2, *CHANGE, "none"))
    assert [told.split()[:2] for told in found.details] == [["missed", "q1"], ["wrong", "q2"]]
