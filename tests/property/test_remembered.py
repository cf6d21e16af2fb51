"""A message that was read before states what it states when it is read anew."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.sessions import SessionMessage, SessionRevised
from streams.distil.offline import OfflineDistiller, statements_of
from streams.distil.remembered import Remembered
from streams.distil.subjects import Said
from streams.participants import roster_of
from tests.kit.sessions import revised
from tests.kit.sessions import said as told

TEXTS = (
    "My brother Jan moved to Malmo.", "He works at the mill now.", "I sold my boat last week.", "It was green.",
    "You live in Oslo, Mia.", "Ada told me you quit.", "I was joking.", "Not the 12th, the 14th.", "Ha!",
)  # fmt: skip

messages = st.tuples(st.sampled_from(["Ada", "Ada Berg", "Mia", "bot"]), st.sampled_from(TEXTS))
revisions = st.lists(st.lists(messages, max_size=5), min_size=1, max_size=6)


def session(said: Sequence[tuple[str, str]]) -> SessionRevised:
    """A revision; a message at the same place says something else than before, or comes from somebody else."""
    return revised(
        told(n, 1_900_000_000_000_000 + n, text, speaker, role="assistant" if speaker == "bot" else "user")
        for n, (speaker, text) in enumerate(said)
    )


@settings(deadline=None)
@given(revisions)
def test_a_distiller_that_read_other_revisions_says_what_a_new_one_says(said: list[list[tuple[str, str]]]) -> None:
    old = OfflineDistiller()
    for one in map(session, said):
        assert old.distil(one) == OfflineDistiller().distil(one)


def test_a_message_is_read_once_while_what_is_before_it_stays_and_forgotten_in_the_end() -> None:
    read: list[str] = []

    def reading(message: SessionMessage, before: Said) -> tuple[tuple[()], Said]:
        read.append(message.content)
        return (), statements_of(message, before)[1]

    remembered = Remembered(reading, messages=2)
    for said in (("a",), ("a", "b"), ("a", "b", "c"), ("a",)):
        one = session([("Ada", text) for text in said])
        before = Said("", roster_of(one), person=None, thing=None)
        for message in one.messages:
            before = remembered(message, before)[1]
    assert read == ["a", "b", "c", "a"]
