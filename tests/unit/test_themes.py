"""Leader clustering of sessions."""

from __future__ import annotations

import msgspec
import numpy as np

from schemas.entry import Entry
from streams.state import MemoryState
from streams.themes.fold import THETA_T, Placed, ThemeFold, founded_by, themes_of
from streams.themes.stage import ThemesStage
from streams.themes.words import session_words
from tests.kit.encoders import HashingEncoder
from tests.kit.theming import Theming, session

GARDEN = "the roses in the garden need water"
CHOIR = "choir practice moved, bring the hymn sheets"


def placed(session_id: str, day: int, *vector: int) -> Placed:
    return Placed(order=(day, 0, f"m-{session_id}", session_id), vector=np.array(vector, dtype=np.int32))


def test_a_session_joins_the_theme_of_one_that_speaks_of_the_same() -> None:
    themes = Theming().run([session("s1", 1, GARDEN), session("s2", 2, CHOIR), session("s3", 3, GARDEN)]).themes()
    assert themes == {"s1": founded_by("s1"), "s2": founded_by("s2"), "s3": founded_by("s1")}


def test_the_founder_is_the_session_that_began_first_not_the_one_that_arrived_first() -> None:
    theming = Theming().run([session("s2", 2, GARDEN)])
    assert theming.themes() == {"s2": founded_by("s2")}
    out = theming.apply(session("s1", 1, GARDEN), 1)
    assert [(themed.session_id, themed.theme_id) for themed in out] == [
        ("s1", founded_by("s1")),
        ("s2", founded_by("s1")),
    ]


def test_a_session_at_exactly_the_threshold_joins_and_below_it_founds() -> None:
    assert THETA_T == 0.6
    at = themes_of([placed("s1", 1, 5, 0), placed("s2", 2, 3, 4)])
    below = themes_of([placed("s1", 1, 500, 0), placed("s2", 2, 299, 400)])
    assert at["s2"] == founded_by("s1")
    assert below["s2"] == founded_by("s2")


def test_of_equally_near_themes_the_first_founded_wins() -> None:
    themes = themes_of([placed("b", 1, 1, 0), placed("a", 2, 0, 1), placed("c", 3, 1, 1)])
    assert themes["c"] == founded_by("b")


def test_a_centroid_moves_with_its_members() -> None:
    """Far from the founder, near to the mean of both members."""
    first, second, third = placed("s1", 1, 10, 0, 0), placed("s2", 2, 7, 7, 0), placed("s3", 3, 4, 9, 1)
    assert themes_of([first, third])["s3"] == founded_by("s3")
    assert themes_of([first, second, third])["s3"] == founded_by("s1")


def test_an_emptied_session_loses_its_theme_and_its_followers_found_their_own() -> None:
    theming = Theming().run([session("s1", 1, GARDEN), session("s2", 2, GARDEN)])
    out = theming.apply(session("s1", 1, revision=2), 2)
    assert [(themed.session_id, themed.theme_id) for themed in out] == [("s1", None), ("s2", founded_by("s2"))]


def test_a_zero_vector_is_near_to_nothing() -> None:
    assert themes_of([placed("s1", 1, 0, 0), placed("s2", 2, 1, 0)]) == {
        "s1": founded_by("s1"),
        "s2": founded_by("s2"),
    }


def test_only_the_last_session_is_folded_again_when_it_grows() -> None:
    fold = ThemeFold()
    for number in range(5):
        fold.replace(None, placed(f"s{number}", number, 1, number))
    assert fold.replace(placed("s4", 4, 1, 4), placed("s4", 4, 1, 5)) == ["s4"]


def test_a_session_stands_for_the_words_most_of_its_messages_share_without_the_names() -> None:
    record = session("s1", 1, "Ann, the roses need water", "roses again, and the hedge", "the hedge and roses")
    assert session_words(record.messages) == ["roses", "hedge", "water"]


def test_a_session_of_greetings_has_a_theme_of_its_own() -> None:
    themes = Theming().run([session("s1", 1, "Hi, how are you?"), session("s2", 2, "Hello!")]).themes()
    assert themes == {"s1": founded_by("s1"), "s2": founded_by("s2")}


class CountingEncoder(HashingEncoder):
    """Remembers what it was asked for: the texts are what costs."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def encode(self, texts):
        self.texts += texts
        return super().encode(texts)


def test_an_open_session_is_judged_by_few_of_its_revisions_and_a_closed_one_by_all_it_says() -> None:
    encoder, state = CountingEncoder(), MemoryState()
    stage = ThemesStage(encoder)
    words = [f"word{chr(97 + n)}{chr(97 + n)}" for n in range(20)]
    whole = session("s", 1, *words)
    for count in range(1, 21):
        revised = msgspec.structs.replace(whole, messages=whole.messages[:count], revision=count, open=True)
        stage.apply(Entry(topic="sessions", partition=0, offset=count, record=revised), state, 0)
    assert len(set(encoder.texts)) == 3  # of 1, 4 and 16 messages
    closed = msgspec.structs.replace(whole, revision=30)
    stage.apply(Entry(topic="sessions", partition=0, offset=30, record=closed), state, 0)
    assert encoder.texts[-1] == " ".join(session_words(whole.messages))
