"""Places of their own for what the asked person states."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from query.note_columns import NoteColumns
from query.places import own_by_meaning, taking_turns
from query.ports import Rankings
from query.relevance import rank_notes
from query.settings import Relevance
from schemas.ids import MessageKey
from tests.kit.space import MemorySpace, message
from views.vectors.refs import note_ref

WEIGHTS = Relevance(nearby=(), events=0.0, runs=0.0, places_from=2)
TALK = [message(f"m{n}", "Ann", f"2024-01-{n + 1:02}", f"word {n}") for n in range(8)]


def ranked(weights: Relevance, states: frozenset[str], *, newest: bool = True, by: str = "Ann") -> list[str]:
    """m0 is the best by words and m7 the worst; by meaning it is the other way round."""
    keys = [note_ref(MessageKey("c", f"m{n}")) for n in range(8)]
    found = Rankings(
        dense=[(key, 0.5 + n / 1000) for n, key in enumerate(keys)],
        sparse=[(key, 80.0 - 10 * n) for n, key in enumerate(keys)],
    )
    notes = rank_notes(
        found, {}, lambda _: (), [by], NoteColumns(MemorySpace(TALK, [])), weights, most=8, newest=newest,
        statements=lambda key: ("e",) if key.message_id in states else (),
    )  # fmt: skip
    return [note.key.message_id for note in notes]


def test_what_is_stated_and_close_in_meaning_comes_after_the_first_whatever_its_words() -> None:
    assert ranked(WEIGHTS, frozenset({"m6", "m7"})) == ["m0", "m1", "m2", "m7", "m3", "m6", "m4", "m5"]


def test_what_states_nothing_has_no_place_of_its_own() -> None:
    assert ranked(WEIGHTS, frozenset()) == [f"m{n}" for n in range(8)]


def test_only_questions_about_the_present_or_a_change_give_places() -> None:
    assert ranked(WEIGHTS, frozenset({"m7"}), newest=False) == [f"m{n}" for n in range(8)]


def test_where_nobody_who_is_named_speaks_all_have_places() -> None:
    assert ranked(WEIGHTS, frozenset({"m7"}), by="Zoe")[3] == "m7"


def test_another_persons_statements_have_none() -> None:
    cosines, said_by = np.array([0.9, 0.8, 0.7]), np.array([False, True, False])
    assert own_by_meaning(cosines, said_by, np.array([True, True, True]), np.array([0, 1, 2])).tolist() == [1]


def test_what_was_found_by_words_alone_has_none() -> None:
    cosines = np.array([np.nan, 0.8])
    assert own_by_meaning(cosines, np.array([True, True]), np.array([True, True]), np.array([0, 1])).tolist() == [1]


@given(st.permutations(range(12)), st.lists(st.integers(0, 11), unique=True), st.integers(0, 14))
def test_nothing_is_lost_and_the_first_stay(order: list[int], own: list[int], begin: int) -> None:
    made = taking_turns(np.array(order), np.array(own, dtype=np.int64), begin).tolist()
    assert sorted(made) == list(range(12))
    assert made[:begin] == order[:begin]
    for place, position in enumerate(own):
        assert made.index(position) <= 2 * (begin + place) + 1, "half of the places at least"
