"""The offline classifier on statements as the distiller makes them: things that moved, times told anew, what was given.

Each text is distilled, so that subject, attribute, value and anchor are what they are in use.
"""

from __future__ import annotations

import pytest

from schemas.events import Event
from schemas.times import US_PER_DAY, US_PER_MINUTE
from streams.classify.offline import OfflineClassifier
from streams.classify.protocol import Pair
from streams.distil.offline import OfflineDistiller
from streams.link.chain import before_edges
from tests.kit.linking import SPACE, row
from tests.kit.sessions import revised
from tests.kit.sessions import said as told

SENT = 1_715_789_400_000_000
"""A Wednesday, 15 May 2024, 16:10 UTC."""


def said(text: str, after_min: int = 0, speaker: str = "Ruth") -> Event:
    """The one statement of a message."""
    message = told(0, SENT + after_min * US_PER_MINUTE, text, speaker, message_id=f"m{after_min}")
    (event,) = OfflineDistiller().distil(revised([message]))
    return event


def relation(older: str, newer: str, *, minutes: int, adjacent: bool = False) -> tuple[str | None, str | None]:
    pair = Pair(newer=said(newer, minutes), older=said(older), similarity=0.5, adjacent=adjacent)
    judged = OfflineClassifier().classify([pair])[0]
    return judged.relation, judged.kind


MONTH = 30 * 24 * 60


@pytest.mark.parametrize(
    ("older", "newer", "minutes"),
    [
        ("The ladder is at Oskar's", "The ladder is at Petra's now", MONTH),
        ("Piet is on the harbour project", "Piet has moved over to Eastgate", MONTH),
        ("I drink whole milk", "I'm drinking oat milk now", MONTH),
        ("I coach the juniors", "Handed the juniors over to Bela", MONTH),
        ("I adore blue cheese", "I can't stand blue cheese", 20),
        ("The recital starts at six", "the recital starts at seven", 90),
        ("Lunch is Friday", "lunch is Saturday", 5),
        ("My elbow is sore", "The elbow has healed completely", MONTH),
    ],
)
def test_what_replaces_a_statement_is_a_change(older: str, newer: str, minutes: int) -> None:
    assert relation(older, newer, minutes=minutes) == ("updates", "change")


@pytest.mark.parametrize(
    ("older", "newer", "minutes"),
    [
        ("The ladder is at Oskar's", "The trailer is at Petra's now", MONTH),
        ("Piet is on the harbour project", "Piet is on the Eastgate project too", MONTH),
        ("I drink whole milk", "I'm drinking mint tea now", MONTH),
        ("I coach the juniors", "Handed the keys over to Bela", MONTH),
        ("I adore blue cheese", "I can't stand blue carpets", 20),
        ("The recital starts at six", "The recital starts at seven", 3 * MONTH),
        ("My sister's elbow is sore", "The elbow has healed completely", MONTH),
        ("My elbow is sore", "The cut has healed completely", MONTH),
        ("Lunch with Tom is Friday", "Lunch with Rhea is Saturday", 5),
    ],
)
def test_another_thing_another_one_or_a_later_one_is_none(older: str, newer: str, minutes: int) -> None:
    assert relation(older, newer, minutes=minutes) == (None, None)


def test_a_day_told_anew_right_after_replaces_the_day_before_it() -> None:
    older, newer = "We leave on Friday", "Scrap that, it's Saturday after all"
    assert relation(older, newer, minutes=10, adjacent=True) == ("updates", "change")
    assert relation(older, newer, minutes=10) == (None, None), "not next to it: what it is about is unknown"


def test_two_times_told_together_are_put_in_order_whatever_they_are_about() -> None:
    failed, changed = said("Yesterday the pump failed"), said("Two weeks ago I changed the valve", 2)
    edges = before_edges(SPACE, row(changed), [row(failed)])
    assert [(edge.src, edge.dst) for edge in edges] == [(changed.id, failed.id)]


def test_times_told_apart_unnamed_or_by_two_people_are_in_no_order() -> None:
    failed = said("Yesterday the pump failed")
    late = said("Two weeks ago I changed the valve", US_PER_DAY // US_PER_MINUTE)
    unnamed = said("I changed the valve", 2)
    other = said("Two weeks ago I changed the valve", 2, speaker="Odo")
    assert [before_edges(SPACE, row(newer), [row(failed)]) for newer in (late, unnamed, other)] == [[], [], []]
