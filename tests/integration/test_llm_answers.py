"""Answers of a model through the whole system, with an endpoint that fails in every way. It is a script, no model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from ops.runtime import Embedded
from query.api import Answer as Told
from query.api import QueryRequest, QueryResult
from schemas.asking import ModelAsked, ModelReplied
from schemas.erasure_wire import ErasureIn
from tests.integration.test_llm_runtime import SPACE, Orchard
from tests.kit.faultserver import Answer, Body, FaultServer, Script, completion, is_probe, status

QUESTION = "Where does Odile live?"
OFF: dict[str, Any] = {"distil": False, "link": False, "answer": True}


def script(*answers: Answer) -> Script:
    """Probes are answered as they ask; then one after another, the last for ever."""
    asked = iter(range(1_000))

    def serve(body: Body, before: int) -> Answer:
        return completion('{"ok": true}') if is_probe(body) else answers[min(next(asked), len(answers) - 1)]

    return serve


def says(answer: str, label: str = "N1", known: bool = True) -> Answer:
    """A good reply."""
    cited = [{"id": label, "told_as": "current"}]
    return completion(json.dumps({"reason": "Said so.", "known": known, "answer": answer, "citations": cited}))


def ask(home: Orchard, question: str = QUESTION) -> QueryResult:
    request = QueryRequest(
        space=SPACE, question=question, asked_at=home.now, as_of=None, known_at=None, mode="hybrid",
        budget_tokens=500, answer=True,
    )  # fmt: skip
    return home.system.query(request)


def told(home: Orchard, question: str = QUESTION) -> Told:
    answer = ask(home, question).answer
    assert answer is not None
    return answer


@pytest.fixture
def homes() -> Iterator[list[Orchard]]:
    """Closed at the end."""
    made: list[Orchard] = []
    yield made
    for home in made:
        home.system.close()


def home_with(homes: list[Orchard], server: FaultServer | None, **llm: Any) -> Orchard:
    home = Orchard(server, **(OFF | llm))
    homes.append(home)
    home.say("I live in the tower of Ostrava.", "I sing in the choir.")
    home.system.flush(SPACE)
    return home


def calls(server: FaultServer) -> int:
    return sum(not is_probe(body) for body in server.requests)


def test_an_answer_is_asked_for_once_recorded_and_told_again(homes: list[Orchard]) -> None:
    with FaultServer(script(says("In the tower of Ostrava."))) as server:
        home = home_with(homes, server)
        first = ask(home)
        assert first.answer is not None
        assert (first.answer.kind, first.answer.text) == ("generated", "In the tower of Ostrava.")
        assert (first.answer.producer or "").startswith("scripted+")
        assert first.trace is not None
        assert first.trace.supported
        assert ask(home) == first, "before the desk has read it"
        home.system.run()
        assert ask(home).answer == first.answer, "and after"
        assert calls(server) == 1
        assert home.value("llm_replies_total", stage="answer", outcome="stop") == 1
        assert len(home.records("replies", ModelReplied)) == len(home.records("asks", ModelAsked)) == 1
        assert home.system.questions_of(SPACE).spent_today.calls == 1
        assert home.system.questions_of(SPACE).open["answer"] == 0


def test_another_context_is_another_question(homes: list[Orchard]) -> None:
    with FaultServer(script(says("In the tower of Ostrava."))) as server:
        home = home_with(homes, server)
        told(home)
        home.say("I live near the tower of Ostrava with a dog.")
        home.system.flush(SPACE)
        told(home)
        assert calls(server) == 2


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (status(500), "the endpoint does not answer"),
        (status(429, Retry_After="900"), "the endpoint does not answer"),
        (status(401), "the endpoint does not answer"),
        (Answer(body=b'{"choices": [', send=8), "the endpoint does not answer"),
        (completion("Sorry."), "no JSON object in it"),
        (completion('{"reason": "cut', "length"), "cut off"),
        (completion(None, refusal="I will not."), "refused"),
        (says("In Ostrava.", label="E77"), None),
    ],
)
def test_whatever_goes_wrong_is_said_and_the_rules_answer(homes: list[Orchard], fault: Answer, why: str | None) -> None:
    with FaultServer(script(fault)) as server:
        answer = told(home_with(homes, server))
        if why is None:
            assert (answer.kind, answer.known, answer.dropped) == ("generated", False, 1)
        else:
            assert (answer.kind, answer.known) == ("extractive", True)
            assert why in (answer.fallback or "")
            assert "Ostrava" in answer.text
        assert calls(server) <= 2


def test_a_slow_model_is_not_waited_for_longer_than_set(homes: list[Orchard]) -> None:
    with FaultServer(script(Answer(silent=True))) as server:
        home = home_with(homes, server, answer_timeout_s=0.2)
        assert home.value("llm_asking") == 0
        answer = told(home)
        assert home.value("llm_asking") == 1, "it goes on, for whoever asks again"
        assert (answer.kind, answer.fallback) == ("extractive", "the model took longer than 0.2 s")


def test_a_spent_budget_asks_nobody(homes: list[Orchard]) -> None:
    with FaultServer(script(says("In the tower of Ostrava."))) as server:
        home = home_with(homes, server, space_tokens_per_day=100)
        assert told(home).kind == "generated"
        second = told(home, "Where does Odile sing?")
        assert (second.kind, second.fallback) == ("extractive", "the budget of today is spent")
        assert told(home).kind == "generated", "what is recorded costs nothing"
        assert calls(server) == 1


def test_without_an_endpoint_or_switched_off_the_rules_answer(homes: list[Orchard]) -> None:
    nobody = told(home_with(homes, None))
    assert (nobody.kind, nobody.fallback) == ("extractive", "no endpoint is set, and no reply was imported")
    off = told(home_with(homes, None, answer=False))
    assert (off.kind, off.fallback) == ("extractive", None)


def test_a_recorded_answer_outlives_the_process(homes: list[Orchard]) -> None:
    with FaultServer(script(says("In the tower of Ostrava."))) as server:
        home = home_with(homes, server)
        assert told(home).kind == "generated"
        home.system.run()
        index = home.system._index
        parts = msgspec.structs.replace(home.system._parts, asker=None, index=lambda _: index)
        home.system = Embedded(parts, home.system._settings)
        assert told(home).kind == "generated"
        assert calls(server) == 1


def test_what_readers_asked_is_erased_with_what_it_quotes(homes: list[Orchard]) -> None:
    with FaultServer(script(says("In the tower of Ostrava."), says("", known=False))) as server:
        home = home_with(homes, server)
        told(home)
        home.system.run()
        home.system.erase(SPACE, ErasureIn(scope="message", conversation_id="c1", message_id="m1"))
        for topic in ("asks", "replies"):
            assert not any(b"Ostrava" in raw.value for raw in home.log.read_space(topic, SPACE))
        rows = home.log.scan("stages", b"", b"\xff" * 8)
        assert not any(b"Ostrava" in value for _, value in rows)
        assert "Ostrava" not in told(home).text
