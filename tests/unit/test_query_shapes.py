"""What is read from a question's words: shape, people, period."""

from __future__ import annotations

import pytest

from query.period import period_of
from query.shapes import asks_about_past, asks_for_several, names_in, people_asked, proper_words, shape_of
from schemas.times import format_time
from tests.kit.space import us


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("When did Tilda start at the harbour?", "temporal"),
        ("How long has Bram had the boat?", "temporal"),
        ("Since when is the mill closed?", "temporal"),
        ("Which month is the fair in?", "temporal"),
        ("What does Bram like to drink?", "preference"),
        ("Which tea does Oda prefer?", "preference"),
        ("What would you recommend to Tilda?", "preference"),
        ("Why did Tilda look for work?", "multi-hop"),
        ("What do Tilda and Bram have in common?", "multi-hop"),
        ("Where does Oda live?", "factual"),
        ("Is the mill open?", "factual"),
        ("What is the harbour office like?", "factual"),
        ("Tell me about the choir.", "open"),
    ],
)
def test_shape_follows_from_the_words(question: str, shape: str) -> None:
    assert shape_of(question) == shape


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Where did Oda live before?", True),
        ("What was Tilda's previous job?", True),
        ("What did Bram use to sail?", True),
        ("Where does Oda live?", False),
        ("Did Bram paint the shed before the fair?", False),
    ],
)
def test_a_former_state_is_asked_for_in_words(question: str, past: bool) -> None:
    assert asks_about_past(question) is past


def test_names_match_by_full_name_or_one_word_of_it_in_any_case() -> None:
    people = ["Bram Holt", "Oda", "Tilda"]
    assert names_in("does TILDA know Holt's boat?", people) == ("Bram Holt", "Tilda")
    assert names_in("is the coda long?", people) == ()


def test_small_words_in_a_name_name_nobody() -> None:
    people = ["Two of them", "the choir", "Ines de la Mare", "Will", "us"]
    assert names_in("What is the name of one of the boats?", people) == ()
    assert names_in("Where does de la Mare live, and will two choirs sing?", people) == (
        "Ines de la Mare",
        "Two of them",
        "Will",
    )
    assert names_in("When does the choir sing for us?", people) == ("the choir", "us")


def test_somebody_known_through_another_is_not_named_by_the_others_name() -> None:
    people = ["Bram", "Bram's doctor", "Bram's sister Ilka", "Tilda"]
    assert names_in("Where does Bram live?", people) == ("Bram",)
    assert names_in("Who is Tilda's sister?", people) == ("Tilda",)
    assert names_in("Who is Bram's sister?", people) == ("Bram", "Bram's sister Ilka")
    assert names_in("Where does Ilka live?", people) == ("Bram's sister Ilka",)
    assert names_in("What did Bram's doctor say?", people) == ("Bram", "Bram's doctor")


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which cats does Bram have?", True),
        ("What kinds of boats has Bram owned?", True),
        ("What does Bram like?", True),
        ("Which boat does Bram have?", False),
        ("What class does Bram take?", False),
        ("Where does Bram live?", False),
    ],
)
def test_some_questions_ask_for_several_statements(question: str, several: bool) -> None:
    assert asks_for_several(question, shape_of(question)) is several


def test_proper_words_of_a_name_say_who_and_not_what() -> None:
    assert proper_words("Bram's sister Ilka") == ("Bram", "Ilka")
    assert proper_words("Bram Holt") == ("Bram", "Holt")
    assert proper_words("the choir") == ("the", "choir")


def test_people_in_the_place_of_a_subject_are_seen_even_when_unknown() -> None:
    assert people_asked("Where does Zora live, and what is Kim's job?") == ("Zora", "Kim")
    assert people_asked("Where is the Harbour?") == ()


@pytest.mark.parametrize(
    ("words", "start", "until"),
    [
        ("on 2024-03-05", "2024-03-05", "2024-03-06"),
        ("in 2024-03", "2024-03-01", "2024-04-01"),
        ("on 5 March 2024", "2024-03-05", "2024-03-06"),
        ("on March 5th, 2024", "2024-03-05", "2024-03-06"),
        ("in December 2023", "2023-12-01", "2024-01-01"),
        ("in March", "2024-03-01", "2024-04-01"),
        ("in November", "2023-11-01", "2023-12-01"),
        ("in 2022", "2022-01-01", "2023-01-01"),
        ("last year", "2023-01-01", "2024-01-01"),
        ("last month", "2024-04-01", "2024-05-01"),
        ("before March 2024", "2024-02-29", "2024-03-01"),
        ("yesterday", "2024-05-09", "2024-05-10"),
        ("last week", "2024-04-29", "2024-05-06"),
        ("this week", "2024-05-06", "2024-05-13"),
    ],
)
def test_a_period_is_resolved_against_the_day_it_is_asked(words: str, start: str, until: str) -> None:
    period = period_of(f"Where did Oda live {words}?", us("2024-05-10"))
    assert period is not None
    assert (format_time(period.start)[:10], format_time(period.until)[:10]) == (start, until)


@pytest.mark.parametrize("words", ["since March 2024", "after 2023", "on 31 February 2024", "these days"])
def test_open_ended_impossible_and_absent_dates_name_no_period(words: str) -> None:
    assert period_of(f"Where did Oda live {words}?", us("2024-05-10")) is None


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("last year", "0001-06-01"),
        ("this month", "9999-12-31"),
        ("this week", "9999-12-31"),
        ("last week", "0001-01-03"),
        ("yesterday", "0001-01-01"),
    ],
)
def test_a_period_outside_the_calendar_is_no_period(words: str, asked: str) -> None:
    assert period_of(f"Where did Oda live {words}?", us(asked)) is None
