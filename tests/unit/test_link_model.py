"""Linking with a model: the rules settle what is clear, one question for the rest, and what is made of the answer."""

from __future__ import annotations

import json
import random

import pytest

from schemas.dead_letters import DeadLetter
from schemas.edges import EdgesInferred
from schemas.verdicts import PairsJudged
from streams.classify.protocol import Pair
from streams.link.model import question
from streams.link.model.question import PAIRS_MAX, asked_pair, chunks
from streams.llm.asking import Model
from tests.kit.judging import Judging, by_text, shown, verdict, verdicts
from tests.kit.linking import activated, distilled, lives, plan, statement

BOAT = statement("I own a green rowing boat", 1)
SOLD = statement("The rowing boat went to my cousin", 5, subject="Ann", participants=("Ann",))
"""Two statements that share words and no rule: nothing says outright that the first has ended."""


def closed(*events, session: str = "s1", revision: int = 1, producer: str = "p1"):
    return distilled(*events, session=session, revision=2 * revision + 1, producer=producer)


def test_what_the_rules_are_sure_of_is_not_asked() -> None:
    judging = Judging()
    assert judging.take(closed(lives("Oslo", 1), session="s1")) == []
    assert (
        judging.take(
            closed(statement("I moved to Malta", 9, attribute="home", value="Malta"), session="s2", revision=2)
        )
        == []
    )
    assert [relation for _, relation, _, _ in judging.relations()] == ["updates"]


def test_what_has_nothing_in_common_but_the_speaker_is_not_asked() -> None:
    judging = Judging()
    judging.take(closed(statement("I like plums", 1)))
    assert judging.take(closed(statement("Our choir sings on Mondays", 3), session="s2", revision=2)) == []


def test_all_open_pairs_of_a_closed_session_are_one_question() -> None:
    judging = Judging()
    assert judging.take(closed(BOAT)) == []
    (asked,) = judging.take(closed(SOLD, statement("My cousin likes the green boat", 5), session="s2", revision=2))
    assert (asked.stage, asked.session_id) == ("link", "s2")
    assert (BOAT.text, SOLD.text) in shown(asked)
    assert len(shown(asked)) >= 2


def test_nothing_is_asked_about_an_open_session_nor_about_what_the_model_will_read_again() -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    assert judging.take(distilled(SOLD, session="s2", revision=4)) == []
    other = Judging()
    other.take(activated("model", "p1"), "producers")
    other.take(closed(BOAT))
    assert other.take(closed(SOLD, session="s2", revision=2)) == []
    assert other.take(closed(SOLD, session="s2", revision=2, producer="model")) == [], "the boat is still the rules'"
    assert len(other.take(closed(BOAT, producer="model"))) == 1


def test_a_verdict_becomes_an_edge_and_is_recorded_with_who_gave_it() -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    assert judging.relations() == set()
    assert judging.answer(asked, verdicts("change")) == []
    assert judging.relations() == {(SOLD.id, "updates", BOAT.id, "change")}
    (edge,) = [e for edges in judging.edges().values() for e in edges if e.relation == "updates"]
    assert (edge.confidence, edge.justification) == (0.75, "So it reads.")
    judged = judging.of(PairsJudged)[-1]
    (one,) = [v for v in judged.verdicts if v.older == BOAT.id]
    assert one.judge == f"scripted+{judged.prompt_hash}"
    assert judged.producer == f"rules/6+{one.judge}"
    assert judged.prompt_hash is not None


@pytest.mark.parametrize(
    ("name", "edge"),
    [
        ("change", ("new", "updates", "old", "change")), ("done", ("new", "updates", "old", "done")),
        ("cancelled", ("new", "updates", "old", "cancelled")), ("correction", ("new", "updates", "old", "correction")),
        ("withdrawn", ("new", "updates", "old", "withdrawn")), ("contradicts", ("new", "contradicts", "old", None)),
        ("causes", ("old", "causes", "new", None)), ("enables", ("old", "enables", "new", None)),
        ("prevents", ("old", "prevents", "new", None)), ("none", None),
    ],
)  # fmt: skip
def test_every_verdict_means_one_edge(name: str, edge: tuple[str, str, str, str | None] | None) -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.answer(asked, verdicts(name))
    ids = {"new": SOLD.id, "old": BOAT.id}
    assert judging.relations() == (set() if edge is None else {(ids[edge[0]], edge[1], ids[edge[2]], edge[3])})


@pytest.mark.parametrize(("confidence", "relation"), [(0.49, "possibly_updates"), (0.5, "updates")])
def test_an_update_the_model_itself_doubts_ends_nothing(confidence: float, relation: str) -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.answer(asked, verdicts(verdict(1, "change", confidence=confidence)))
    assert {(new, told, old) for new, told, old, _ in judging.relations()} == {(SOLD.id, relation, BOAT.id)}


