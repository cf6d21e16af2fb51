"""The equations of evidence ranking, each against numbers worked out by hand."""

from __future__ import annotations

import pytest

from query.api import Step
from query.score import event_similarity, neural_relevance
from query.settings import Discounts, QuerySettings
from tests.kit.equations import path_confidence, path_score, temporal_consistency, update_validity

S = QuerySettings(discounts=Discounts(causes=1.0, enables=0.9, before=0.6, contradicts=0.8))


def step(relation: str, confidence: float, src: str = "a", dst: str = "b") -> Step:
    return Step(src=src, dst=dst, relation=relation, kind=None, confidence=confidence)


def test_eq_16_weighs_the_four_signals() -> None:
    """0.4 x 0.5 + 0.3 x 0.72 + 0.15 x 1 + 0.15 x 0.5 = 0.641."""
    assert path_score(0.5, 0.72, 1.0, 0.5, S) == pytest.approx(0.641)


def test_eq_17_takes_the_best_note_of_each_event_and_the_mean_over_events() -> None:
    """(max(0.2, 0.8) + max(0.4)) / 2 = 0.6."""
    assert neural_relevance([event_similarity([0.2, 0.8]), event_similarity([0.4])]) == pytest.approx(0.6)


def test_eq_17_an_event_without_a_note_adds_nothing() -> None:
    assert event_similarity([]) == 0.0


def test_eq_18_multiplies_confidence_and_discount_along_the_path() -> None:
    """0.8 x 1.0 x 0.5 x 0.9 = 0.36."""
    assert path_confidence([step("causes", 0.8), step("enables", 0.5)], S) == pytest.approx(0.36)


def test_eq_18_halves_a_path_with_a_contradiction_once() -> None:
    """(0.9 x 0.8) x (0.5 x 0.6) x (1.0 x 0.8) x 0.5 = 0.0864, however many contradictions there are."""
    steps = [step("contradicts", 0.9), step("before", 0.5), step("contradicts", 1.0)]
    assert path_confidence(steps, S) == pytest.approx(0.0864)


def test_eq_18_a_single_event_is_certain() -> None:
    assert path_confidence([], S) == 1.0


def test_eq_19_before_edges_must_run_forward_by_anchor_start() -> None:
    steps = [step("before", 1.0, "a", "b"), step("causes", 1.0, "c", "b")]
    assert temporal_consistency(steps, {"a": 1, "b": 1, "c": 9}) == 1.0
    assert temporal_consistency(steps, {"a": 2, "b": 1, "c": 0}) == 0.0


def test_eq_20_the_least_valid_event_decides() -> None:
    assert update_validity([1.0, 0.5, 1.0]) == 0.5
    assert update_validity([1.0, 0.0, 0.5]) == 0.0
