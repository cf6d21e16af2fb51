"""State and history: what holds at T, in a fixed order, with evidence, and how it came about."""

from __future__ import annotations

import pytest

from query.api import StateRequest, StateResult
from query.history import UnknownEventError, history
from query.state import state
from tests.kit.space import BASIS, SPACE, us
from tests.kit.village import village


def ask(as_of: str = "2024-05-10", **changes: object) -> StateResult:
    space = village()
    fields: dict[str, object] = {"participant": None, "attribute": None, "include_all": False}
    request = StateRequest(space=SPACE, as_of=us(as_of), known_at=None, **(fields | changes))  # type: ignore[arg-type]
    return state(space, space, request, BASIS)


def ids(result: StateResult) -> list[str]:
    return [entry.event.id for entry in result.entries]


def test_state_lists_what_holds_by_participant_attribute_and_time() -> None:
    assert ids(ask()) == ["choir-mon", "choir-fri", "cat-pim", "cat-juno", "oda-malmo", "commute", "job-new"]


def test_state_at_an_earlier_time_lists_what_held_then_with_open_plans() -> None:
    assert ids(ask("2024-03-10")) == ["dentist-21", "cat-pim", "oda-malmo", "job-old"]
    assert ids(ask("2024-03-04")) == ["dentist-14", "cat-pim", "oda-malmo", "job-old"]


def test_everything_else_is_listed_on_request_with_its_status() -> None:
    found = {entry.event.id: entry.status for entry in ask(include_all=True).entries}
    assert len(found) == 13
    assert found["job-old"] == "superseded"
    assert found["oda-lund"] == "corrected"
    assert found["shed"] == "lapsed"
    assert found["search"] == "partial"


def test_participant_and_attribute_narrow_it_in_any_case_and_through_aliases() -> None:
    assert ids(ask(participant="til")) == ["commute", "job-new"]
    assert ids(ask(participant="Til", attribute="Employer", include_all=True)) == ["job-old", "job-new"]


def test_a_superseded_entry_names_what_replaced_it_and_the_message() -> None:
    (old,) = [entry for entry in ask(include_all=True).entries if entry.event.id == "job-old"]
    (by,) = old.superseded_by
    assert (by.event_id, by.kind, by.conversation_id, by.message_id) == ("job-new", "change", "c", "m2")
    assert old.validity == 0.0
    assert old.valid_until == us("2024-05-02")
    assert [citation.quote for citation in old.citations] == ["I work as a baker at the Corner Mill."]


def test_a_contested_entry_names_the_other_side_while_both_hold() -> None:
    contested = {entry.event.id: entry.contested_by for entry in ask().entries if entry.contested_by}
    assert contested == {"choir-mon": ("choir-fri",), "choir-fri": ("choir-mon",)}
    assert all(not entry.contested_by for entry in ask("2024-04-01").entries)


def test_history_shows_the_chain_in_stated_order_with_its_links() -> None:
    space = village()
    for event_id in ("job-old", "job-new"):
        result = history(space, space, event_id, us("2024-05-10"), BASIS, 200)
        assert [(entry.event.id, entry.status) for entry in result.entries] == [
            ("job-old", "superseded"),
            ("job-new", "valid"),
        ]
        (link,) = result.links
        assert (link.src, link.dst, link.kind, link.effective) == ("job-new", "job-old", "change", True)
        assert result.producers == ("distiller", "linker")


def test_history_shows_links_without_effect_as_such_and_is_bounded() -> None:
    space = village()
    result = history(space, space, "cat-pim", us("2024-05-10"), BASIS, 200)
    assert [link.effective for link in result.links] == [False]
    assert {entry.status for entry in result.entries} == {"valid"}
    alone = history(space, space, "job-old", us("2024-05-10"), BASIS, 1)
    assert [entry.event.id for entry in alone.entries] == ["job-old"]
    assert alone.links == ()


def test_history_of_an_unknown_event_is_an_error() -> None:
    space = village()
    with pytest.raises(UnknownEventError, match="nobody"):
        history(space, space, "nobody", 0, BASIS, 200)
