"""Answers of a model, scripted: what may be told, what is dropped, and when the rules answer instead."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from query.api import QueryRequest, QueryResult
from query.engine import QueryEngine
from query.generated import ModelAnswer
from query.ports import AnswerQuestion, NoReplyError
from query.settings import QuerySettings
from schemas.asking import ModelReplied, ReadOutcome, ReplyOutcome
from schemas.ids import SpaceKey
from tests.kit.space import BASIS, SPACE, MemorySpace, us
from tests.kit.village import village

Evidence = dict[str, Any]


class Scripted:
    """A model that answers as it is told, from what it is shown."""

    producer = "scripted+1"

    def __init__(self, *answers: Callable[[Evidence], Any] | str, outcome: ReplyOutcome = "stop") -> None:
        self._answers = list(answers)
        self._outcome: ReplyOutcome = outcome
        self.asked: list[AnswerQuestion] = []
        self.outcomes: list[tuple[str, int, int]] = []

    def ask(self, space: SpaceKey, question: AnswerQuestion) -> ModelReplied:
        self.asked.append(question)
        given = self._answers[min(len(self.asked), len(self._answers)) - 1]
        text = given if isinstance(given, str) else json.dumps(given(json.loads(question.data)))
        return ModelReplied(
            tenant=space.tenant, space=space.space, stage="answer", ask_id=f"q{len(self.asked)}", session_id="",
            about=(), outcome=self._outcome, text=text, error="", model="m", via="live", calls=1, prompt_tokens=1,
            completion_tokens=1, cost_usd=0.0, at=0,
        )  # fmt: skip

    def read(self, reply: ModelReplied, *, kept: int, dropped: int, outcome: ReadOutcome, problem: str) -> None:
        self.outcomes.append((outcome, kept, dropped))


def ask(
    model: Any, question: str, space: MemorySpace | None = None, mode: Any = "hybrid", budget: int = 1000
) -> QueryResult:
    space = space or village()
    request = QueryRequest(
        space=SPACE, question=question, asked_at=us("2024-05-10"), as_of=None, known_at=None, mode=mode,
        budget_tokens=budget, answer=True,
    )  # fmt: skip
    return QueryEngine(space.search(), QuerySettings()).query(request, space, space, BASIS, model=model)


def says(answer: str, *cited: tuple[str, str], known: bool = True) -> Callable[[Evidence], Evidence]:
    """An answer that cites what stands for the words (a label itself is taken as it is)."""

    def given(data: Evidence) -> Evidence:
        citations = [{"id": label_of(data, words), "told_as": told_as} for words, told_as in cited]
        return {"reason": "As said.", "known": known, "answer": answer, "citations": citations}

    return given


def label_of(data: Evidence, words: str) -> str:
    """The label under which words stand in the evidence."""
    for line in data.get("graph", []):
        before, found, _ = line.partition("{")[0].partition(words)
        if found:
            return [part for part in before.split() if part[:1] == "E" and part[1:].isdigit()][-1]
    for note in data.get("notes", []):
        if words in note["text"]:
            return note["id"]
    return words


def test_an_answer_is_told_with_what_it_cites() -> None:
    result = ask(
        Scripted(says("Tilda works at the harbour office.", ("First day", "current"))), "Where does Tilda work?"
    )
    assert result.answer is not None
    assert (result.answer.text, result.answer.kind) == ("Tilda works at the harbour office.", "generated")
    assert (result.answer.producer, result.answer.fallback, result.answer.dropped) == ("scripted+1", None, 0)
    assert result.answer.event_ids == ("job-new",)
    assert [(c.message_id, c.event_id) for c in result.citations] == [("m2", "job-new")]
    assert result.trace is not None
    assert result.trace.supported


def test_a_message_can_be_cited_without_a_statement() -> None:
    model = Scripted(says("It was lovely.", ("Lovely weather", "past")))
    result = ask(model, "What did Bram say of the weather?", mode="flat")
    assert result.answer is not None
    assert result.answer.known
    (citation,) = result.citations
    assert (citation.event_id, citation.message_id, citation.quote) == ("", "m14", "Lovely weather, is it not?")


def test_citations_of_nothing_are_dropped_and_counted() -> None:
    model = Scripted(says("The harbour office.", ("First day", "current"), ("E99", "current"), ("job-new", "current")))
    result = ask(model, "Where does Tilda work?")
    assert result.answer is not None
    assert (result.answer.dropped, result.answer.event_ids) == (2, ("job-new",))
    assert model.outcomes == [("done", 1, 2)]


@pytest.mark.parametrize(
    "answer",
    [
        says("Reykjavik.", ("E99", "current")),
        says("Reykjavik."),
        says("", ("First day", "current")),
        says("The harbour office.", ("First day", "current"), known=False),
    ],
)
def test_without_evidence_or_words_nothing_is_known(answer: Callable[[Evidence], Evidence]) -> None:
    result = ask(Scripted(answer), "Where does Tilda work?")
    assert result.answer is not None
    assert (result.answer.known, result.answer.kind) == (False, "generated")
    assert result.answer.text.startswith("Not known")
    assert (result.answer.event_ids, result.citations, result.trace) == ((), (), None)


@pytest.mark.parametrize(
    ("question", "answer", "why"),
    [
        ("Where does Tilda work?", says("As a baker.", ("baker at the", "current")), "current, which is past"),
        ("Where does Tilda work?", says("She was a baker.", ("baker at the", "past")), "nothing that still holds"),
        (
            "Where does Tilda work?",
            says("At the Corner Mill.", ("baker at the", "past"), ("First day", "current")),
            "'corner mill' as present",
        ),
        ("Where does Oda live?", says("In Lund.", ("Oda lives in Malmo", "current")), "'lund' as present"),
        (
            "When does Bram repaint the boat shed?",
            says("He repainted it in April.", ("repaint the boat shed", "past")),
            "which is planned",
        ),
        (
            "When does Bram go to the dentist?",
            says("He goes there.", ("moved my appointment", "current")),
            "which is planned",
        ),
    ],
)
def test_what_the_view_has_as_past_is_not_told_as_present(question: str, answer: Any, why: str) -> None:
    result = ask(Scripted(answer), question)
    assert result.answer is not None
    assert result.answer.kind == "extractive"
    assert why in (result.answer.fallback or "")
    rules = ask(None, question)
    assert (result.answer.text, result.citations) == (rules.answer and rules.answer.text, rules.citations)


def test_what_is_past_may_be_told_as_past() -> None:
    model = Scripted(
        says("At the harbour office; until May she was at the Corner Mill.", ("First day", "current"),
             ("baker at the", "past"))
    )  # fmt: skip
    result = ask(model, "Where does Tilda work?")
    assert result.answer is not None
    assert (result.answer.kind, result.answer.fallback) == ("generated", None)


def test_a_question_about_the_past_is_answered_from_the_past() -> None:
    model = Scripted(says("At the Corner Mill.", ("baker at the", "past")))
    result = ask(model, "Where did Tilda work before?")
    assert result.answer is not None
    assert result.answer.kind == "extractive", "the sentence itself must say so, or be checked by nobody"
    model = Scripted(says("She worked at the Corner Mill.", ("baker at the", "past")))
    result = ask(model, "Where did Tilda work before?")
    assert result.answer is not None
    assert result.answer.kind == "generated"


@pytest.mark.parametrize(
    "text",
    [
        "", "Sorry.", "{", '{"known": true}', '{"reason": 1, "known": 2, "answer": 3, "citations": 4}', "[" * 5000,
        '{"reason": "", "known": true, "answer": "\\ud800", "citations": []}', '{"reason": NaN}', '{"\\udfff": 1}',
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_read_is_asked_for_once_more(text: str) -> None:
    model = Scripted(text, says("The harbour office.", ("First day", "current")))
    result = ask(model, "Where does Tilda work?")
    assert result.answer is not None
    assert result.answer.kind == "generated"
    assert [bool(question.again) for question in model.asked] == [False, True]
    assert [outcome for outcome, _, _ in model.outcomes] == ["retried", "done"]


def test_after_two_that_cannot_be_read_the_rules_answer_and_say_why() -> None:
    model = Scripted("Sorry.")
    result = ask(model, "Where does Tilda work?")
    assert result.answer is not None
    assert (result.answer.kind, result.answer.fallback) == ("extractive", "no JSON object in it")
    assert len(model.asked) == 2
    assert [outcome for outcome, _, _ in model.outcomes] == ["retried", "parked"]


@pytest.mark.parametrize("outcome", ["length", "refusal", "empty"])
def test_half_an_answer_is_none(outcome: ReplyOutcome) -> None:
    model = Scripted(says("The harbour office.", ("First day", "current")), outcome=outcome)
    result = ask(model, "Where does Tilda work?")
    assert result.answer is not None
    assert (result.answer.kind, len(model.asked)) == ("extractive", 2)


def test_where_nobody_answers_the_rules_do_and_say_why() -> None:
    class Away(Scripted):
        def ask(self, space: SpaceKey, question: AnswerQuestion) -> ModelReplied:
            raise NoReplyError("the budget of today is spent")

    result = ask(Away("x"), "Where does Tilda work?")
    assert result.answer is not None
    assert (result.answer.kind, result.answer.fallback) == ("extractive", "the budget of today is spent")
    assert result.answer.producer is None


def test_the_plan_follows_the_shape_and_the_evidence_is_fenced() -> None:
    model = Scripted(says("x"))
    ask(model, "When did Tilda start at the harbour?")
    ask(model, "Where does Tilda work?")
    temporal, factual = model.asked
    assert "calendar date" in temporal.system
    assert "as few words" in factual.system
    data = json.loads(factual.data)
    assert data["question"] == "Where does Tilda work?"
    assert data["asked"] == "2024-05-10"
    assert any("superseded on 2024-05-02" in line for line in data["graph"])


def test_the_same_context_makes_the_same_question_all_day() -> None:
    model = Scripted(says("x"))
    first = ask(model, "Where does Tilda work?")
    second = ask(model, "Where does Tilda work?")
    assert model.asked[0] == model.asked[1]
    assert (first.context_sha256, first.template_sha256) == (second.context_sha256, second.template_sha256)


def test_the_model_says_why_before_it_says_what() -> None:
    assert ModelAnswer.__struct_fields__ == ("reason", "known", "answer", "citations")
