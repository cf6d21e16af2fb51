"""Rules first, then a trained scorer: what it is asked, and what becomes of its scores."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events import Event
from schemas.times import US_PER_DAY
from streams.classify.learned import LearnedClassifier, may_end
from streams.classify.offline import OfflineClassifier
from streams.classify.protocol import Judgement, Pair
from streams.classify.wording import gap_words, wording
from tests.kit.events import anchor
from tests.kit.linking import Linking, distilled, lives, plan, statement
from tests.kit.scorers import FixedScorer

OLD = statement("I play the trombone in a band", 1)
NEW = statement("My evenings are free since the band fell apart", 9)
PLAN = plan("I want to climb the lighthouse tower", 1)
SEEN = statement("The view from up there went on forever", 9, type="action")


def judged(newer: Event, older: Event, score: float, **changes: Any) -> Judgement:
    pair = Pair(newer=newer, older=older, adjacent=False, **{"similarity": 0.5} | changes)
    return LearnedClassifier(OfflineClassifier(), FixedScorer(score)).classify([pair])[0]


@pytest.mark.parametrize(
    ("score", "relation", "kind"),
    [
        (0.95, "updates", "change"), (0.93, "updates", "change"), (0.92, "possibly_updates", None),
        (0.5, "possibly_updates", None), (0.49, None, None),
    ],
)  # fmt: skip
def test_a_high_score_is_an_update_and_a_middling_one_a_possible_one(score: float, relation: Any, kind: Any) -> None:
    verdict = judged(NEW, OLD, score)
    assert (verdict.relation, verdict.kind) == (relation, kind)
    assert verdict.confidence == pytest.approx(score if relation else 1 - score)


@pytest.mark.parametrize(
    ("newer", "kind"),
    [
        (SEEN, "done"),
        (statement("I never climbed that tower", 9, polarity="negated"), "cancelled"),
        (plan("I will climb the tower in June instead", 9), "change"),
        (statement("Our climb was called off because of the storm", 9), "cancelled"),
    ],
)
def test_what_became_of_a_plan_follows_from_how_it_is_told(newer: Event, kind: str) -> None:
    assert judged(newer, PLAN, 0.95).kind == kind


def test_a_verdict_of_the_rules_stands_and_is_not_scored() -> None:
    scorer = FixedScorer(0.0)
    pair = Pair(newer=lives("Borva", 9), older=lives("Aldin", 1), similarity=0.9, adjacent=False)
    verdict = LearnedClassifier(OfflineClassifier(), scorer).classify([pair])[0]
    assert (verdict.relation, verdict.kind, scorer.asked) == ("updates", "change", [])


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (plan("I will buy a trombone", 9), OLD),
        (NEW, statement("I used to sing", 1, holds=False)),
        (NEW, statement("I play the trombone", 1, speaker="Ben", subject="Ben", participants=("Ben",))),
        (statement("My evenings are free since the band fell apart", 1, message_id="m1"), OLD),
        (statement("It went very well", 9), OLD),
        (NEW, statement("I'll keep doing that", 1)),
        (statement("I play the trombone in a band", 9), OLD),
        (statement("As I said, the trombone band plays on Fridays", 9), OLD),
        (statement("The trombone band meets on Fridays, nothing has changed", 9), OLD),
        (statement("And the trombone band has a drummer", 9), OLD),
        (statement("My evenings are free", 9, attribute="leisure"), statement("I rent a loft", 1, attribute="home")),
    ],
)
def test_what_cannot_end_the_older_one_is_not_scored(newer: Event, older: Event) -> None:
    assert not may_end(Pair(newer=newer, older=older, similarity=0.9, adjacent=False))


def test_the_producer_names_the_rules_and_the_weights() -> None:
    rules = OfflineClassifier()
    assert LearnedClassifier(rules, FixedScorer(0.5)).producer == f"{rules.producer}+unfolding/1+fixed-1"


def test_names_are_masked_and_the_time_between_is_told_roughly() -> None:
    older = statement("Ann and Ben want to buy Annika's boat", 1, speaker="Ben", subject="Ben")
    newer = statement("Ben sold it, says ANN", 9)
    pair = Pair(newer=newer, older=older, similarity=0.5, adjacent=False)
    assert wording(pair) == (
        "other: speaker and other want to buy Annika's boat",
        "weeks later speaker: other sold it, says speaker",
    )


@pytest.mark.parametrize(
    ("hours", "words"), [(0, "minutes"), (2, "hours"), (30, "days"), (200, "weeks"), (2000, "months"), (20000, "years")]
)
def test_gaps_have_six_names(hours: int, words: str) -> None:
    assert gap_words(hours * 3_600_000_000) == words


def test_a_possible_update_is_an_edge_that_names_no_kind() -> None:
    linking = Linking(LearnedClassifier(OfflineClassifier(), FixedScorer(0.6)))
    later = statement("The trombone band fell apart", 9)
    linking.run([distilled(OLD, session="s1"), distilled(later, session="s2")])
    assert linking.relations() == {(later.id, "possibly_updates", OLD.id, None)}


def test_what_is_too_far_apart_is_not_scored() -> None:
    assert may_end(Pair(newer=NEW, older=OLD, similarity=0.5, adjacent=False))
    assert not may_end(Pair(newer=NEW, older=OLD, similarity=0.49, adjacent=False))


@pytest.mark.parametrize(("met", "relation"), [(1, "updates"), (5, "updates"), (6, "possibly_updates")])
def test_in_a_long_chat_a_high_score_alone_ends_nothing(met: int, relation: str) -> None:
    assert judged(NEW, OLD, 0.99, met=met, focus=1).relation == relation


@pytest.mark.parametrize(
    ("met", "focus", "asked"), [(5, 0, True), (6, 0, False), (6, 1, True), (6, 3, True), (6, 4, False)]
)
def test_where_a_statement_meets_many_only_what_shares_a_rare_word_is_scored(met: int, focus: int, asked: bool) -> None:
    assert may_end(Pair(newer=NEW, older=OLD, similarity=0.9, adjacent=False, met=met, focus=focus)) is asked


FAIR = statement("The permit deadline for the fair is on a Friday", 1, subject="permit deadline")
FUNDED = statement("The fair has been approved by the council", 1, subject="fair")


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (statement("The grant deadline for the fair was put off", 9, subject="grant deadline"), FAIR),
        (statement("The council turned the fair down", 9, subject="fair"), FUNDED),
        (statement("The band still falls apart over the trombone", 9), OLD),
        (statement("The trombone band fell apart", 9, anchor=anchor(-400 * US_PER_DAY, phrase="in 1968")), OLD),
    ],
)
def test_what_speaks_against_a_sure_score_leaves_it_possible(newer: Event, older: Event) -> None:
    assert judged(newer, older, 0.99).relation == "possibly_updates"


@pytest.mark.parametrize(
    ("told", "relation"),
    [
        ("The trombone's old valves make my evenings free", "possibly_updates"),
        ("The trombone's on the wall and my evenings are free", "updates"),
        ("The trombone's a lamp these evenings", "updates"),
    ],
)
def test_news_of_what_belongs_to_a_thing_is_none_of_the_thing(told: str, relation: str) -> None:
    """And "trombone's on" is no possession."""
    assert judged(statement(told, 9), OLD, 0.99).relation == relation


def test_the_bound_of_a_sure_score_can_be_the_scorers_own() -> None:
    pair = Pair(newer=NEW, older=OLD, adjacent=False, similarity=0.5)
    in_use, own = (LearnedClassifier(OfflineClassifier(), FixedScorer(0.85), **c) for c in ({}, {"sure": 0.0}))
    assert [c.classify([pair])[0].relation for c in (in_use, own)] == ["possibly_updates", "updates"]


def test_within_one_talk_a_high_score_alone_ends_nothing() -> None:
    newer = statement(NEW.text, 1, message_id="m1b")
    assert judged(newer, OLD, 0.99).relation == "possibly_updates"


def test_what_may_have_become_of_something_is_linked_where_the_score_says_nothing() -> None:
    older, newer = statement("I am researching drone schools", 1), statement("I visited two drone schools", 9)
    assert judged(newer, older, 0.1, met=30, focus=3).relation == "possibly_updates"
    assert judged(newer, older, 0.95, met=2, focus=2).relation == "updates"
