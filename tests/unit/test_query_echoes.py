"""What an assistant says that it was told is marked where a statement that holds says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from query.cut import Cut
from query.echoes import Echoes
from query.markers import Marker
from schemas.ids import MessageKey
from tests.kit.space import MemorySpace, event, message, row, us
from views.reader import MessageText
from views.rows import EventRow

ASKED = us("2024-06-01")


def told(
    text: str, attribute: str, value: str | None, on: str = "2024-03-05", who: str = "Ilka"
) -> tuple[MessageText, EventRow]:
    """What Ilka said of somebody."""
    at = message(f"m-{attribute}", "Ilka", on, text)
    said = event(f"e-{attribute}", at, subject=who, participants=(who,), attribute=attribute, value=value)
    return at, row(said)


def mark(content: str, known: Sequence[tuple[MessageText, EventRow]], role: str = "assistant") -> str:
    note = msgspec.structs.replace(message("echo", "Helper", "2024-03-04", content), role=role)
    rows = [event_row for _, event_row in known]
    space = MemorySpace([note, *(at for at, _ in known)], rows)
    cut = Cut(space, space)
    marker = Marker(cut, ASKED, ASKED, 30, echoes=Echoes(cut, [one.event.id for one in rows], ASKED))
    return marker.of_note(MessageKey(note.conversation_id, note.message_id))


HOME = told("I live in Arvik.", "home", "Arvik")


@pytest.mark.parametrize(
    "content",
    [
        "As you told me before, you live in Dalby.",
        "You mentioned that you live in Dalby. Shall I look for a bus?",
        "From what you said you live in Dalby.",
        "According to you, you live in Dalby!",
    ],
)
def test_an_echo_of_something_else_than_what_holds_is_possibly_superseded(content: str) -> None:
    assert mark(content, [HOME]) == 'possibly superseded by "I live in Arvik." (Ilka, 2024-03-05)'


@pytest.mark.parametrize(
    "content",
    [
        "As you told me before, you live in Arvik.",
        "As you told me before, you work in Dalby.",
        "You live in Dalby.",
        "Dalby is a nice place to live. You mentioned the harbour.",
        "As you told me before, you don't live in Dalby.",
    ],
    ids=["the same", "of something else", "no echo", "another sentence", "the contrary is denied"],
)
def test_other_words_of_an_assistant_are_not_marked(content: str) -> None:
    assert mark(content, [HOME]) == ""


def test_only_an_assistant_echoes() -> None:
    assert mark("As you told me before, you live in Dalby.", [HOME], role="user") == ""


def test_what_the_assistant_says_of_itself_is_no_measure() -> None:
    own = told("I live in Arvik.", "home", "Arvik", who="Helper")
    assert mark("As you told me before, you live in Dalby.", [own]) == ""


def test_a_statement_without_a_known_value_says_nothing_otherwise() -> None:
    vague = told("I live in Arvik.", "home", None)
    assert mark("As you told me before, you live in Dalby.", [vague]) == ""


def test_of_several_statements_the_latest_is_named() -> None:
    later = told("I live on the Osterholm.", "address", "the Osterholm", on="2024-05-01")
    assert "Osterholm" in mark("As you told me before, you live in Dalby.", [HOME, later])
