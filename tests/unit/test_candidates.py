"""The candidate gate (Eq. 10)."""

from __future__ import annotations

import msgspec
import pytest

from streams.candidates import ATTRIBUTE_CAP, CAP, THETA_P, THETA_S, Row, choose, passes, related, same_people
from tests.kit.linking import lives, plan, row, statement


def ids(newer: Row, earlier: list[Row]) -> list[str]:
    return [candidate.row.event.text for candidate in choose(newer, earlier).candidates]


def test_every_earlier_statement_of_the_attribute_passes_superseded_or_not() -> None:
    """A → B → C: C meets A too, so that A stays superseded when B is withdrawn."""
    first, second, third = row(lives("Aldin", 1)), row(lives("Borva", 2)), row(lives("Corso", 3))
    assert set(ids(third, [first, second])) == {"I live in Aldin", "I live in Borva"}


@pytest.mark.parametrize(
    ("participants", "passed"),
    [(("Ann", "Ben"), True), (("ANN", "ben"), True), (("Ann", "Cid"), False), (("Ann",), True), ((), False)],
)
def test_participants_must_overlap_by_half_when_the_subject_differs(
    participants: tuple[str, ...], passed: bool
) -> None:
    assert THETA_P == 0.5
    newer = row(statement("we sing", 2, subject=None, participants=("Ann", "Ben")))
    older = row(statement("we sing", 1, subject="Ann", participants=participants, speaker=None))
    assert same_people(newer, older) is passed


def test_a_thing_that_names_nobody_is_of_the_one_who_speaks_of_it() -> None:
    ours = row(plan("we go to the coast in May", 1, subject="Ann", participants=("Ann",)))
    off = statement("the coast trip is off", 2, subject="coast trip", participants=())
    assert same_people(row(off), ours)
    assert not same_people(row(msgspec.structs.replace(off, speaker="Ben")), ours)
    assert not same_people(row(msgspec.structs.replace(off, subject=None)), ours), "about what is not known"


def test_a_subject_is_the_same_in_any_case_and_unknown_subjects_are_not() -> None:
    alone = {"participants": ()}
    assert same_people(row(lives("Aldin", 1, subject="ann", **alone)), row(lives("Aldin", 2, subject="Ann", **alone)))
    assert not same_people(row(lives("Aldin", 1, subject=None, **alone)), row(lives("Aldin", 2, subject=None, **alone)))


def test_related_by_attribute_by_rare_word_by_third_subject_or_by_close_text() -> None:
    assert related(row(lives("Aldin", 1)), row(statement("Borva it is", 2, attribute="residence")))
    assert related(row(statement("my trombone is loud", 1)), row(statement("trombones cost a lot", 2)))
    aunt = {"subject": "Aunt Ida", "participants": ("Aunt Ida",)}
    assert related(row(statement("she sings", 1, **aunt)), row(statement("she never swam", 2, **aunt)))
    assert related(row(statement("it went very well for us", 1)), row(statement("it went very well for us", 2)))
    assert not related(row(statement("my trombone is loud", 1)), row(statement("garlic bread burns", 2)))


def test_a_persons_name_is_no_rare_word() -> None:
    assert "ann" not in row(statement("Ann sings", 1)).stems


def test_the_cap_leaves_out_the_least_similar_and_counts_them() -> None:
    newer = row(statement("the trombone", 99))
    near = [row(statement("the trombone", day)) for day in range(CAP)]
    far = [row(statement(f"garlic bread and a trombone in cellar number {day}", 40 + day)) for day in range(5)]
    chosen = choose(newer, [*near, *far])
    assert {candidate.row.event.text for candidate in chosen.candidates} == {"the trombone"}
    assert (len(chosen.candidates), chosen.left_out, chosen.looked_at) == (CAP, 5, CAP + 5)


def test_the_attribute_comes_first_and_does_not_use_up_the_cap() -> None:
    newer = row(lives("Aldin", 99))
    same = [row(lives("Borva", day)) for day in range(20)]
    other = [row(statement("Aldin has a harbour", 30 + day)) for day in range(CAP + 2)]
    chosen = choose(newer, [*same, *other])
    texts = [candidate.row.event.text for candidate in chosen.candidates]
    assert texts == ["I live in Borva"] * 20 + ["Aldin has a harbour"] * CAP
    assert chosen.left_out == 2


def test_of_too_many_of_one_attribute_the_latest_stay() -> None:
    newer = row(lives("Aldin", 999))
    chosen = choose(newer, [row(lives("Borva", day)) for day in range(ATTRIBUTE_CAP + 3)])
    assert chosen.left_out == 3
    assert min(candidate.row.event.stated for candidate in chosen.candidates) == lives("Borva", 3).stated


def test_a_plan_it_may_settle_goes_before_a_closer_text() -> None:
    newer = row(statement("I visited the lighthouse", 9, type="action"))
    planned = row(plan("some day we will all take a boat to that far lighthouse", 1))
    closer = row(statement("I visited the lighthouse", 2, type="action"))
    assert ids(newer, [planned, closer]) == [planned.event.text, closer.event.text]


def test_equal_scores_are_in_order_of_statement_then_id_whatever_the_input_order() -> None:
    newer = row(statement("the trombone", 9))
    rows = [row(statement("the trombone", day, id=f"e{day}{twin}")) for day in (1, 2) for twin in "ab"]
    expected = ["e2a", "e2b", "e1a", "e1b"]
    for order in (rows, rows[::-1]):
        assert [candidate.row.event.id for candidate in choose(newer, order).candidates] == expected


def test_a_producers_own_pair_does_not_pass() -> None:
    newer, older = lives("Aldin", 2), lives("Borva", 1)
    assert not passes(row(newer, "crm"), row(older, "crm"))
    assert passes(row(newer, "crm"), row(older, "api"))
    assert passes(row(newer, "crm"), row(older))
    assert THETA_S < 1.0
