"""The offline classifier: what retires an older statement, and what looks like it and must not."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events import Anchor, Event
from schemas.times import US_PER_DAY
from streams.classify.attributes import canonical_attribute, is_single_valued
from streams.classify.features import compare, figures
from streams.classify.offline import OfflineClassifier
from streams.classify.protocol import Judgement, Pair
from streams.classify.words import content_stems, rare_stems
from tests.kit.linking import lives, plan, statement


def judged(older: Event, newer: Event, *, adjacent: bool = False, similarity: float = 0.4) -> Judgement:
    pair = Pair(newer=newer, older=older, similarity=similarity, adjacent=adjacent)
    return OfflineClassifier().classify([pair])[0]


def verdict(older: Event, newer: Event, **options: Any) -> tuple[str | None, str | None]:
    judgement = judged(older, newer, **options)
    return judgement.relation, judgement.kind


def on_day(start: int, until: int | None = None) -> Anchor:
    """A day that was named."""
    return Anchor(
        start=start * US_PER_DAY,
        until=(until or start + 1) * US_PER_DAY,
        precision="day",
        phrase="that day",
        resolution="explicit",
    )


CHANGES = [
    ("another home", lives("Aldin", 1), lives("Borva", 30)),
    (
        "another employer, said of somebody",
        statement("Ben works at the mill", 1, subject="Ben", attribute="employer", value="the mill"),
        statement("Ben started at the quarry", 40, subject="Ben", attribute="works at", value="the quarry"),
    ),
    (
        "no longer",
        statement("I sing in the harbour choir", 1),
        statement("I no longer sing in the harbour choir", 9, polarity="negated"),
    ),
    (
        "left what has the same value",
        statement("I work at the mill", 1, attribute="employer", value="the mill"),
        statement("I left the mill on Friday", 9, attribute="employer", value="the mill"),
    ),
    (
        "another figure now",
        statement("Our orchestra has twelve violins", 1),
        statement("Our orchestra has fifteen violins now", 90),
    ),
    (
        "an appointment moved to another day",
        statement("The optician appointment is on Monday", 1),
        statement("They moved the optician appointment to Thursday", 2),
    ),
    (
        "another favourite now",
        statement("My favourite soup is leek", 1, attribute="favourite soup", value="leek"),
        statement("My favourite soup is now pumpkin", 50, attribute="favourite soup", value="pumpkin"),
    ),
    (
        "affirmed, then denied with a cue",
        statement("I eat meat", 1, attribute="meat", value="meat"),
        statement("These days I don't eat meat", 50, attribute="meat", value="meat", polarity="negated"),
    ),
    (
        "somebody's thing under its own name",
        plan("I have an optician appointment on the 3rd", 1, about=3),
        plan(
            "My optician appointment is moved to the 8th",
            2,
            subject="Ann's optician appointment",
            participants=(),
            about=8,
        ),
    ),
]


@pytest.mark.parametrize(("older", "newer"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_a_change_is_recognised(older: Event, newer: Event) -> None:
    assert verdict(older, newer) == ("updates", "change")


NOT_UPDATES = [
    (
        "two pets",
        statement("I have a cat called Pim", 1, attribute="pet", value="cat"),
        statement("I have a dog called Rolf", 9, attribute="pet", value="dog"),
    ),
    ("another person's home", lives("Aldin", 1), lives("Borva", 9, subject="Ben", participants=("Ben",))),
    (
        "a second job beside the first",
        statement("I work at the mill", 1, attribute="employer", value="the mill"),
        statement("I also work at the bakery", 9, attribute="employer", value="the bakery"),
    ),
    ("a more exact value", lives("Aldin", 1), lives("Aldin harbour", 9)),
    ("a plan against what is so", lives("Aldin", 1), plan("I will move to Borva", 9, attribute="home", value="Borva")),
    (
        "a recollection",
        lives("Aldin", 1),
        statement("In my youth I moved to Borva", 9, attribute="home", value="Borva", holds=False),
    ),
    (
        "a stay",
        lives("Aldin", 1),
        statement("I am staying in Borva for two weeks", 9, attribute="home", value="Borva"),
    ),
    (
        "one occasion against a habit",
        statement("I always take the tram to the harbour", 1),
        statement("Today I took a taxi to the harbour instead", 9),
    ),
    (
        "an end that is denied",
        statement("I am learning the trombone", 1),
        statement("I haven't quit learning the trombone", 9, polarity="negated"),
    ),
    ("a question", lives("Aldin", 1), statement("What if I lived in Borva?", 9, attribute="home", value="Borva")),
    ("something beside it", statement("I sold the old piano", 1), statement("I sold the old harp as well", 9)),
    (
        "an action of the same kind",
        statement("I won the chess tournament", 1, type="action"),
        statement("The chess tournament got pushed back to Sunday", 30),
    ),
    (
        "a longing that is a denial in form only",
        statement("The lake hike is on Sunday", 1),
        statement("I can't wait for the lake hike on Sunday", 2, polarity="negated"),
    ),
    (
        "what is past is not moved",
        statement("The regatta was on Monday", 1, anchor=on_day(1)),
        statement("The next regatta is moved to Friday", 30),
    ),
    (
        "what somebody eats, but no way of eating",
        statement("I eat porridge", 1, attribute="diet", value="porridge"),
        statement("I eat trout", 9, attribute="diet", value="trout"),
    ),
]


@pytest.mark.parametrize(("older", "newer"), [case[1:] for case in NOT_UPDATES], ids=[case[0] for case in NOT_UPDATES])
def test_what_only_looks_like_a_change_is_none(older: Event, newer: Event) -> None:
    assert verdict(older, newer) == (None, None)


def test_a_plan_told_as_done_is_done() -> None:
    older = plan("I am going to visit the lighthouse", 1)
    assert verdict(older, statement("I visited the lighthouse", 5, type="action")) == ("updates", "done")


def test_a_visit_before_the_plan_was_made_does_not_settle_it() -> None:
    older = plan("I am going to visit the lighthouse", 10)
    newer = statement("I visited the lighthouse last year", 12, type="action", about=2)
    assert verdict(older, newer) == (None, None)


def test_a_plan_called_off_is_cancelled() -> None:
    older = plan("I am going to run the coast marathon", 1)
    assert verdict(older, statement("I cancelled the coast marathon", 5)) == ("updates", "cancelled")


def test_a_plan_given_another_day_without_a_cue_moves_only_while_it_is_ahead() -> None:
    older = plan("Our lantern party is on the 5th", 1, anchor=on_day(5), attribute="party")
    ahead = plan("Our lantern party is on the 8th", 3, anchor=on_day(8), attribute="party")
    afterwards = plan("Our lantern party is on the 28th", 20, anchor=on_day(28), attribute="party")
    assert verdict(older, ahead) == ("updates", "change")
    assert verdict(older, afterwards) == (None, None)


def test_a_mistake_is_a_correction_not_a_change() -> None:
    older = statement("The optician appointment is on the 12th", 1)
    newer = statement("Sorry, the optician appointment is on the 14th, I mistyped", 2)
    assert verdict(older, newer) == ("updates", "correction")


def test_a_denied_figure_corrects_the_statement_that_named_it_and_no_other() -> None:
    thing = {"subject": "Ann's lantern party", "participants": ("Ann",)}
    wrong = plan("Our lantern party is on 12 March", 1, **thing)
    right = plan("Our lantern party is on 14 March", 5, message_id="m5a", **thing)
    denial = statement("It was never the 12th", 5, message_id="m5b", polarity="negated", **thing)
    assert verdict(wrong, denial) == ("updates", "correction")
    assert verdict(right, denial, adjacent=True) == (None, None)


def test_a_bare_admission_takes_back_the_message_before_not_its_own() -> None:
    same_message = statement("The bus leaves at nine", 2, message_id="m2")
    assert verdict(same_message, statement("I mistyped", 2, message_id="m2"), adjacent=True) == (None, None)
    before = statement("The bus leaves at eight", 1)
    assert verdict(before, statement("I mistyped", 2), adjacent=True) == ("updates", "withdrawn")


def test_a_joke_is_withdrawn_when_it_was_said_right_before() -> None:
    older, newer = statement("I am moving to the moon", 1), statement("I was joking", 1, message_id="m1b")
    assert verdict(older, newer, adjacent=True) == ("updates", "withdrawn")
    assert verdict(older, newer) == (None, None)


def test_only_the_speaker_can_take_a_statement_back() -> None:
    older, newer = statement("I am moving to the moon", 1), statement("I was joking", 1, speaker="Ben")
    assert verdict(older, newer, adjacent=True) == (None, None)


def test_two_people_who_differ_at_the_same_time_contradict_and_later_it_is_a_change() -> None:
    older = lives("Aldin", 1, subject="Aunt Ida", participants=("Aunt Ida",), speaker="Ann")
    soon = lives("Borva", 2, subject="Aunt Ida", participants=("Aunt Ida",), speaker="Ben")
    later = lives("Borva", 90, subject="Aunt Ida", participants=("Aunt Ida",), speaker="Ben")
    assert verdict(older, soon) == ("contradicts", None)
    assert verdict(older, later) == ("updates", "change")


def test_a_judgement_does_not_depend_on_the_batch() -> None:
    pairs = [Pair(newer=newer, older=older, similarity=0.4, adjacent=False) for _, older, newer in CHANGES]
    alone = [OfflineClassifier().classify([pair])[0] for pair in pairs]
    assert OfflineClassifier().classify(pairs) == alone
    assert OfflineClassifier().classify(pairs[::-1]) == alone[::-1]


def test_every_verdict_has_a_reason_and_a_confidence() -> None:
    for _, older, newer in [*CHANGES, *NOT_UPDATES]:
        judgement = judged(older, newer)
        assert judgement.reason.endswith(".")
        assert 0.0 < judgement.confidence <= 1.0


def test_peoples_names_are_no_common_topic() -> None:
    older, newer = statement("Ann and Ben sing", 1), statement("Ann and Ben swim", 2)
    people = {"participants": ("Ann", "Ben")}
    pair = Pair(
        newer=statement(newer.text, 2, **people),
        older=statement(older.text, 1, **people),
        similarity=0.4,
        adjacent=False,
    )
    assert compare(pair).shared == frozenset()


def test_figures_are_numbers_days_and_months_ordinals_as_numbers() -> None:
    assert figures("On Mondays at 19:30, never the 12th of March, for five") == {
        "monday", "19:30", "12", "march", "five",
    }  # fmt: skip


def test_stems_join_the_forms_of_a_word() -> None:
    assert content_stems("hiking hikes hiked hike") == {"hik"}
    assert content_stems("running runs") == {"run"}
    assert rare_stems("I want to make a new violin this week") == {"violin"}


def test_names_of_attributes_are_brought_together() -> None:
    assert canonical_attribute("Job-Title") == canonical_attribute("occupation") == "job"
    assert canonical_attribute(None) is None
    assert canonical_attribute("shoe_size") == "shoe size"
    assert is_single_valued("home")
    assert not is_single_valued("pet")
    assert is_single_valued("diet", "vegan", "keto")
    assert not is_single_valued("diet", "vegan", "rice")