def test_which_way_a_change_runs_is_decided_by_valid_time_not_by_who_speaks_last() -> None:
    """Told later as long past: what held before cannot end what holds now."""
    past = statement("The rowing boat was my uncle's", 5, holds=False, about=-400)
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(past, session="s2", revision=2))
    judging.answer(asked, verdicts("change"))
    assert judging.relations() == {(BOAT.id, "updates", past.id, "change")}


def test_what_causes_what_is_decided_by_the_time_it_is_about() -> None:
    past = statement("The rowing boat was my uncle's", 5, holds=False, about=-400)
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(past, session="s2", revision=2))
    judging.answer(asked, verdicts("causes"))
    assert judging.relations() == {(past.id, "causes", BOAT.id, None)}


def test_the_model_can_take_an_unsure_verdict_of_the_rules_back() -> None:
    planned = plan("I will plant three plum trees behind the old barn", 1)
    done = statement("I planted three plum trees behind the old barn", 9, type="action", about=9)
    judging = Judging()
    judging.take(closed(planned))
    (asked,) = judging.take(closed(done, session="s2", revision=2))
    assert judging.relations() == {(done.id, "updates", planned.id, "done")}, "the rules' verdict counts meanwhile"
    judging.answer(asked, verdicts("none"))
    assert judging.relations() == set()


# --- answers that are no good ---------------------------------------------------------------------------------------


def three() -> tuple[Judging, list]:
    """A question about three pairs."""
    judging = Judging()
    boats = (statement(f"I own a {colour} rowing boat", day) for day, colour in enumerate(("green", "red", "blue"), 1))
    judging.take(closed(*boats))
    return judging, judging.take(closed(SOLD, session="s2", revision=2))


def test_pairs_without_a_verdict_are_asked_once_more_and_the_others_count() -> None:
    judging, (asked,) = three()
    pairs = shown(asked)
    assert len(pairs) == 3
    (again,) = judging.answer(asked, verdicts("change", verdict(2, "perhaps"), verdict(99, "change")))
    assert shown(again) == pairs[1:]
    assert len(judging.relations()) == 1
    judging.answer(again, verdicts("change", "change"))
    assert len(judging.relations()) == 3


HALF = {"pair": 1, "reason": "\ud800", "verdict": "change", "confidence": 0.9}
"""A verdict with half a character, which no record can hold."""


@pytest.mark.parametrize(
    "text",
    [
        "", "no", '{"verdicts": []}', "x" * 100_000, '{"verdicts": [{"pair": 1, "confidence": NaN}]}',
        json.dumps({"verdicts": [HALF]}),
    ],
)  # fmt: skip
def test_pairs_that_get_no_verdict_twice_are_left_to_the_rules_and_never_asked_again(text: str) -> None:
    judging, (asked,) = three()
    (again,) = judging.answer(asked, text)
    assert judging.answer(again, text) == []
    (letter,) = judging.of(DeadLetter)
    assert (letter.stage, letter.topic) == ("link", "replies")
    assert "3 pairs" in letter.error
    assert judging.relations() == set()
    assert judging.take(closed(SOLD, session="s2", revision=3)) == []


def test_a_reply_that_was_cut_off_is_asked_for_in_halves() -> None:
    judging, (asked,) = three()
    cut = verdicts("change", "change")[:-60]
    halves = judging.answer(asked, cut, "length")
    assert sorted(len(shown(half)) for half in halves) in ([1, 1], [2])
    for half in halves:
        judging.answer(half, by_text(half, lambda earlier, later: "change"))
    assert len(judging.relations()) == 3


def test_no_reply_at_all_leaves_the_pairs_waiting_for_one() -> None:
    judging, (asked,) = three()
    assert judging.answer(asked, "", "failed") == []
    assert judging.take(closed(SOLD, session="s2", revision=3)) == [], "asked already"
    judging.answer(asked, verdicts("change", "none", "none"))
    assert len(judging.relations()) == 1


# --- how much is asked ----------------------------------------------------------------------------------------------


def chat(sessions: int) -> list:
    """Sessions in which somebody's boats are spoken of again and again."""
    colours = ("green", "red", "blue", "white")
    return [
        closed(
            statement(f"The {colours[n % 4]} rowing boat is at pier {n}", n + 1),
            statement(f"My cousin paints the {colours[n % 3]} rowing boat", n + 1, message_id=f"x{n}"),
            session=f"s{n:03d}", revision=n + 1,
        )
        for n in range(sessions)
    ]  # fmt: skip


@pytest.mark.parametrize("sessions", [1, 10, 60])
def test_a_session_is_one_question_whatever_the_history(sessions: int) -> None:
    judging = Judging()
    for record in chat(sessions):
        asked = judging.take(record)
        assert len(asked) <= 1
        assert sum(len(shown(one)) for one in asked) <= PAIRS_MAX
        for one in asked:
            judging.answer(one, by_text(one, lambda earlier, later: "none"))


