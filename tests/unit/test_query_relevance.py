"""The fused ranking of notes, and the order of a context for a question about the present."""

from __future__ import annotations

import msgspec
import pytest

from query.api import QueryRequest
from query.engine import QueryEngine
from query.ports import Rankings
from query.relevance import rank_notes
from query.settings import QuerySettings, Relevance
from query.shapes import asks_for_newest, asks_of_change, shape_of
from schemas.ids import MessageKey
from tests.kit.space import BASIS, SPACE, MemorySpace, message, us
from views.vectors.refs import note_ref

PLAIN = Relevance(nearby=(), events=0.0, runs=0.0, speaker=1.0)


def ranked(space: MemorySpace, dense: list[tuple[str, float]], weights: Relevance, **more: object) -> list[str]:
    found = Rankings(dense=[(note_ref(MessageKey("c", name)), score) for name, score in dense], sparse=())
    notes = rank_notes(found, (), lambda _: (), more.pop("names", ()), space, weights, most=9, **more)  # type: ignore[arg-type]
    return [note.key.message_id for note in notes]


def talk(*sent: str) -> MemorySpace:
    return MemorySpace([message(f"m{n}", "Ann" if n % 2 else "Bo", day, f"word {n}") for n, day in enumerate(sent)], [])


def test_what_was_said_just_after_a_good_note_rises_with_it() -> None:
    space = talk("2024-01-01T10:00:00Z", "2024-01-01T10:01:00Z", "2024-01-05T10:00:00Z")
    dense = [("m0", 0.9), ("m2", 0.32), ("m1", 0.3)]
    assert ranked(space, dense, PLAIN) == ["m0", "m2", "m1"]
    assert ranked(space, dense, msgspec.structs.replace(PLAIN, nearby=(0.3,))) == ["m0", "m1", "m2"]


def test_what_was_said_after_a_long_silence_does_not() -> None:
    space = talk("2024-01-01T10:00:00Z", "2024-01-01T20:00:00Z", "2024-01-05T10:00:00Z")
    dense = [("m0", 0.9), ("m2", 0.32), ("m1", 0.3)]
    assert ranked(space, dense, msgspec.structs.replace(PLAIN, nearby=(0.3,))) == ["m0", "m2", "m1"]


def test_notes_of_the_person_asked_about_count_more() -> None:
    space = talk("2024-01-01", "2024-01-03")
    dense = [("m0", 0.5), ("m1", 0.4)]
    assert ranked(space, dense, Relevance(nearby=(), runs=0.0), names=["Ann"]) == ["m1", "m0"]


def test_a_question_about_a_change_prefers_what_was_said_later() -> None:
    space = talk("2024-01-01", "2024-01-03")
    dense = [("m0", 0.5), ("m1", 0.49)]
    assert ranked(space, dense, PLAIN, of_change=False) == ["m0", "m1"]
    assert ranked(space, dense, PLAIN, of_change=True) == ["m1", "m0"]


def test_a_retracted_note_is_never_ranked() -> None:
    space = MemorySpace([message("m0", "Ann", "2024-01-01", "word", retracted=True)], [])
    assert ranked(space, [("m0", 0.9)], Relevance()) == []


@pytest.mark.parametrize(
    ("question", "newest", "of_change"),
    [
        ("Where does Mira live?", True, False),
        ("What is Mira doing for a living?", True, False),
        ("What became of Mira's plan to move?", True, True),
        ("Did Mira end up buying the boat?", True, True),
        ("When did Mira move?", False, False),
        ("Where did Mira live before?", False, False),
        ("Who gave Mira the boat?", False, False),
    ],
)
def test_which_questions_ask_for_the_newest(question: str, newest: bool, of_change: bool) -> None:
    assert asks_for_newest(question, shape_of(question)) == newest
    assert asks_of_change(question) == of_change


def context(question: str, settings: QuerySettings) -> list[tuple[str, str]]:
    space = MemorySpace(
        [
            message("old", "Ann", "2024-01-01", "My dinghy is moored at the north pier"),
            message("new", "Ann", "2024-03-01", "My dinghy is moored at the south pier now"),
        ],
        [],
    )
    request = QueryRequest(
        space=SPACE, question=question, asked_at=us("2024-05-10"), as_of=None, known_at=None, mode="hybrid",
        budget_tokens=200, answer=False,
    )  # fmt: skip
    items = QueryEngine(space.search(), settings).query(request, space, space, BASIS).context
    return [(item.message_ids[0][1], item.marker) for item in items]


def test_for_a_question_about_the_present_the_newest_comes_first_and_the_older_points_at_it() -> None:
    asked = "Where is the dinghy moored at the north pier?"
    assert context(asked, QuerySettings()) == [("new", ""), ("old", "later: 2024-03-01")]
    assert context(asked, QuerySettings(newest_first=False)) == [("old", ""), ("new", "")]
