"""What says the same as a fact that no longer holds is marked like it, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from query.api import Path, QueryRequest
from query.cut import Cut
from query.engine import QueryEngine
from query.markers import Marker
from query.newest import newest_paths
from query.rank import by_relevance
from query.relevance import as_notes
from query.restated import Restated
from query.settings import QuerySettings, Relevance
from schemas.ids import MessageKey
from tests.kit.space import BASIS, SPACE, MemorySpace, event, message, row, us
from views.reader import MessageText
from views.rows import EventRow

ASKED = us("2024-06-01")


def fact(event_id: str, text: str, on: str = "2024-03-02", **changes: object) -> EventRow:
    """A producer's fact without a message and without a subject."""
    at = message(event_id, "Registry", on, text)
    by = changes.pop("by", ())
    until = changes.pop("valid_until", None)
    fields = {"subject": None, "participants": (), "speaker": None, "sources": (), "value": text} | changes
    return row(event(event_id, at, **fields), by=by, valid_until=until)


def retired(text: str, instead: str, on: str = "2024-04-10", **changes: object) -> list[EventRow]:
    """A fact and the one that took its place."""
    old = fact("old", text, valid_until=us(on), by=[("new", "u", "change")], **changes)
    return [old, fact("new", instead, on, **changes)]


def said(content: str, on: str = "2024-03-03", speaker: str = "Ilka", message_id: str = "m") -> MessageText:
    return message(message_id, speaker, on, content)


def marker(note: MessageText, rows: Sequence[EventRow], at: int = ASKED) -> Marker:
    space = MemorySpace([note], rows)
    cut = Cut(space, space)
    return Marker(cut, at, at, 30, restated=Restated(cut, [one.event.id for one in rows], at))


def mark(note: MessageText, rows: Sequence[EventRow]) -> str:
    return marker(note, rows).of_note(MessageKey(note.conversation_id, note.message_id))


QUARRY = retired("Quarry order 7714 granted for 82,000 crowns", "Quarry order 7714 stopped for want of funds")


@pytest.mark.parametrize(
    "text",
    [
        "Good news: quarry order 7714 is granted for 82000 crowns!",
        "The crowns: 82,000. They are granting quarry orders, 7714 among them.",
        "Our No. 7714 granted, 82,000 in all.",
    ],
    ids=["the same words", "other forms in another order", "both numbers and a word"],
)
def test_a_message_that_says_what_a_retired_fact_said_carries_its_mark(text: str) -> None:
    expected = 'superseded on 2024-04-10 by "Quarry order 7714 stopped for want of funds" (2024-04-10)'
    assert mark(said(text), QUARRY) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Quarry order 7714 came in today.",
        "Quarry order 7714 was not granted for 82,000 crowns.",
        "It was 82,000 crowns granted; quarry order 7714 is stopped for want of funds.",
        "A quarry order was granted for some thousand crowns.",
    ],
    ids=["only a part", "the contrary", "what came instead as well", "without the numbers"],
)
def test_a_message_that_says_less_or_something_else_is_not_marked(text: str) -> None:
    assert mark(said(text), QUARRY) == ""


def test_what_was_said_after_the_change_is_no_repetition() -> None:
    assert mark(said("Quarry order 7714 granted for 82,000 crowns", on="2024-04-11"), QUARRY) == ""


def test_before_the_change_nothing_is_marked() -> None:
    note = said("Quarry order 7714 granted for 82,000 crowns")
    assert marker(note, QUARRY, at=us("2024-04-01")).of_note(MessageKey("c", "m")) == ""


def test_a_fact_that_holds_and_says_the_same_keeps_a_message_unmarked() -> None:
    note = said("The rehearsal is in the old tram depot.")
    rows = retired("rehearsal in the old tram depot", "rehearsal in the boat house")
    assert mark(note, rows).startswith("superseded on 2024-04-10")
    again = fact("again", "rehearsal in the old tram depot once more", "2024-05-20")
    assert mark(note, [*rows, again]) == ""


