"""The extractive answer: current statements quoted, past ones marked, or an honest "Not known"."""

from __future__ import annotations

import pytest

from query.api import QueryRequest, QueryResult
from query.engine import QueryEngine
from query.settings import QuerySettings
from tests.kit.space import BASIS, SPACE, MemorySpace, anchor, event, message, row, us
from tests.kit.village import village


def ask(
    question: str, as_of: str | None = None, asked: str = "2024-05-10", space: MemorySpace | None = None
) -> QueryResult:
    space = space or village()
    request = QueryRequest(
        space=SPACE,
        question=question,
        asked_at=us(asked),
        as_of=None if as_of is None else us(as_of),
        known_at=None,
        mode="hybrid",
        budget_tokens=1000,
        answer=True,
    )
    return QueryEngine(space.search(), QuerySettings()).query(request, space, space, BASIS)


def events(result: QueryResult) -> tuple[str, ...]:
    assert result.answer is not None
    assert result.answer.kind == "extractive"
    return result.answer.event_ids


def text(result: QueryResult) -> str:
    assert result.answer is not None
    return result.answer.text


def test_the_current_job_is_quoted_with_speaker_day_and_since_when() -> None:
    result = ask("Where does Tilda work?")
    assert text(result) == (
        '"First day at the harbour office, I work there as a clerk now." (Tilda, 2024-05-02); holds since 2024-05-02'
    )
    (citation,) = result.citations
    assert (citation.conversation_id, citation.message_id, citation.event_id) == ("c", "m2", "job-new")


def test_the_successor_is_found_from_the_words_of_what_it_replaced() -> None:
    assert events(ask("Is Tilda a baker at the Corner Mill?"))[0] == "job-new"


def test_a_former_state_is_told_when_it_is_asked_for_and_marked() -> None:
    result = ask("Where did Tilda work before?")
    assert events(result) == ("job-old",)
    assert "superseded on 2024-05-02" in text(result)


def test_a_question_about_a_past_month_is_answered_from_the_state_then() -> None:
    result = ask("Where did Tilda work in March 2024?")
    assert events(result) == ("job-old",)
    assert result.as_of == us("2024-04-01") - 1
    assert "held since 2024-01-10; held then; superseded on 2024-05-02" in text(result)


def test_as_of_outranks_the_present_and_does_not_tell_the_future() -> None:
    result = ask("Where does Tilda work?", as_of="2024-03-01")
    assert events(result) == ("job-old",)
    assert "harbour" not in text(result)
    assert result.as_of == us("2024-03-01")


def test_a_moved_appointment_is_told_by_its_new_day_as_a_plan() -> None:
    result = ask("When is Bram's dentist appointment?", asked="2024-03-10")
    assert events(result) == ("dentist-21",)
    assert text(result).startswith('Planned: "The dentist moved my appointment to 21 March." (Bram, 2024-03-05)')


def test_a_lapsed_plan_is_not_told_as_done() -> None:
    result = ask("Did Bram repaint the boat shed?")
    assert text(result).startswith('Planned: "I plan to repaint the boat shed')
    assert "outcome unknown" in text(result)


def test_a_corrected_statement_is_not_an_answer_at_any_time() -> None:
    assert events(ask("Where does Oda live?")) == ("oda-malmo",)
    assert events(ask("Where did Oda live in February 2024?")) == ("oda-malmo",)
    assert "Lund" not in text(ask("Where did Oda live before?"))


def test_of_contested_statements_both_are_told() -> None:
    result = ask("When does the village choir rehearse?")
    assert set(events(result)) == {"choir-mon", "choir-fri"}
    assert text(result).count("contested by") == 2


def test_two_facts_that_look_alike_are_both_told_the_newer_first() -> None:
    assert events(ask("Which cats does Bram have?")) == ("cat-juno", "cat-pim")


@pytest.mark.parametrize(
    "question", ["Where does Zora live?", "What is Kasimir's job?", "Who paints zebras xylophonically?"]
)
def test_what_nobody_said_is_not_known(question: str) -> None:
    result = ask(question)
    assert result.answer is not None
    assert result.answer.known is False
    assert text(result).startswith("Not known: ")
    assert result.citations == ()


