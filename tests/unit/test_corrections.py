"""Corrections in words: from what people say to events and edges, with the offline rules."""

from __future__ import annotations

import time

import pytest

from schemas.times import format_time
from tests.kit.telling import Told, hear

RECITAL = Told(1, "Ilse", "My recital is on 12 May.")
ONE_OF_EACH = [
    (
        "My recital was never on 12 May, my recital is on 14 May.",
        "My recital was never on 12 May, my recital is on 14 May",
    ),
    ("My recital is on 14 May. It was never on 12 May.", "My recital is on 14 May. It was never on 12 May"),
    ("Correction: my recital is on 14 May", "Correction: my recital is on 14 May"),
    ("Correction, my recital is on 14 May", "Correction, my recital is on 14 May"),
    ("Wait, my mistake: my recital is on 14 May", "my mistake: my recital is on 14 May"),
    ("Sorry, my recital is on 14 May, I got the date wrong", "my recital is on 14 May, I got the date wrong"),
    ("I made a mistake. My recital is on 14 May.", "I made a mistake. My recital is on 14 May"),
    ("My recital is on 14 May. I mixed that up.", "My recital is on 14 May. I mixed that up"),
    ("My recital was on 14 May all along.", "My recital was on 14 May all along"),
]


@pytest.mark.parametrize(("said", "text"), ONE_OF_EACH, ids=[said for said, _ in ONE_OF_EACH])
def test_a_correction_is_one_statement_of_the_right_value_and_corrects_the_old_one(said: str, text: str) -> None:
    heard = hear(RECITAL, Told(20, "Ilse", said))
    assert heard.texts() == ["My recital is on 12 May", text]
    assert heard.links() == [(text, "correction", "My recital is on 12 May")]
    right = heard.events[-1]
    assert (format_time(right.anchor.start)[:10], right.polarity) == ("2031-05-14", "affirmed")
    assert (right.subject, right.holds) == ("Ilse's recital", True)


def test_what_was_denied_is_no_statement_beside_what_is_so() -> None:
    heard = hear(
        Told(1, "Ilse", "The regatta is on 12 May."),
        Told(20, "Ilse", "Sorry, the regatta is on 14 May, it was never on 12 May"),
    )
    right = "the regatta is on 14 May, it was never on 12 May"
    assert heard.texts() == ["The regatta is on 12 May", right]
    assert heard.links() == [(right, "correction", "The regatta is on 12 May")]


@pytest.mark.parametrize("between", [(), (Told(1, "Jaro", "Nice!"),)], ids=["right after", "after a reply"])
@pytest.mark.parametrize("first", ["My recital is on 12 May.", "The regatta is on 12 May."])
def test_it_in_a_correction_is_the_thing_named_before(first: str, between: tuple[Told, ...]) -> None:
    right = "It was never the 12th, I mistyped: it is the 14th"
    heard = hear(Told(1, "Ilse", first), *between, Told(1, "Ilse", right))
    assert heard.links() == [(right, "correction", first.rstrip("."))]


def test_a_slip_put_right_in_the_same_message_is_corrected() -> None:
    heard = hear(Told(1, "Ilse", "My recital is on 12 May. Sorry, I mistyped: it is on 14 May."))
    assert heard.links() == [("I mistyped: it is on 14 May", "correction", "My recital is on 12 May")]


def test_another_value_after_the_word_is_a_correction_and_a_move_is_a_change() -> None:
    home = Told(1, "Ilse", "I live in Lecce.")
    put_right, moved = (
        hear(home, Told(9, "Ilse", "Correction: I live in Lucca")),
        hear(home, Told(9, "Ilse", "I moved to Lucca")),
    )
    assert put_right.links() == [("Correction: I live in Lucca", "correction", "I live in Lecce")]
    assert moved.links() == [("I moved to Lucca", "change", "I live in Lecce")]
    assert [event.value for event in put_right.events] == ["Lecce", "Lucca"]


def test_a_denied_home_goes_into_the_true_one() -> None:
    right = "I never lived in Lecce, I live in Lucca"
    heard = hear(Told(1, "Ilse", "I live in Lecce."), Told(9, "Ilse", right))
    assert heard.links() == [(right, "correction", "I live in Lecce")]


def test_a_count_is_corrected() -> None:
    heard = hear(Told(1, "Ilse", "I have two canoes."), Told(9, "Ilse", "I have three canoes, I miscounted"))
    assert heard.links() == [("I have three canoes, I miscounted", "correction", "I have two canoes")]


def test_a_correction_reaches_what_was_said_last_and_not_what_that_replaced() -> None:
    """From Bergen to Lecce was a change: Bergen was true until then."""
    right = "Correction: I live in Lucca"
    heard = hear(Told(1, "Ilse", "I live in Bergen."), Told(5, "Ilse", "I live in Lecce."), Told(9, "Ilse", right))
    assert heard.links() == [
        (right, "change", "I live in Bergen"),
        (right, "correction", "I live in Lecce"),
        ("I live in Lecce", "change", "I live in Bergen"),
    ]


def test_a_wrong_date_said_twice_is_corrected_twice() -> None:
    right = "Correction: my recital is on 14 May"
    heard = hear(RECITAL, Told(3, "Ilse", "As I said, my recital is on 12 May"), Told(9, "Ilse", right))
    assert [kind for source, kind, _ in heard.links() if source == right] == ["correction", "correction"]


