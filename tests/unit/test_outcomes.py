"""What became of a plan, at any time, from what updated it."""

from __future__ import annotations

import pytest

from query.cut import Cut
from query.outcomes import plan_status
from schemas.edges import Edge
from tests.kit.records import DAY, SPACE, distilled, edge, entries, event, inferred
from views.snapshot import cut

TRIP = event("trip", said=1, modality="planned", type="plan", expected_until=6 * DAY)


def outcome(day: float, *news: tuple[str, int, str]) -> str | None:
    """The plan's outcome on a day, after statements (id, day, kind) about it."""
    events = [event(name, said=said) for name, said, _ in news]
    edges: list[Edge] = [edge(name, "updates", "trip", kind) for name, _, kind in news]
    log = entries([distilled(TRIP, *events), inferred(*edges)])
    reader = cut(log, SPACE, 10**18)
    row = reader.event("trip")
    assert row is not None
    return plan_status(row, Cut(reader, reader), int(day * DAY))


def test_a_plan_is_planned_until_its_time_has_passed_and_then_has_lapsed() -> None:
    assert [outcome(day) for day in (2, 5.9, 6)] == ["planned", "planned", "lapsed"]


@pytest.mark.parametrize(("kind", "became"), [("done", "done"), ("change", "changed"), ("cancelled", "cancelled")])
def test_news_of_a_plan_count_from_their_day_on(kind: str, became: str) -> None:
    assert [outcome(day, ("news", 4, kind)) for day in (3, 4, 9)] == ["planned", became, became]


def test_news_after_it_had_lapsed_tell_the_outcome() -> None:
    assert [outcome(day, ("news", 8, "done")) for day in (7, 8)] == ["lapsed", "done"]


@pytest.mark.parametrize(("kind", "became"), [("correction", "changed"), ("withdrawn", "cancelled")])
def test_a_plan_that_was_never_so_is_known_as_such_at_any_time(kind: str, became: str) -> None:
    assert [outcome(day, ("news", 4, kind)) for day in (2, 9)] == [became, became]


def test_of_several_news_the_earliest_counts() -> None:
    assert outcome(9, ("later", 5, "change"), ("sooner", 3, "cancelled")) == "cancelled"


def test_what_is_no_plan_has_no_outcome() -> None:
    reader = cut(entries([distilled(event("home", said=1))]), SPACE, 10**18)
    row = reader.event("home")
    assert row is not None
    assert plan_status(row, Cut(reader, reader), DAY) is None