def test_a_statement_about_somebody_else_does_not_answer() -> None:
    assert "harbour" not in text(ask("Where does Bram work?"))


def test_an_alias_leads_to_the_person() -> None:
    assert events(ask("Where does Til work?"))[0] == "job-new"


def test_what_has_ended_without_a_successor_is_last_known_and_marked() -> None:
    said = message("n", "Ann", "2024-02-01", "I used to live in Bergen.")
    space = MemorySpace(
        [said], [row(event("bergen", said, holds=False, attribute="home"), valid_until=us("2024-02-01"))]
    )
    result = ask("Where does Ann live?", space=space)
    assert result.answer is not None
    assert result.answer.known is False
    assert "Last known: " in text(result)
    assert "ended by 2024-02-01" in text(result)
    assert events(ask("Where did Ann live before?", space=space)) == ("bergen",)


def test_something_done_answers_although_it_is_over_and_is_told_with_its_day() -> None:
    said = message("n", "Ann", "2024-02-05", "I climbed the Glass Tower on Saturday.")
    climbed = event("climb", said, type="action", holds=False, anchor=anchor(us("2024-02-03"), phrase="on Saturday"))
    space = MemorySpace([said], [row(climbed, valid_until=us("2024-02-05"))])
    result = ask("When did Ann climb the Glass Tower?", space=space)
    assert result.answer is not None
    assert result.answer.known
    assert text(result) == '"I climbed the Glass Tower on Saturday." (Ann, 2024-02-05); on 2024-02-03'


def test_a_preference_question_lists_several_current_statements() -> None:
    said = [
        message(f"n{i}", "Ann", f"2024-02-0{i}", f"I like {what} tea a lot.")
        for i, what in enumerate(["mint", "rooibos"], 1)
    ]
    rows = [row(event(f"tea{i}", m, type="preference")) for i, m in enumerate(said)]
    assert set(events(ask("Which tea does Ann like?", space=MemorySpace(said, rows)))) == {"tea0", "tea1"}


def test_a_quote_is_the_exact_slice_of_its_message() -> None:
    space = village()
    for question in ("Where does Oda live?", "Where does Tilda work?", "When does the village choir rehearse?"):
        for citation in ask(question, space=space).citations:
            text = space.message((citation.conversation_id, citation.message_id))  # type: ignore[arg-type]
            assert text is not None
            assert citation.quote in text.content
            assert citation.speaker == text.speaker
    (citation,) = ask("Where does Oda live?", space=space).citations
    assert citation.quote == "Oda lives in Malmo"


def test_a_statement_about_the_person_outranks_one_that_merely_involves_them() -> None:
    said = [message(f"n{i}", "Bo", f"2024-02-0{i}", "The new bicycle is red and fast.") for i in (1, 2)]
    rows = [
        row(event("hers", said[0], subject="Ann", participants=("Ann", "Bo"))),
        row(event("his", said[1], subject="Bo", participants=("Ann", "Bo"))),
    ]
    assert events(ask("Is Ann's new bicycle red?", space=MemorySpace(said, rows)))[0] == "hers"


def test_of_two_like_things_done_the_one_within_the_period_asked_leads() -> None:
    said = [message(f"n{i}", "Ann", f"2024-0{i}-20", "I climbed the Glass Tower.") for i in (2, 3)]
    rows = [row(event(f"climb{i}", m, type="action")) for i, m in enumerate(said, start=2)]
    space = MemorySpace(said, rows)
    assert events(ask("What did Ann climb in February 2024?", space=space))[0] == "climb2"
    assert events(ask("What did Ann climb in March 2024?", space=space))[0] == "climb3"