@pytest.mark.parametrize(("pairs", "lengths"), [(0, []), (1, [1]), (40, [40]), (41, [20, 21]), (100, [33, 33, 34])])
def test_very_many_pairs_are_as_few_questions_as_possible(pairs: int, lengths: list[int]) -> None:
    asked = [asked_pair(Pair(newer=SOLD, older=BOAT, similarity=n / 100, adjacent=False), "m") for n in range(pairs)]
    assert [len(part) for part in chunks(asked, 40)] == lengths


# --- order and replay -----------------------------------------------------------------------------------------------


def paints(earlier: str, later: str) -> str:
    """A verdict by the words."""
    return "change" if "paints" in later and "pier" in earlier else "none"


@pytest.mark.parametrize("seed", range(6))
def test_edges_are_those_of_the_definition_in_whatever_order_sessions_and_replies_come(seed: int) -> None:
    judging, order = Judging(), random.Random(seed)
    records, open_questions = chat(8), []
    order.shuffle(records)
    while records or open_questions:
        if open_questions and (not records or order.random() < 0.5):
            one = open_questions.pop(order.randrange(len(open_questions)))
            open_questions += judging.answer(one, by_text(one, paints))
        else:
            open_questions += judging.take(records.pop())
        assert judging.edges() == judging.defined()
    in_order = Judging()
    for record in chat(8):
        for one in in_order.take(record):
            in_order.answer(one, by_text(one, paints))
    assert judging.edges() == in_order.edges()
    assert any(relation == "updates" for _, relation, _, _ in judging.relations())


def test_a_reply_that_comes_before_its_question_is_used_when_it_is_asked() -> None:
    first = Judging()
    first.take(closed(BOAT))
    (asked,) = first.take(closed(SOLD, session="s2", revision=2))
    judging = Judging()
    judging.answer(asked, verdicts("change"))
    judging.take(closed(BOAT))
    assert judging.take(closed(SOLD, session="s2", revision=2)) == []
    assert judging.relations() == {(SOLD.id, "updates", BOAT.id, "change")}


OTHER = Model(name="another")


def test_what_one_model_said_of_a_pair_is_not_told_as_another_ones_word() -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.answer(asked, verdicts("change"))
    judging.stage = judging.restarted(OTHER)
    (again,) = judging.take(closed(SOLD, session="s2", revision=3))
    assert (again.prompt.model, shown(again)) == ("another", shown(asked))
    judged = judging.of(PairsJudged)[-1]
    assert {one.judge for one in judged.verdicts} == {"rules/6"}
    judging.answer(again, verdicts("none"))
    assert judging.relations() == set()
    judged = judging.of(PairsJudged)[-1]
    assert {one.judge for one in judged.verdicts} == {f"another+{judged.prompt_hash}"}


@pytest.mark.parametrize("text", [verdicts("change"), "no verdict"])
def test_a_reply_to_a_question_of_before_the_model_was_changed_asks_the_present_one(text: str) -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.stage = judging.restarted(OTHER)
    (again,) = judging.answer(asked, text)
    assert (again.prompt.model, again.session_id, shown(again)) == ("another", "s2", shown(asked))
    assert judging.relations() == set()
    judging.answer(again, verdicts("change"))
    assert judging.relations() == {(SOLD.id, "updates", BOAT.id, "change")}


def test_a_reply_that_another_model_gave_beside_the_live_one_changes_nothing_that_counts() -> None:
    beside = Judging()
    beside.stage = beside.restarted(OTHER)
    beside.take(closed(BOAT))
    (other,) = beside.take(closed(SOLD, session="s2", revision=2))
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    assert judging.answer(other, verdicts("change")) == []
    assert judging.relations() == set()
    judging.answer(asked, verdicts("none"))
    assert judging.relations() == set()


def test_the_same_words_read_by_other_rules_are_another_question(monkeypatch: pytest.MonkeyPatch) -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.answer(asked, verdicts("change"))
    monkeypatch.setattr(question, "RULES_VERSION", question.RULES_VERSION + 1)
    judging.stage = judging.restarted()
    (again,) = judging.take(closed(SOLD, session="s2", revision=3))
    assert again.prompt == asked.prompt
    assert again.ask_id != asked.ask_id, "the desk has an answer to that one, and nobody would answer this"


def test_a_restarted_stage_goes_on_where_it_was() -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.stage = judging.restarted()
    judging.answer(asked, verdicts("change"))
    judging.stage = judging.restarted()
    assert judging.take(closed(SOLD, session="s2", revision=3)) == []
    assert judging.relations() == {(SOLD.id, "updates", BOAT.id, "change")}


def test_every_publication_of_a_session_has_a_higher_revision_than_the_one_before() -> None:
    judging = Judging()
    judging.take(closed(BOAT))
    (asked,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.answer(asked, verdicts("change"))
    judging.take(closed(BOAT, revision=4))
    judging.take(closed(SOLD, statement("I like plums", 6, about=6), session="s2", revision=5))
    by_session: dict[str, list[int]] = {}
    for record in judging.of(EdgesInferred):
        by_session.setdefault(record.session_id, []).append(record.revision)
    assert all(revisions == sorted(set(revisions)) for revisions in by_session.values())