def test_a_correction_of_a_correction_leaves_the_first_alone() -> None:
    wrong, back = "Correction: my recital is on 14 May", "My mistake: my recital is on 12 May"
    heard = hear(RECITAL, Told(5, "Ilse", wrong), Told(9, "Ilse", back))
    assert heard.links() == [(wrong, "correction", "My recital is on 12 May"), (back, "correction", wrong)]


@pytest.mark.parametrize(
    "admission", ["I mixed that up", "I made a mistake", "I mistyped", "I got the date wrong", "I was wrong about that"]
)
def test_an_admission_alone_takes_back_the_statement_right_before(admission: str) -> None:
    heard = hear(Told(1, "Ilse", "I have a canoe."), RECITAL, Told(1, "Ilse", f"Oh no, {admission}."))
    assert heard.texts()[-1] == admission
    assert heard.links() == [(admission, "withdrawn", "My recital is on 12 May")]


def test_a_joke_about_a_thing_is_taken_back_too() -> None:
    heard = hear(Told(1, "Ilse", "The regatta is on 12 May."), Told(1, "Ilse", "I was joking"))
    assert heard.links() == [("I was joking", "withdrawn", "The regatta is on 12 May")]


NOTHING_CORRECTED = [
    ("an experience", ["My plane leaves on 12 May.", "I was on a plane yesterday."], "I was never on a plane"),
    ("another twelfth", ["My recital is on 12 May."], "I was never on the 12th floor"),
    ("a mistake in deed", ["I work at the mill."], "I made a mistake at work yesterday"),
    ("a mistake in deed after it was told", ["I have a stove."], "I left the stove on. My mistake!"),
    ("somebody's mistake", ["The boat is at the pier."], "It was my mistake that the boat sank"),
    ("flour is no slip", ["I have flour and sugar."], "I mixed up the flour and the sugar yesterday"),
    ("another thing", ["My recital is on 12 May."], "Correction: my dentist appointment is on 14 May"),
    ("another pet", ["My cat is called Tim."], "I was wrong, my dog is called Tom"),
    ("another trip", ["My trip to Faro is on 3 June."], "I got the date wrong, my trip to Vigo is on 9 June"),
    ("another person", ["My mum lives in Lecce."], "Correction: my dad lives in Lucca"),
    ("the same value", ["My recital is on 12 May."], "Correction: my recital is on 12 May"),
    ("no topic in common", ["I work at the mill."], "Wait, my mistake: I play the oboe"),
    ("a question", ["My recital is on 12 May."], "Did I get the date wrong?"),
]


@pytest.mark.parametrize(
    ("before", "said"), [case[1:] for case in NOTHING_CORRECTED], ids=[c[0] for c in NOTHING_CORRECTED]
)
def test_nothing_is_corrected(before: list[str], said: str) -> None:
    heard = hear(*(Told(1, "Ilse", text) for text in before), Told(1, "Ilse", said))
    assert [kind for _, kind, _ in heard.links() if kind in ("correction", "withdrawn")] == []


def test_a_mistake_with_more_to_it_is_an_event_of_its_own() -> None:
    assert hear(Told(1, "Ilse", "I made a mistake at work yesterday")).texts() == ["I made a mistake at work yesterday"]


def test_a_speaker_corrects_only_the_own_date() -> None:
    heard = hear(
        RECITAL, Told(1, "Jaro", "My recital is on 12 May."), Told(9, "Jaro", "Correction: my recital is on 14 May")
    )
    of_jaro = next(e.id for e in heard.events if e.subject == "Jaro's recital")
    corrected = [edge.dst for edge in heard.edges if edge.kind == "correction"]
    assert corrected == [of_jaro]


def test_the_span_of_a_correction_is_its_text() -> None:
    said = "Hello! Wait, my mistake: my recital is on 14 May. See you"
    (event,) = hear(Told(1, "Ilse", said)).events
    source = event.sources[0]
    assert said[source.start : source.end] == event.text == "my mistake: my recital is on 14 May"


@pytest.mark.parametrize("piece", ["wait, ", "so ", "I made a mistake, ", ", ", "- ", "I was wrong. ", "no\n"])
def test_a_long_message_of_openings_costs_little(piece: str) -> None:
    """Each of a few thousand openings may begin an admission; the words looked at from there are bounded."""
    before = time.process_time()
    hear(Told(1, "Ilse", piece * 2_000))
    assert time.process_time() - before < 3.0


def test_a_date_put_right_days_later_without_its_name_is_that_of_the_only_thing_dated_so() -> None:
    put_right = Told(12, "Ilse", "I mistyped: it was always the twelfth of May.")
    heard = hear(Told(1, "Ilse", "The regatta is on the twenty-first of May."), put_right)
    text = "I mistyped: it was always the twelfth of May"
    assert heard.links() == [(text, "correction", "The regatta is on the twenty-first of May")]


def test_of_two_things_dated_so_neither_is_put_right() -> None:
    heard = hear(
        Told(1, "Ilse", "The regatta is on the twenty-first of May."),
        Told(2, "Ilse", "The check-up is on the third of May."),
        Told(12, "Ilse", "I mistyped: it was always the twelfth of May."),
    )
    assert heard.links() == []
    assert {edge.relation for edge in heard.edges} == {"possibly_updates"}