def test_a_question_for_several_lists_all_on_the_attribute_and_one_for_a_fact_only_what_is_close() -> None:
    said = [
        message("n1", "Ann", "2024-02-01", "My boat is the Heron, a red boat with an old engine."),
        message("n2", "Ann", "2024-02-02", "We also got Swift."),
    ]
    rows = [row(event(f"boat{i}", m, attribute="boat")) for i, m in enumerate(said, start=1)]
    space = MemorySpace(said, rows)
    assert set(events(ask("Which red boats does Ann have?", space=space))) == {"boat1", "boat2"}
    assert events(ask("Which red boat does Ann have?", space=space)) == ("boat1",)


def test_somebody_is_found_by_the_relation_through_which_they_are_known() -> None:
    said = message("n1", "Ann", "2024-02-01", "My sister Ilka is a beekeeper.")
    ilka = event("ilka", said, subject="Ann's sister Ilka", participants=("Ann's sister Ilka",))
    tram = message("n2", "Ann", "2024-02-02", "I took the tram.")
    space = MemorySpace([said, tram], [row(ilka), row(event("tram", tram, type="action"))])
    assert events(ask("Who is Ann's sister?", space=space)) == ("ilka",)
    assert events(ask("Is Ilka a beekeeper?", space=space)) == ("ilka",)
    assert events(ask("Is Ann a beekeeper?", space=space)) == ()


def test_what_somebody_did_on_a_day_is_told_in_whatever_words_and_nothing_of_another_day() -> None:
    oiled = message("m20", "Bram", "2024-05-09", "Oiled the hinges.")
    patched = message("m21", "Bram", "2024-05-10", "Patched the sails.")
    rows = [row(event("oiled", oiled, type="action"), "s1"), row(event("patched", patched, type="action"), "s2")]
    space = MemorySpace([oiled, patched], rows, [], {})
    assert events(ask("What did Bram do yesterday?", asked="2024-05-10", space=space)) == ("oiled",)
    assert events(ask("What did Bram sell yesterday?", asked="2024-05-10", space=space)) == ()


def test_a_question_about_two_people_is_answered_by_what_both_take_part_in() -> None:
    helped = message("m20", "Bram", "2024-05-01", "Tilda pulled Oda out of the lake.")
    alone = message("m21", "Bram", "2024-05-02", "Oda paints barns.")
    rows = [
        row(event("helped", helped, subject="Tilda", participants=("Oda", "Tilda"), type="action"), "s1"),
        row(event("alone", alone, subject="Oda", participants=("Oda",)), "s2"),
    ]
    space = MemorySpace([helped, alone], rows, [], {})
    assert events(ask("How are Tilda and Oda linked?", space=space)) == ("helped",)


def _rent_and_lease() -> MemorySpace:
    said = [
        message("n1", "Ann", "2024-02-01", "The rent is 900 a month."),
        message("n2", "Ann", "2024-02-02", "The lease is in a drawer."),
        message("n3", "Bo", "2024-02-03", "My rent is 400."),
    ]
    rows = [
        row(event("rent", said[0], subject="rent", participants=(), attribute="rent")),
        row(event("lease", said[1], subject="lease", participants=(), attribute="location")),
        row(event("other", said[2], subject="Bo's rent", participants=("Bo",), attribute="rent")),
    ]
    return MemorySpace(said, rows)


def test_a_thing_that_is_nobodys_is_of_whoever_told_of_it_where_the_question_asks_for_it() -> None:
    assert events(ask("How much is Ann's rent?", space=_rent_and_lease())) == ("rent",)
    assert "lease" not in events(ask("Where does Ann live?", space=_rent_and_lease()))


def test_a_job_answers_where_somebody_works() -> None:
    said = message("n", "Ann", "2024-02-01", "I got the harbour office one.")
    space = MemorySpace([said], [row(event("job", said, attribute="job", value="harbour office"))])
    assert events(ask("Where does Ann work?", space=space)) == ("job",)


def test_what_is_called_off_is_not_told_as_planned() -> None:
    said = message("n", "Ann", "2024-02-01", "The regatta is off.")
    off = event("off", said, type="plan", modality="planned", polarity="negated", subject="regatta", participants=())
    result = ask("When is the regatta?", space=MemorySpace([said], [row(off)]))
    assert text(result).startswith('"The regatta is off." (Ann, 2024-02-01)')
