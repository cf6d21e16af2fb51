"""Names that a text explains: read from its words, and nothing else taken for an explanation."""

from __future__ import annotations

import pytest

from schemas.messages import Role
from schemas.sessions import SessionMessage, SessionRevised
from streams.distil.aliases import aliases_in


def session(*said: tuple[str, str], role: Role = "user") -> SessionRevised:
    """What speakers say, in one session."""
    messages = tuple(
        SessionMessage(
            message_id=f"m{n}", speaker=speaker, speaker_id=None, role=role, content=content,
            sent_at=1_700_000_000_000_000 + n, utc_offset_min=0, tz=None, seq=n, offset=n,
        )
        for n, (speaker, content) in enumerate(said)
    )  # fmt: skip
    return SessionRevised(
        tenant="t", space="s", conversation_id="c", session_id="x", revision=4, open=True, messages=messages, covers=7,
        learned_at=1_700_000_000_000_500,
    )  # fmt: skip


def learned(*said: tuple[str, str], role: Role = "user") -> list[tuple[str, str]]:
    return [(alias.alias, alias.canonical) for alias in aliases_in(session(*said, role=role))]


@pytest.mark.parametrize(
    ("text", "alias", "name"),
    [
        ("The harbour watch committee (HWC) meets on Mondays.", "HWC", "harbour watch committee"),
        ("The harbour watch committee (HWK) meets on Mondays.", "HWK", "harbour watch committee"),
        ("I joined the Northern Rowing Union (NRU) today.", "NRU", "Northern Rowing Union"),
        ("HWC stands for harbour watch committee.", "HWC", "harbour watch committee"),
        ("NRU is short for the Northern Rowing Union.", "NRU", "Northern Rowing Union"),
        ("Barnabas Ahl, also known as Bas, plays the organ.", "Bas", "Barnabas Ahl"),
        ("Everyone calls me Bibi.", "Bibi", "Barbro"),
        ("My friends call me Bibi for short.", "Bibi", "Barbro"),
        ("I go by Bibi.", "Bibi", "Barbro"),
    ],
)
def test_an_explained_name_is_learned(text: str, alias: str, name: str) -> None:
    assert learned(("Barbro", text)) == [(alias, name)]


@pytest.mark.parametrize(
    "text",
    [
        "We bought a new screen for the hall (UHD).",
        "The harbour watch committee (see below) meets on Mondays.",
        "The harbour watch committee (on Mondays) is small.",
        "I came home late (OMG).",
        "Is the harbour watch committee (HWC) big?",
        "Call me Monday.",
        "Everyone calls me every day.",
        "My friends call me a dreamer.",
        "People know me as a baker.",
        "HWC means trouble.",
    ],
)
def test_other_words_explain_no_name(text: str) -> None:
    assert learned(("Barbro", text)) == []


def test_the_name_of_a_speaker_is_nobody_elses() -> None:
    assert learned(("Barbro", "Everyone calls me Tove."), ("Tove", "Hello.")) == []


def test_a_name_with_two_explanations_in_one_session_has_none() -> None:
    text = "The harbour watch committee (HWC) met.", "The hill walkers club (HWC) met."
    assert learned(("Barbro", text[0]), ("Barbro", text[1])) == []
    assert learned(("Barbro", text[0]), ("Barbro", text[0])) == [("HWC", "harbour watch committee")]


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_only_people_teach_names(role: Role) -> None:
    assert learned(("Helper", "The harbour watch committee (HWC) meets."), role=role) == []
