"""Names: who speaks, and which words stand for whom."""

from __future__ import annotations

from schemas.messages import Role
from schemas.sessions import SessionMessage, SessionRevised
from streams.participants import Roster, roster_of


def roster(*speakers: str | tuple[str, Role]) -> Roster:
    named = [s if isinstance(s, tuple) else (s, "user") for s in speakers]
    messages = tuple(
        SessionMessage(
            message_id=str(i),
            speaker=name,
            speaker_id=None,
            role=role,
            content="hi",
            sent_at=i,
            utc_offset_min=0,
            tz=None,
            seq=i,
            offset=i,
        )
        for i, (name, role) in enumerate(named)
    )
    return roster_of(
        SessionRevised(
            tenant="t",
            space="s",
            conversation_id="c",
            session_id="x",
            revision=1,
            open=False,
            messages=messages,
            covers=1,
            learned_at=1,
        )
    )


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
