"""The scripted model of cases that damage one: what it says when all is well, and every kind of damage. No network."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from ops.evaluate.cases.case import Case, CaseMessage
from ops.evaluate.cases.endpoint import Answer, no_choices
from ops.evaluate.cases.scripted import Fault, Script, damaged, parts
from streams.distil.model.reply import DistilReply
from streams.link.model.reply import LinkReply

FIRST, LAST = "I raise geese, I mend clocks, and I quit tea in April.", "The geese went to my aunt today."


def message(message_id: str, content: str) -> CaseMessage:
    return CaseMessage(message_id, "c", "Odo", "user", content, "2031-03-01T10:00:00Z", session_id=f"s{message_id}")


CASE = Case(
    id="x", category="x", needs_model=False, messages=(message("1", FIRST), message("2", LAST)), question="?", expect={}
)


def asked(data: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "read"}, {"role": "user", "content": json.dumps(data)}]}


def about(content: str, **more: Any) -> dict[str, Any]:
    return asked({"people": ["Odo"], "messages": [{"n": 1, "speaker": "Odo", "text": content} | more]})


PAIRS = asked(
    {
        "statements": [
            {"n": 1, "text": "I raise geese"},
            {"n": 2, "text": "I mend clocks"},
            {"n": 3, "text": LAST[:-1]},
        ],
        "pairs": [{"pair": 1, "earlier": 1, "later": 3}, {"pair": 2, "earlier": 2, "later": 3}],
    }
)


def said(answer: Answer) -> tuple[str, str]:
    """The text of an answer and why it ended; nothing at all where there is no choice."""
    choices = json.loads(answer.body)["choices"]
    return (choices[0]["message"]["content"], choices[0]["finish_reason"]) if choices else ("", "")


def text_of(answer: Answer) -> str:
    return said(answer)[0]


def fault(kind: str, stage: str = "extract", times: int = 1) -> Fault:
    return Fault(stage=stage, kind=kind, on_message="1", times=times)


def test_a_message_has_a_statement_between_every_two_commas() -> None:
    assert parts(FIRST) == ["I raise geese", "I mend clocks", "I quit tea in April"]


def test_without_a_fault_every_statement_is_found_and_the_last_one_changes_the_first() -> None:
    script = Script(CASE, None)
    found = msgspec.json.decode(text_of(script.reply(about(FIRST), 0)), type=DistilReply)
    assert [event.sources[0].quote for event in found.events] == parts(FIRST)
    verdicts = msgspec.json.decode(text_of(script.reply(PAIRS, 0)), type=LinkReply).verdicts
    assert [verdict.verdict for verdict in verdicts] == ["change", "none"]


def test_messages_shown_as_context_are_not_read_again() -> None:
    assert json.loads(text_of(Script(CASE, None).reply(about(FIRST, context=True), 0))) == {"events": []}


def test_only_so_many_replies_about_the_message_are_damaged() -> None:
    script = Script(CASE, fault("empty_choices", times=2))
    assert text_of(script.reply(about(LAST), 0))
    assert [not text_of(script.reply(about(FIRST), 0)) for _ in range(3)] == [True, True, False]


def test_a_fault_of_linking_leaves_reading_alone() -> None:
    script = Script(CASE, fault("refusal_prose", stage="link"))
    assert text_of(script.reply(about(FIRST), 0)).startswith("{")
    assert text_of(script.reply(PAIRS, 0)).startswith("I'm sorry")


@pytest.mark.parametrize("field", ["events", "verdicts"])
@pytest.mark.parametrize("kind", ["truncated_json", "unknown_enum", "index_out_of_range"])
def test_damage_is_damage(kind: str, field: str) -> None:
    event = {"type": "plan", "sources": [{"message": 1, "quote": "a"}]}
    good = [event if field == "events" else {"pair": n, "verdict": "none"} for n in (1, 2, 3)]
    text, finish = said(damaged(kind, field, good))
    assert text != json.dumps({field: good})
    if kind == "truncated_json":
        assert finish == "length"
        assert text.count("none" if field == "verdicts" else "quote") in (2, 3)
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)
    else:
        assert json.loads(text)[field][1:] == good[1:]


def test_a_fence_keeps_the_good_reply_whole() -> None:
    text = text_of(damaged("prose_and_code_fence", "events", [{"type": "plan"}]))
    assert '```json\n{"events": [{"type": "plan"}]}\n```' in text


def test_no_choices_has_no_text_and_unknown_damage_is_an_error() -> None:
    assert damaged("empty_choices", "events", []) == no_choices()
    with pytest.raises(ValueError, match="no such damage"):
        damaged("flooded", "events", [])
