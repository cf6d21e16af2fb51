"""Names: who speaks, and which words stand for whom."""

from __future__ import annotations

from schemas.messages import Role
from streams.participants import Roster, roster_of
from tests.kit.sessions import revised, said


def roster(*speakers: str | tuple[str, Role]) -> Roster:
    named = [s if isinstance(s, tuple) else (s, "user") for s in speakers]
    return roster_of(revised(said(i, i, "hi", name, role=role) for i, (name, role) in enumerate(named)))


def test_a_first_name_stands_for_the_only_speaker_who_bears_it() -> None:
    assert roster("Nia Okoro", "Tom Hale").canonical("nia") == "Nia Okoro"


def test_two_speakers_of_one_first_name_stay_apart() -> None:
    two = roster("Nia Okoro", "Nia Blum")
    assert two.canonical("Nia") == "Nia"
    assert two.canonical("Nia Blum") == "Nia Blum"


def test_a_speaker_called_by_the_first_name_alone_does_not_take_over_another_speakers() -> None:
    two = roster("Nia", "Nia Blum")
    assert not two.knows("Nia")


def test_names_that_differ_in_their_digits_stay_apart() -> None:
    two = roster("Agent 7", "Agent 8")
    assert two.canonical("Agent 7") == "Agent 7"
    assert not two.knows("Agent")


def test_an_unknown_name_stays_as_it_is_written() -> None:
    assert roster("Nia").canonical("  Zoë   Marsh ") == "Zoë Marsh"


def test_the_addressee_is_the_other_of_two_and_nobody_among_three() -> None:
    assert roster("Nia", "Tom").addressee("Nia") == "Tom"
    assert roster("Nia", "Tom", "Eva").addressee("Nia") is None
    assert roster("Nia").addressee("Nia") is None


def test_assistants_speak_but_are_no_people() -> None:
    assert roster("Nia", ("bot", "assistant")).people == ("Nia",)


def test_names_in_any_script_resolve() -> None:
    assert roster("李雷", "Ольга Петрова").canonical("Ольга") == "Ольга Петрова"