def test_a_short_value_needs_more_than_itself() -> None:
    rows = retired("Norrvik", "Tallby", attribute="warehouse_town")
    assert mark(said("I was in Norrvik for a swim."), rows) == ""
    assert mark(said("The warehouse is in Norrvik."), rows).startswith("superseded on 2024-04-10")


def test_a_fact_about_one_person_does_not_mark_what_another_says_of_himself() -> None:
    rows = retired("night shifts at the glass works", "day shifts at the glass works", subject="Ilka")
    text = "I do night shifts at the glass works."
    assert mark(said(text, speaker="Ilka"), rows).startswith("superseded on")
    assert mark(said(text, speaker="Bram"), rows) == ""
    assert mark(said("Ilka does night shifts at the glass works.", speaker="Bram"), rows).startswith("superseded on")


def test_a_negative_fact_is_restated_by_a_negative_message_only() -> None:
    rows = retired("do not renew the tram licence", "renew the tram licence in autumn")
    assert mark(said("Please don't renew the tram licence."), rows).startswith("superseded on")
    assert mark(said("Please renew the tram licence."), rows) == ""


def test_a_statement_read_from_such_a_message_is_marked_and_what_else_it_says_is_not() -> None:
    note = said("Quarry order 7714 granted for 82,000 crowns. I also bought a kite.")
    granted = row(event("granted", note, "Quarry order 7714 granted for 82,000 crowns."))
    kite = row(event("kite", note, "I also bought a kite.", type="action"))
    rows = [*QUARRY, granted, kite]
    assert marker(note, rows).of_event(granted).startswith("superseded on 2024-04-10")
    assert marker(note, rows).of_event(kite) == ""
    assert mark(note, rows).startswith('in part: "Quarry order 7714 granted')


def test_such_a_message_and_its_statement_come_after_what_took_the_facts_place() -> None:
    """The note is the better match, and the fact that counts rests on no message: it is found by its own words."""
    note = said("Quarry order 7714 granted for 82,000 crowns.")
    space = MemorySpace([note], [*QUARRY, row(event("granted", note))])
    request = QueryRequest(
        space=SPACE, question="Was quarry order 7714 granted for crowns?", asked_at=ASKED, as_of=None, known_at=None,
        mode="hybrid", budget_tokens=300, answer=False,
    )  # fmt: skip
    result = QueryEngine(space.search(), QuerySettings()).query(request, space, space, BASIS)
    assert {seed.event_id for seed in result.seeds if seed.family == "note"} == {"old", "new", "granted"}
    shown = [(item.event_ids, item.marker[:13]) for item in result.context if len(item.event_ids) == 1]
    assert shown.index((("new",), "")) < shown.index((("granted",), "superseded on"))


def test_paths_of_facts_without_messages_rank_by_their_own_place_among_the_events() -> None:
    space = MemorySpace([], [fact("far", "an old bell"), fact("close", "a new bell"), *QUARRY])
    cut = Cut(space, space)
    paths = [
        Path(events=(one,), steps=(), score=0.0, ns=0.0, pc=0.0, tc=0.0, uv=0.0) for one in ("far", "old", "close")
    ]
    own = as_notes({"close": 0.9, "far": 0.5}, Relevance())
    assert [path.events[0] for path in by_relevance(paths, {}, own, cut)] == ["close", "far", "old"]
    newest = newest_paths(paths, [], ["new", "old"], 2, cut)
    assert [path.events[0] for path in newest] == ["old", "far", "close"]


def test_of_several_retired_facts_the_one_stated_last_gives_the_mark() -> None:
    rows = [
        fact(
            "a", "gate code for the north door", "2024-03-01", valid_until=us("2024-04-01"), by=[("z", "u", "change")]
        ),
        fact(
            "b", "gate code for the north door", "2024-03-02", valid_until=us("2024-05-01"), by=[("z", "v", "change")]
        ),
        fact("z", "gate key", "2024-05-01"),
    ]
    assert mark(said("There is a gate code for the north door."), rows).startswith("superseded on 2024-05-01")
