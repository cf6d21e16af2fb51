"""Suite ``pairs``: what counts as found and as wrong."""

from __future__ import annotations

import msgspec
import pytest

from ops.evaluate.data import LabelledPair
from ops.evaluate.pairs import fold_of, score
from ops.evaluate.suite import Scores
from streams.classify.offline import OfflineClassifier

CHANGE = ("I work at Brightwater as a clerk.", "I no longer work at Brightwater as a clerk, I quit.")
UNTOLD = ("Our flat is damp and dark.", "The garden is full of light in the mornings.")


def line(number: int, old: str, new: str, label: str) -> LabelledPair:
    def side(text: str, day: int) -> dict[str, str]:
        return {"speaker": "Ysolde", "role": "user", "sent_at": f"2031-05-{day:02d}T10:00:00+02:00", "text": text}

    pair = {"id": f"q{number}", "old": side(old, 1), "new": side(new, 20), "label": label, "subtype": None}
    return msgspec.convert({**pair, "subject": None, "attribute": None}, LabelledPair)


def scored(*lines: LabelledPair) -> Scores:
    return score(lines, OfflineClassifier())


def test_updates_and_corrections_are_right_when_the_older_side_is_retired() -> None:
    found = scored(line(1, *CHANGE, "updates"), line(2, *CHANGE, "correction"), line(3, *UNTOLD, "updates"))
    assert found.metrics["precision"] == 1
    assert found.metrics["recall"] == pytest.approx(2 / 3)


def test_every_other_label_is_none() -> None:
    found = scored(*(line(n, *CHANGE, label) for n, label in enumerate(("none", "contradicts", "causes"))))
    assert found.metrics["predicted"] == 3
    assert found.metrics["precision"] == 0


def test_what_was_missed_and_what_was_wrong_is_told() -> None:
    found = scored(line(1, *UNTOLD, "updates"), line(2, *CHANGE, "none"))
    assert [told.split()[:2] for told in found.details[:2]] == [["missed", "q1"], ["wrong", "q2"]]


def test_folds_are_five_and_about_equal() -> None:
    folds = [fold_of(f"q{number}") for number in range(1000)]
    assert {150 < folds.count(fold) < 250 for fold in range(5)} == {True}
    assert set(folds) == set(range(5))
