"""What of a text is compared."""

from __future__ import annotations

import pytest

from streams.own_words import own_words
from tests.kit.linking import row, statement


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("I moved to Aldin.", "I moved to Aldin."),
        ("Wow, that's great! Did you like it? I signed up for a pottery class.", "I signed up for a pottery class."),
        ("[Image: a red kayak] My kayak is finished.", "My kayak is finished."),
        ("It must be lovely there. We sold the boat.", "We sold the boat."),
        ("Thanks, I got the job! You helped.", "Thanks, I got the job!"),
        ("Sold the boat. Lena moved to Oslo. She's happy.", "Sold the boat. Lena moved to Oslo. She's happy."),
    ],
)
def test_what_its_author_states_is_left(text: str, compared: str) -> None:
    assert own_words(text) == compared


@pytest.mark.parametrize(
    "text", ["", "Really?", "Wow, great! Sounds good!", "[Image: a red kayak]", "Did you? Are you sure?", "You did it."]
)
def test_where_nothing_else_is_said_the_text_stays(text: str) -> None:
    assert own_words(text) == text


@pytest.mark.parametrize("text", ["Vivo en Bergen. Trabajo mucho.", "Ich wohne in Bergen. Das Boot ist verkauft."])
def test_statements_in_other_languages_stay_whole(text: str) -> None:
    assert own_words(text) == text


def test_a_statement_promises_by_its_own_words_alone() -> None:
    plain = row(statement("I sold the boat.", 1))
    chatty = row(statement("I sold the boat. Are you going to apply for it next week?", 1))
    assert chatty.promise == plain.promise
    assert (chatty.vector == plain.vector).all()
    assert chatty.stems > plain.stems, "what it shares a rare word with it may still be about"
