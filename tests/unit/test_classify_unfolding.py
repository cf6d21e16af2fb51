"""What became of something that hardly any other statement tells of."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events import Event
from streams.candidates import choose
from streams.classify.protocol import Judgement, Pair
from streams.classify.unfolding import unfolded
from tests.kit.linking import plan, row, statement


def became(older: Event, newer: Event, **changes: Any) -> Judgement | None:
    known = {"similarity": 0.6, "met": 40, "focus": 1} | changes
    return unfolded(Pair(newer=newer, older=older, adjacent=False, **known))


COURSE = statement("I had an interview for a glider course", 1)
ACCEPTED = statement("I just got accepted for the glider course", 9)


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        (COURSE, ACCEPTED, "change"),
        (plan("I'm going to a puppet festival in May", 1), statement("I went to the puppet festival", 9), None),
        (plan("I'm going to a puppet festival", 1), statement("I went to the puppet festival two days ago", 9), "done"),
        (statement("I'm researching cheese makers", 1), statement("I applied to a few cheese makers", 9), "change"),
        (statement("Trying to get a choir going", 1), statement("I've been busy with the choir", 9), "change"),
        (statement("I've been working on an atlas", 1), statement("The atlas is out", 9), "change"),
    ],
)
def test_news_of_what_was_open_ends_it(older: Event, newer: Event, kind: str | None) -> None:
    verdict = became(older, newer)
    if kind is None:
        assert verdict is not None
        assert verdict.relation == "possibly_updates", "told without a word that says it is new"
    else:
        assert verdict is not None
        assert (verdict.relation, verdict.kind) == ("updates", kind)


@pytest.mark.parametrize(
    ("changes", "relation"),
    [
        ({"focus": 1, "similarity": 0.5}, "updates"),
        ({"focus": 1, "similarity": 0.49}, "possibly_updates"),
        ({"focus": 2, "similarity": 0.69}, "possibly_updates"),
        ({"focus": 2, "similarity": 0.7}, "updates"),
        ({"focus": 3, "similarity": 0.9}, "possibly_updates"),
        ({"focus": 4, "similarity": 0.9}, None),
        ({"focus": 1, "similarity": 0.44}, None),
        ({"focus": 0, "similarity": 0.9}, None),
    ],
)
def test_the_more_statements_hold_the_word_the_less_is_sure(changes: dict[str, Any], relation: str | None) -> None:
    verdict = became(COURSE, ACCEPTED, **changes)
    assert (None if verdict is None else verdict.relation) == relation


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (COURSE, statement("I just got accepted for the glider course", 1, message_id="m1b")),
        (COURSE, statement("I just got accepted for the glider course", 9, speaker="Ben", subject="Ben")),
        (COURSE, statement("I did not just get accepted for the glider course", 9, polarity="negated")),
        (COURSE, plan("I just registered and will start the glider course", 9)),
        (statement("I like gliders", 1), statement("I just saw a glider", 9)),
        (statement("I'm looking into gliders", 1), statement("I just started looking into glider clubs", 9)),
        (COURSE, statement("The glider course is in a valley", 9)),
    ],
)
def test_what_is_no_news_of_something_open_ends_nothing(older: Event, newer: Event) -> None:
    assert became(older, newer) is None


@pytest.mark.parametrize(
    ("older", "newer", "counts"),
    [
        ("I won my first chess cup", "I won my second chess cup", True),
        ("I won my second chess cup", "Now I have won a fourth cup", True),
        ("I won my second chess cup", "My first chess cup was long ago", False),
        ("I won my second chess cup", "This is my second chess cup in a row", False),
        ("I came second in the chess cup", "The third row saw it, not the cup", False),
        ("My first cup was chess", "My second dog likes the cup that I won", False),
    ],
)
def test_a_later_ordinal_of_the_same_thing_counts_on(older: str, newer: str, counts: bool) -> None:
    verdict = became(statement(older, 1), statement(newer, 9), focus=9)
    assert (verdict is not None and verdict.relation == "updates") is counts


@pytest.mark.parametrize(
    ("newer", "ends"),
    [
        ("I'm painting again", True),
        ("I've been painting with my aunt", True),
        ("One idea was to join a painting club", False),
        ("I still haven't had time to paint", False),
    ],
)
def test_what_there_was_no_time_for_is_done_at_last(newer: str, ends: bool) -> None:
    older = statement("I haven't had much time to paint", 1)
    verdict = became(older, statement(newer, 9), focus=9, similarity=0.4)
    assert (verdict is not None and verdict.relation == "updates") is ends


def test_a_statement_is_given_how_many_it_meets_and_how_many_of_these_hold_the_word() -> None:
    """The gate counts among what passes with the newer statement, so the verdict follows from the set of statements."""
    said = [statement(f"the glider number {day} sings", day) for day in (1, 2)]
    newer = row(statement("gliders and harps sing", 9))
    alone = choose(newer, [row(statement("my harp is loud", 1))])
    more = choose(newer, [row(event) for event in said])
    assert [(candidate.focus, alone.passed) for candidate in alone.candidates] == [(1, 1)]
    assert [(candidate.focus, more.passed) for candidate in more.candidates] == [(2, 2), (2, 2)]
