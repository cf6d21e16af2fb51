"""The fused ranking of notes, and the order of a context for a question about the present."""

from __future__ import annotations

import msgspec
import pytest

from query.api import QueryRequest
from query.engine import QueryEngine
from query.note_columns import NoteColumns
from query.ports import Rankings
from query.relevance import as_notes, as_shares, rank_notes
from query.settings import QuerySettings, Relevance
from query.shapes import asks_for_newest, asks_of_change, shape_of
from schemas.ids import MessageKey
from tests.kit.space import BASIS, SPACE, MemorySpace, event, message, row, us
from views.vectors.refs import note_ref

PLAIN = Relevance(nearby=(), events=0.0, runs=0.0, speaker=0.0)

Scores = list[tuple[str, float]]


def ranked(
    space: MemorySpace, dense: Scores, weights: Relevance, sparse: Scores | None = None, **more: object
) -> list[str]:
    """``events``: shares by event, which is named like the one note it rests on."""
    found = Rankings(dense=of_notes(dense), sparse=of_notes(sparse or []))
    notes = rank_notes(
        found, more.pop("events", {}), lambda name: [MessageKey("c", name)], more.pop("names", ()),
        NoteColumns(space), weights, most=9, **more,
    )  # type: ignore[arg-type]  # fmt: skip
    return [note.key.message_id for note in notes]


def of_notes(scores: Scores) -> Scores:
    return [(note_ref(MessageKey("c", name)), score) for name, score in scores]


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
    assert ranked(space, dense, PLAIN, names=["Ann"]) == ["m0", "m1"]
    assert ranked(space, dense, msgspec.structs.replace(PLAIN, speaker=0.6), names=["Ann"]) == ["m1", "m0"]


DAYS = ("2024-01-01", "2024-01-03", "2024-01-05", "2024-01-07")


def test_a_note_that_stands_out_by_words_comes_before_one_hardly_better_by_meaning() -> None:
    """By ranks alone both would be once first and once second."""
    dense = [("m0", 0.5), ("m1", 0.49), ("m2", 0.1)]
    assert ranked(talk(*DAYS), dense, PLAIN, [("m1", 9.0), ("m0", 1.0)]) == ["m1", "m0", "m2"]
    assert ranked(talk(*DAYS), dense, PLAIN, [("m1", 9.0), ("m0", 8.9)]) == ["m0", "m1", "m2"]


def test_of_notes_alike_the_worst_by_meaning_still_counts() -> None:
    """Cosines count from half the best, where even the worst found is closer than that."""
    dense, sparse = [("m0", 0.5), ("m1", 0.45)], [("m1", 9.0), ("m0", 6.0)]
    assert ranked(talk(*DAYS), dense, PLAIN, sparse) == ["m1", "m0"]
    assert ranked(talk(*DAYS), [*dense, ("m2", 0.4)], PLAIN, sparse) == ["m1", "m0", "m2"]
    assert ranked(talk(*DAYS), [("m0", 0.5), ("m1", 0.1)], PLAIN, sparse) == ["m0", "m1"]


def test_a_weight_of_nothing_leaves_a_ranking_out() -> None:
    dense, sparse = [("m0", 0.5), ("m1", 0.1)], [("m1", 9.0), ("m2", 1.0)]
    assert ranked(talk(*DAYS), dense, msgspec.structs.replace(PLAIN, sparse=0.0), sparse) == ["m0", "m1"]
    assert ranked(talk(*DAYS), dense, msgspec.structs.replace(PLAIN, dense=0.0), sparse) == ["m1", "m2"]


def test_a_note_rises_by_the_best_event_that_rests_on_it() -> None:
    dense = [("m0", 0.5), ("m1", 0.4), ("m2", 0.3)]
    weights = msgspec.structs.replace(PLAIN, events=0.3)
    assert ranked(talk(*DAYS), dense, weights, events={"m1": 0.2}) == ["m0", "m1", "m2"]
    assert ranked(talk(*DAYS), dense, weights, events={"m2": 0.1, "m1": 1.0, "elsewhere": 1.0}) == ["m1", "m0", "m2"]


def test_of_a_question_for_several_things_a_note_that_states_something_rises() -> None:
    dense = [("m0", 0.5), ("m1", 0.49), ("m2", 0.1)]
    asked = {"several": True, "statements": lambda key: ("e1",) if key.message_id == "m1" else ()}
    assert ranked(talk(*DAYS), dense, PLAIN) == ["m0", "m1", "m2"]
    assert ranked(talk(*DAYS), dense, PLAIN, **asked) == ["m1", "m0", "m2"]
    unweighted = msgspec.structs.replace(PLAIN, statements=0.0)
    assert ranked(talk(*DAYS), dense, unweighted, **asked) == ["m0", "m1", "m2"]


@pytest.mark.parametrize(("question", "first"), [("What boats does Ann have?", "told"), ("Is it Ann's boat?", "asked")])
def test_only_a_question_for_several_things_prefers_statements(question: str, first: str) -> None:
    told = message("told", "Ann", "2024-03-01", "A boat of oak, a boat of pine")
    asked = message("asked", "Ann", "2024-01-01", "A boat of pine, a boat of oak")
    space = MemorySpace([told, asked], [row(event("e1", told, "boat of oak"))])
    request = QueryRequest(
        space=SPACE, question=question, asked_at=us("2024-05-10"), as_of=None, known_at=None, mode="flat",
        budget_tokens=200, answer=False,
    )  # fmt: skip
    plain = Relevance(nearby=(), events=0.0, runs=0.0, speaker=0.0, recency=0.0)
    settings = QuerySettings(newest_first=False, relevance=plain)
    items = QueryEngine(space.search(), settings).query(request, space, space, BASIS).context
    assert items[0].message_ids == (("c", first),)


def test_a_note_rises_with_the_run_it_stands_in() -> None:
    space = talk("2024-01-01T10:00:00Z", "2024-01-05T10:00:00Z", "2024-01-05T10:01:00Z", "2024-01-09T10:00:00Z")
    dense = [("m0", 0.5), ("m1", 0.49), ("m2", 0.48), ("m3", 0.1)]
    assert ranked(space, dense, PLAIN) == ["m0", "m1", "m2", "m3"]
    assert ranked(space, dense, msgspec.structs.replace(PLAIN, runs=0.4)) == ["m1", "m2", "m0", "m3"]
    alone = msgspec.structs.replace(PLAIN, runs=0.4, run_notes=1)
    assert ranked(space, dense, alone) == ["m0", "m1", "m2", "m3"]


def test_events_count_as_shares_of_the_best_by_meaning_and_by_words() -> None:
    found = Rankings(dense=[("a", 0.8), ("b", 0.5), ("c", 0.2)], sparse=[("b", 4.0), ("d", 1.0)])
    shares = as_shares(found, Relevance(dense=0.6, sparse=0.4))
    assert shares == {name: pytest.approx(share) for name, share in {"a": 0.6, "b": 0.7, "c": 0.0, "d": 0.1}.items()}
    assert as_shares(found, Relevance(dense=0.5, sparse=0.0)) == {"a": 1.0, "b": pytest.approx(0.5), "c": 0.0}
    assert as_notes({"a": 0.5}, Relevance(dense=0.6, sparse=0.2)) == {"a": pytest.approx(0.4)}
    assert as_shares(Rankings(dense=(), sparse=()), Relevance()) == {}


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
