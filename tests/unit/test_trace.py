"""The evidence trace (section II-G), on numbers that can be worked out by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from query.api import Path, Step
from query.settings import QuerySettings
from query.trace import trace

S = QuerySettings()
TEXTS = {
    "old": "Tilda baker Corner Mill",
    "new": "Tilda clerk harbour office 2024-05-02",
    "choir": "village choir rehearses Mondays",
}


def path(*events: str, pc: float = 1.0, tc: float = 1.0) -> Path:
    steps = tuple(Step(src=b, dst=a, relation="updates", kind="change", confidence=0.5) for a, b in pairwise(events))
    return Path(events=events, steps=steps, score=0.0, ns=0.0, pc=pc, tc=tc, uv=1.0)


def test_the_score_is_the_weighted_sum_of_the_five_terms() -> None:
    traced = trace(
        "Where does Tilda work?", "At the harbour office.", [path("old", "new", pc=0.5)], TEXTS,
        {"old": 0.2, "new": 0.8}, {"old": 0.6, "new": 0.4}, S,
    )  # fmt: skip
    (one,) = traced.paths
    assert one.answer_similarity == pytest.approx((0.2 + 0.8) / 2)
    assert one.question_similarity == pytest.approx((0.6 + 0.4) / 2)
    assert (one.pc, one.tc, one.bonus) == (0.5, 1.0, 0.0)
    assert one.score == pytest.approx(0.4 * 0.5 + 0.2 * 0.5 + 0.2 * 0.5 + 0.1 * 1.0)


def test_the_bonus_grows_with_the_names_and_numbers_of_the_answer_that_a_path_holds() -> None:
    paths = [path("new"), path("old")]
    traced = trace("Where?", "Tilda: harbour since 2024-05-02", paths, TEXTS, {}, {}, S)
    bonus = {one.events: one.bonus for one in traced.paths}
    assert bonus[("new",)] == pytest.approx(0.1), "the name and all of the date"
    assert 0 < bonus[("old",)] < bonus[("new",)], "the name only"
    assert traced.paths[0].events == ("new",)


def test_a_path_without_a_word_of_question_or_answer_is_left_out() -> None:
    traced = trace(
        "Where does Tilda work?", "At the harbour.", [path("choir"), path("old"), path("new")], TEXTS,
        {"choir": 1.0}, {"choir": 1.0}, S,
    )  # fmt: skip
    assert {one.events for one in traced.paths} == {("old",), ("new",)}


def test_support_is_similarity_and_the_share_of_the_answers_words() -> None:
    traced = trace("Where?", "harbour office", [path("new"), path("choir")], TEXTS, {"new": 0.3}, {}, S)
    assert traced.support == pytest.approx(0.3 + 0.45 * 1.0)
    assert traced.supported


def test_an_answer_that_no_path_speaks_of_is_said_to_be_unsupported() -> None:
    traced = trace("Where does Tilda work?", "In Reykjavik.", [path("old"), path("new")], TEXTS, {"new": 0.9}, {}, S)
    assert not traced.supported
    assert traced.support == 0.0
    assert traced.paths, "what was looked at is shown all the same"


def test_an_answer_without_any_path_is_unsupported() -> None:
    traced = trace("Where does Tilda work?", "At the harbour.", [], TEXTS, {}, {}, S)
    assert (traced.supported, traced.support, traced.paths) == (False, 0.0, ())


def test_paths_of_equal_score_come_by_their_events_and_are_cut_after_that() -> None:
    texts = {f"e{number}": "harbour" for number in range(9)}
    paths = [path(f"e{number}") for number in reversed(range(9))]
    traced = trace("Where?", "harbour", paths, texts, {}, {}, S)
    assert [one.events for one in traced.paths] == [(f"e{number}",) for number in range(S.trace_paths)]
