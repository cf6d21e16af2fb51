"""Words, weights and names: the pure half of hybrid search."""

from __future__ import annotations

import math

import pytest

from query.relevance import fused
from views.vectors.asking import dense_query
from views.vectors.protocol import Frequencies, Hit
from views.vectors.ranking import exact_top
from views.vectors.sparse import AVERAGE_LENGTH, K1, document_vector, query_terms, query_vector, term_id, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mira's red bikes!", ["mira", "red", "bikes"]),
        ("Mira’s CAFÉ", ["mira", "café"]),
        ("room 12b, 3.5 km", ["room", "12b", "3", "5", "km"]),
        ("ﬁnal Straße", ["final", "strasse"]),
        ("snake_case", ["snake", "case"]),
        ("don't", ["don", "t"]),
        ("我去柏林", ["我去", "去柏", "柏林"]),
        ("猫", ["猫"]),
        ("iPhone手机壳2個", ["iphone", "手机", "机壳", "2", "個"]),
        ("かな カナ", ["かな", "カナ"]),
        ("🎉 -- !", []),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_digits_and_cjk_bigrams(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [("moving", "moved"), ("bicycles", "bicycle"), ("Berlin", "berlin's"), ("connections", "connected")],
)
def test_forms_of_a_word_share_a_term(one: str, other: str) -> None:
    assert document_vector(one).indices == document_vector(other).indices


def test_term_ids_are_31_bit_and_fixed_for_ever() -> None:
    """Stored vectors hold them: a change here makes every index stale (raise INDEX_FORMAT)."""
    assert term_id("bicycles") == term_id("bicycle") == 1050844571
    assert all(0 <= term_id(f"word{number}") < 2**31 for number in range(1000))


def test_document_weights_follow_bm25_without_idf() -> None:
    vector = document_vector("red red bicycle")
    damping = K1 * (1 - 0.75 + 0.75 * 3 / AVERAGE_LENGTH)
    expected = {
        term_id("red"): 2 * (K1 + 1) / (2 + damping),
        term_id("bicycle"): 1 * (K1 + 1) / (1 + damping),
    }
    assert dict(zip(vector.indices, vector.values, strict=True)) == pytest.approx(expected)
    assert list(vector.indices) == sorted(set(vector.indices))


def test_a_longer_document_weighs_a_word_less_and_more_occurrences_weigh_more() -> None:
    def weight(text: str) -> float:
        vector = document_vector(text)
        return vector.values[vector.indices.index(term_id("red"))]

    assert weight("red") > weight("red " + "filler " * 40)
    assert weight("red red filler") > weight("red filler filler")


def test_a_query_drops_stop_words_unless_nothing_else_is_left() -> None:
    assert query_terms("Where did she move to?") == (term_id("move"),)
    assert query_terms("who are you") == tuple(sorted(term_id(word) for word in ("who", "are", "you")))
    assert query_terms("?!") == ()


def test_query_weights_are_idf_and_terms_that_occur_nowhere_go() -> None:
    vector = query_vector((3, 5, 9), Frequencies(counts=(1, 0, 10), total=10))
    assert vector.indices == (3, 9)
    assert vector.values == pytest.approx((math.log(1 + 9.5 / 1.5), math.log(1 + 0.5 / 10.5)))
    assert all(value > 0 for value in vector.values)


@pytest.mark.parametrize(
    ("question", "names", "expected"),
    [
        ("Where does Mira live?", ["Mira", "Tomas"], "Where does live?"),
        ("What is MIRA's job, and tomas’s?", ["Mira", "Tomas"], "What is job, and ?"),
        ("Did Ana Bell call?", ["Ana Bell"], "Did call?"),
        ("Did Ana call?", ["Ana Bell"], "Did call?"),
        ("Is the mirage real?", ["Mira"], "Is the mirage real?"),
        ("Mira?", ["Mira"], "Mira?"),
        ("Mira's", ["Mira"], "Mira's"),
        ("Where is it?", [], "Where is it?"),
        ("Wo wohnt Straßer?", ["STRASSER"], "Wo wohnt ?"),
    ],
)
def test_names_leave_the_dense_query_unless_nothing_is_left(question: str, names: list[str], expected: str) -> None:
    assert dense_query(question, names) == expected


def hits(*refs: str) -> list[tuple[str, float]]:
    return [(ref, 0.0) for ref in refs]


def test_fusion_adds_reciprocal_ranks_and_breaks_ties_by_ref() -> None:
    """x: 2/61; a and b: 1/62 + 1/63 each."""
    assert fused([hits("x", "b", "a"), hits("x", "a", "b")]) == ["x", "a", "b"]


def test_a_point_in_both_rankings_beats_one_that_is_high_in_one() -> None:
    assert fused([hits("a", "c"), hits("b", "c")]) == ["c", "a", "b"]


def test_the_cut_asks_on_while_equal_scores_reach_across_it() -> None:
    """An engine may return any of the equal points first; the answer is by ref all the same."""
    points = [Hit(ref=f"n{number:03d}", score=1.0 + number * 1e-9) for number in range(100)]
    engine_order = sorted(points, key=lambda hit: -hit.score)
    found = exact_top(lambda count: engine_order[:count], 3, 6)
    assert [hit.ref for hit in found] == ["n000", "n001", "n002"]
