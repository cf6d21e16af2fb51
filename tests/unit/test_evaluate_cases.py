"""The rules by which a case's strings are looked for, and that a whole case runs and can fail."""

from __future__ import annotations

import pytest

from ops.evaluate.cases.case import Case, CaseMessage, numbered
from ops.evaluate.cases.delivery import orders
from ops.evaluate.cases.run import CHECKS, check
from ops.evaluate.cases.text import contains, is_about, matches, stems, words
from ops.evaluate.data import Data
from ops.evaluate.memory import Memory
from ops.evaluate.suite import Task
from ops.opening import open_parts
from ops.settings import Settings
from tests.kit.encoders import HashingEncoder


@pytest.mark.parametrize(
    ("text", "found"),
    [("I keep ducks", True), ("She KEEPS ducks now", True), ("ducks keep her", False), ("keep the ducks", False)],
)
def test_contains_wants_one_run_of_stems(text: str, found: bool) -> None:
    assert contains(text, "keeps ducks") is found


def test_a_word_inside_another_is_not_contained() -> None:
    assert not contains("the current plan", "rent")


def test_possessives_are_dropped_and_apostrophes_split() -> None:
    assert words("Bodo's don't") == ["bodo", "don", "t"]
    assert stems("Bodo’s") == ["bodo"]


def test_chinese_is_a_plain_substring() -> None:
    assert contains("我住在成都", "成都")
    assert not contains("我住在成都", "重庆")


def test_matching_wants_the_content_words_in_any_order() -> None:
    assert matches("Heron is Yaw's now", "Yaw on Heron")
    assert not matches("Heron is hers now", "Yaw on Heron")


def test_a_verb_and_another_word_make_an_item_about_a_phrase() -> None:
    assert is_about("I am selling my van", "sell the van")
    assert not is_about("I am painting my van", "sell the van")
    assert not is_about("I am selling my boat", "sell the van")


def message(place: int, content: str, day: int) -> CaseMessage:
    return CaseMessage(
        message_id=str(place), conversation_id="c", speaker="Bram", role="user", content=content,
        sent_at=f"2031-03-{day:02}T10:00:00Z", session_id=f"s{place}",
    )  # fmt: skip


def case(**expect: object) -> Case:
    messages = (message(1, "I live in Delft.", 1), message(2, "I moved to Gent yesterday.", 9))
    return Case(
        id="moved", category="x", needs_model=False, messages=messages, question="Where does Bram live?",
        expect=dict(expect),
    )  # fmt: skip


@pytest.fixture
def task(tmp_path):
    settings = Settings()
    parts = open_parts(tmp_path / "store", settings, writer=True)
    parts = type(parts)(
        **{name: getattr(parts, name) for name in parts.__struct_fields__} | {"encoder": HashingEncoder}
    )
    filled = Memory(parts, settings, tmp_path / "store", lambda _: None)
    yield Task(data=Data(tmp_path), memory=filled)
    filled.system.close()


def test_a_case_passes_when_all_holds(task: Task) -> None:
    wanted = case(
        current_must_mention=["Gent"], must_not_present_as_current=["Delft"], event_count=2, no_cycle=True,
        superseded=[{"fact": "Delft", "by_message": "2", "since": "2031-03-08"}], same_result_when=["rebuilt_from_log"],
        history_intervals=[{"fact": "Delft", "from": "2031-03-01", "to": "2031-03-08"}], chain_length=2,
    )  # fmt: skip
    assert check(wanted, task) == []


@pytest.mark.parametrize(
    "expect",
    [
        {"current_must_mention": ["Delft", "Gent", "Oslo"]},
        {"must_not_present_as_current": ["Gent"]},
        {"event_count": 1},
        {"superseded": [{"fact": "Gent", "by_message": "1", "since": "2031-03-08"}]},
        {"superseded": [{"fact": "Delft", "by_message": "2", "since": "2031-03-09"}]},
        {"history_intervals": [{"fact": "Delft", "from": "2031-03-01", "to": None}]},
        {"not_superseded": ["Delft"]},
        {"max_updates_edges": 0},
        {"abstain": True},
        {"evidence_messages": ["9"]},
        {"polarity": {"Gent": "negated"}},
        {"dead_letters": 1},
    ],
)
def test_a_case_fails_when_something_does_not(task: Task, expect: dict[str, object]) -> None:
    assert check(case(**expect), task) != []


def test_a_key_nobody_knows_is_a_failure_and_not_passed_over(task: Task) -> None:
    assert check(case(no_such_key=True), task) == ["cannot be checked here: no_such_key"]


def test_orders_keep_the_place_of_every_message() -> None:
    base = numbered(case())
    assert all(sorted(order, key=lambda m: m.seq or 0) == base for order in orders(case()))
    assert len(CHECKS) > 60
