"""Whatever no longer simply holds says so, with the date and the words that changed it."""

from __future__ import annotations

import pytest

from query.cut import Cut
from query.markers import Marker
from query.quotes import day
from query.restated import Restated
from schemas.ids import MessageKey
from tests.kit.space import MemorySpace, edge, event, message, row, us
from tests.kit.village import M, village
from views.rows import EventRow

NEW_JOB = '"First day at the harbour office, I work there as a clerk now." (Tilda, 2024-05-02)'


def marker(
    at: str = "2024-05-10", later: str | None = None, space: MemorySpace | None = None, words: int = 30
) -> Marker:
    space = space or village()
    return Marker(Cut(space, space), us(at), us(later or at), words)


def mark(event_id: str, at: str = "2024-05-10", later: str | None = None) -> str:
    found = village().event(event_id)
    assert found is not None
    return marker(at, later).of_event(found)


def test_what_holds_is_not_marked() -> None:
    assert mark("job-new") == ""


def test_a_superseded_statement_names_the_day_and_the_words_that_replaced_it() -> None:
    assert mark("job-old") == f"superseded on 2024-05-02 by {NEW_JOB}"


def test_before_the_change_it_is_not_marked_and_asked_later_about_then_it_says_both() -> None:
    assert mark("job-old", at="2024-05-01") == ""
    assert mark("job-old", at="2024-03-31", later="2024-05-10") == f"held then; superseded on 2024-05-02 by {NEW_JOB}"


def test_a_corrected_statement_never_held() -> None:
    assert mark("oda-lund") == 'corrected: never held; see "Oda lives in Malmo" (Tilda, 2024-02-03)'


def test_both_sides_of_a_contradiction_name_the_other() -> None:
    assert mark("choir-mon") == 'contested by "The village choir rehearses on Fridays." (Tilda, 2024-04-02)'
    assert mark("choir-fri") == 'contested by "The village choir rehearses on Mondays." (Bram, 2024-04-01)'
    assert mark("choir-mon", at="2024-04-01") == ""


def test_a_lapsed_plan_has_an_unknown_outcome_from_its_due_day_on() -> None:
    assert mark("shed", at="2024-04-30") == ""
    assert mark("shed") == "outcome unknown: due by 2024-04-30, no follow-up"


def test_a_consequence_of_something_superseded_is_in_doubt() -> None:
    said = '"I work as a baker at the Corner Mill." (Tilda, 2024-01-10)'
    assert mark("search") == f"in doubt: rests on {said}, which ended on 2024-05-02"
    assert mark("search", at="2024-05-01") == ""


@pytest.mark.parametrize(("event_type", "expected"), [("state_change", "ended by 2024-04-02"), ("action", "")])
def test_a_state_told_as_past_has_ended_but_an_action_that_is_over_has_happened(event_type: str, expected: str) -> None:
    told = row(event("x", M["m8"], type=event_type, holds=False), valid_until=us("2024-04-02"))
    assert marker(space=MemorySpace([M["m8"]], [told])).of_event(told) == expected


def test_an_announced_change_does_not_hold_before_its_day() -> None:
    announced = row(event("x", M["m8"], valid_from=us("2024-06-01")))
    assert marker(space=MemorySpace([M["m8"]], [announced])).of_event(announced) == "not yet: from 2024-06-01"


def test_a_cancelled_plan_says_that_it_was_cancelled() -> None:
    old = row(
        event("x", M["m3"], type="plan", modality="planned"), valid_until=us("2024-03-05"), by=[("y", "r", "cancelled")]
    )
    new = row(event("y", M["m4"]))
    space = MemorySpace([M["m3"], M["m4"]], [old, new])
    assert marker(space=space).of_event(old).startswith('superseded on 2024-03-05 (cancelled) by "The dentist')


def test_dates_are_those_of_the_speakers_zone() -> None:
    evening = message("n2", "Tilda", "2024-05-02T23:30:00-05:00", "I work at the ferry now.", utc_offset_min=-300)
    old = row(event("old", M["m1"]), valid_until=evening.sent_at, by=[("new", "r", "change")])
    space = MemorySpace([M["m1"], evening], [old, row(event("new", evening))])
    assert marker(space=space).of_event(old) == (
        'superseded on 2024-05-02 by "I work at the ferry now." (Tilda, 2024-05-02)'
    )


def test_a_day_outside_the_calendar_is_the_nearest_one_in_it() -> None:
    assert day(us("0001-01-01") - 1, -720) == "0001-01-01"
    assert day(us("9999-12-31"), 1_440) == "9999-12-31"


def test_a_long_quote_is_cut_and_says_so() -> None:
    found = village().event("job-old")
    assert found is not None
    assert '"First day at …" (Tilda, 2024-05-02)' in marker(words=3).of_event(found)


def test_a_note_is_marked_when_all_its_events_are_past_and_in_part_when_some_are() -> None:
    both = message("n1", "Tilda", "2024-01-10", "I bake at the mill. I keep bees.")
    rows = [
        row(event("bake", both, "I bake at the mill."), valid_until=us("2024-05-02"), by=[("job-new", "r", "change")]),
        row(event("job-new", M["m2"])),
    ]
    only_past = MemorySpace([both, M["m2"]], rows)
    key = MessageKey("c", "n1")
    assert marker(space=only_past).of_note(key) == f"superseded on 2024-05-02 by {NEW_JOB}"
    mixed = MemorySpace([both, M["m2"]], [*rows, row(event("bees", both, "I keep bees."))])
    assert marker(space=mixed).of_note(key) == (f'in part: "I bake at the mill." superseded on 2024-05-02 by {NEW_JOB}')
    assert marker(space=mixed).of_note(MessageKey("c", "m2")) == ""


class _SaysSo(Restated):
    """Every statement of a message says what a retired fact said."""

    def __init__(self, fact: EventRow) -> None:
        self._fact = fact

    def of(self, key: MessageKey) -> EventRow | None:
        return self._fact if key.message_id == "n1" else None

    def of_event(self, row: EventRow) -> EventRow | None:
        return self._fact if row.event.sources[0].message_id == "n1" else None


def test_a_note_whose_statements_were_all_retired_is_past_also_where_of_one_there_is_more_to_say() -> None:
    both = message("n1", "Tilda", "2024-01-10", "I bake at the mill. I keep bees.")
    said = message("n2", "Tilda", "2024-05-03", "The hives are empty.")
    fact = row(event("fact", M["m2"]), valid_until=us("2024-05-02"), by=[("job-new", "r", "change")])
    rows = [
        *(row(event(name, both, text)) for name, text in (("bake", "I bake at the mill."), ("bees", "I keep bees."))),
        row(event("job-new", M["m2"])), row(event("later", said)), fact,
    ]  # fmt: skip
    space = MemorySpace([both, M["m2"], said], rows, [edge("p", "later", "possibly_updates", "bees")])
    at = us("2024-05-10")
    found = Marker(Cut(space, space), at, at, 30, restated=_SaysSo(fact)).of_note(MessageKey("c", "n1"))
    assert found.startswith("superseded on 2024-05-02 by ")
    assert "possibly superseded by" in found
