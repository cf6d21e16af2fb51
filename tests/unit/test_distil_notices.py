"""Labels, headlines and charges: what the offline distiller makes of lines in which nobody speaks of themselves."""

from __future__ import annotations

import pytest

from schemas.events import Event
from schemas.messages import Role
from schemas.sessions import SessionMessage, SessionRevised
from streams.distil.offline import OfflineDistiller


def read(content: str, role: Role = "user") -> list[Event]:
    message = SessionMessage(
        message_id="m", speaker="Wenke", speaker_id=None, role=role, content=content, sent_at=1_900_000_000_000_000,
        utc_offset_min=0, tz=None, seq=0, offset=0,
    )  # fmt: skip
    session = SessionRevised(
        tenant="t", space="s", conversation_id="c", session_id="x", revision=4, open=True, messages=(message,),
        covers=7, learned_at=1_900_000_000_000_500,
    )  # fmt: skip
    return list(OfflineDistiller().distil(session))


@pytest.mark.parametrize(
    ("line", "subject", "attribute", "value"),
    [
        ("Summer fair venue: Harbour shed 4", "summer fair", "location", "Harbour shed 4"),
        ("Owner of the calendar: Lorcan", "calendar", "lead", "Lorcan"),
        ("Project Basalt status: on hold", "Project Basalt", "status", "on hold"),
        ("Update: fair start date: 3 July 2045", "fair", "date", "3 July 2045"),
        ("New deadline: 9 May 2045.", "deadline", "deadline", "9 May 2045"),
        ("New number: 0660 9999", "Wenke's phone number", "phone", "0660 9999"),
        ("Locker number: 77", "locker", "number", "77"),
    ],
)
def test_a_label_and_its_value_are_a_statement_about_the_thing(
    line: str, subject: str, attribute: str, value: str
) -> None:
    [event] = read(line)
    assert (event.subject, event.attribute, event.value) == (subject, attribute, value)
    assert event.text == line.rstrip(".")


@pytest.mark.parametrize(
    "line",
    [
        "Fun fact: 12 herons",
        "My tip: early boats",
        "Number: unknown",
        "Status: what do you think?",
        "One more thing about the venue we talked about: the door",
        "Venue:",
    ],
)
def test_other_lines_with_a_colon_tell_no_attribute(line: str) -> None:
    assert not any(event.value for event in read(line))


def test_what_an_assistant_writes_on_a_line_is_no_fact() -> None:
    assert read("Got it, fair venue: Harbour shed 4.", role="assistant") == []


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Order #77 approved for 3,200 euros", "order #77"),
        ("Order #77 CANCELLED due to frost", "order #77"),
        ("The market permit has been granted", "market permit"),
        ("The market permit was revoked by the district", "market permit"),
        ("Launch postponed until autumn", "launch"),
    ],
)
def test_what_was_done_to_a_thing_is_how_it_stands(text: str, subject: str) -> None:
    [event] = read(text + ".")
    assert ((event.subject or "").lower(), event.type, event.modality) == (subject, "state_change", "asserted")


@pytest.mark.parametrize("text", ["The window was cleaned", "The choir sang two songs", "I approved the order"])
def test_what_somebody_did_stays_an_act(text: str) -> None:
    [event] = read(text + ".")
    assert event.type == "action"


@pytest.mark.parametrize(
    ("text", "thing", "who", "people"),
    [
        ("Henrike is in charge of the seed bank.", "seed bank", "Henrike", {"Henrike"}),
        ("Tamsin takes over the seed bank from Henrike.", "seed bank", "Tamsin", {"Tamsin", "Henrike"}),
        ("I'm responsible for the tool shed.", "tool shed", "Wenke", {"Wenke"}),
        ("The map project is led by Oona.", "map project", "Oona", {"Oona"}),
    ],
)
def test_who_is_in_charge_is_said_of_the_thing(text: str, thing: str, who: str, people: set[str]) -> None:
    [event] = read(text)
    assert (event.subject, event.attribute, event.value, set(event.participants)) == (thing, "lead", who, people)


def test_a_place_is_told_with_its_parts() -> None:
    [event] = read("The workshop is in the Odense office, Building B, Room 7, and lunch is free.")[:1]
    assert event.value == "in the Odense office, Building B, Room 7"


def test_an_order_to_make_sure_is_no_statement() -> None:
    assert read("Make sure to send calendar invites to everyone.") == []
