"""The worked examples of the design, each through the definition and the incremental view alike."""

from __future__ import annotations

import pytest

from schemas.edges import Edge
from schemas.events import Anchor, Event
from schemas.record import Record
from tests.kit.records import DAY, distilled, edge, event, inferred
from tests.kit.viewing import interval, view
from views.rows import in_force, status_at, validity_at
from views.spec import View


def facts(events: list[Event], *edges: Edge, **more: Record) -> View:
    """Events and edges in one set each, and further records."""
    return view(distilled(*events), inferred(*edges), *more.values())


def holding(view: View, day: float) -> set[str]:
    """state(T) on a day."""
    return {name for name, row in view.events.items() if in_force(row, int(day * DAY))}


def recollection(day_from: int, day_until: int) -> Anchor:
    """An anchor in the past."""
    return Anchor(start=day_from * DAY, until=day_until * DAY, precision="day", phrase="then", resolution="relative")


def test_a_reported_move_ends_the_old_home_when_it_happened_even_for_what_was_said_later() -> None:
    """Said on day 9 "lives in Paris", on day 10 "moved to Berlin on day 3": Paris ends on day 3."""
    seen = facts(
        [event("paris", said=9), event("berlin", said=10, valid_from=3 * DAY)],
        edge("berlin", "updates", "paris", "change"),
    )
    assert seen.events["paris"].valid_until == 3 * DAY
    assert holding(seen, 9.5) == {"berlin"}


def test_there_and_back_again_gives_three_intervals() -> None:
    """A → B → A is three statements, the middle one bounded on both sides."""
    seen = facts(
        [event("a", said=1), event("b", said=4), event("a2", said=8)],
        edge("b", "updates", "a", "change"),
        edge("a2", "updates", "b", "change"),
        edge("a2", "updates", "a", "change"),
    )
    assert [interval(seen, n) for n in ("a", "b", "a2")] == [(1, 4), (4, 8), (8, None)]


def test_withdrawing_the_middle_of_a_chain_leaves_the_rest_right() -> None:
    """B taken out of A → B → C: A lasts until C."""
    chain = (
        edge("b", "updates", "a", "change"),
        edge("c", "updates", "b", "change"),
        edge("c", "updates", "a", "change"),
    )
    events = [event("a", said=1), event("b", said=4), event("c", said=8)]
    before = facts(events, *chain)
    after = view(distilled(*events), distilled(events[0], events[2], revision=4), inferred(*chain))
    assert interval(before, "a") == (1, 4)
    assert interval(after, "a") == (1, 8)
    assert "b" not in after.events


def test_a_correction_empties_the_old_interval_and_takes_over_its_start() -> None:
    """Said on day 1 "the 12th", on day 20 "never the 12th, the 14th": it was the 14th all along."""
    seen = facts([event("the 12th", said=1), event("the 14th", said=20)],
                 edge("the 14th", "updates", "the 12th", "correction"))  # fmt: skip
    assert interval(seen, "the 12th") == (1, 1)
    assert interval(seen, "the 14th") == (1, None)
    assert seen.events["the 12th"].corrected
    assert holding(seen, 15) == {"the 14th"}
    assert status_at(seen.events["the 12th"], 15 * DAY) == "corrected"


def test_a_correction_of_a_correction_restores_the_first() -> None:
    """The 12th, no the 14th, no it was the 12th after all (said as taking the 14th back)."""
    seen = facts(
        [event("first", said=1), event("second", said=5), event("third", said=9)],
        edge("second", "updates", "first", "correction"),
        edge("third", "updates", "second", "correction"),
    )
    assert interval(seen, "first") == (1, None)
    assert not seen.events["first"].corrected
    assert seen.events["first"].superseders == ()
    assert interval(seen, "second") == (1, 1)
    assert interval(seen, "third") == (1, None)


def test_a_corrected_update_no_longer_supersedes() -> None:
    """ "Moved to Berlin", then "I never moved, I made that up": the old home holds again."""
    seen = facts(
        [event("paris", said=1), event("berlin", said=4), event("made up", said=6)],
        edge("berlin", "updates", "paris", "change"),
        edge("made up", "updates", "berlin", "withdrawn"),
    )
    assert interval(seen, "paris") == (1, None)
    assert seen.events["berlin"].corrected
    assert holding(seen, 7) == {"paris"}, "a withdrawal is never itself served"
    assert status_at(seen.events["made up"], 7 * DAY) == "withdrawn"


def test_an_announced_change_leaves_todays_truth_until_its_date() -> None:
    """Said on day 5: "from day 9 I work at Y"."""
    seen = facts([event("x", said=1), event("y", said=5, valid_from=9 * DAY)], edge("y", "updates", "x", "change"))
    assert holding(seen, 6) == {"x"}
    assert status_at(seen.events["y"], 6 * DAY) == "not_yet"
    assert holding(seen, 9) == {"y"}, "at the very instant of a change the new value holds"


def test_a_recollection_retires_nobody() -> None:
    """ "In day 2 I moved to Rome" said on day 9 does not end what was said on day 5."""
    rome = event("rome", said=9, holds=False, valid_from=2 * DAY, ends_at=3 * DAY, anchor=recollection(2, 3))
    seen = facts([event("oslo", said=5), rome], edge("rome", "updates", "oslo", "change"))
    assert interval(seen, "oslo") == (5, None)
    updates = edge("rome", "updates", "oslo")
    assert not seen.edges[updates.id].effective


def test_a_late_old_statement_never_supersedes_a_newer_one() -> None:
    """A backfilled edge that runs backwards is kept, counted and changes nothing."""
    seen = facts([event("old", said=2), event("new", said=8)], edge("old", "updates", "new", "change"))
    assert interval(seen, "new") == (8, None)
    assert len(seen.edges) == 1


def test_a_cycle_of_changes_closes_only_forward() -> None:
    """Two statements that update each other: only the newer one counts."""
    seen = facts(
        [event("a", said=1), event("b", said=4)],
        edge("a", "updates", "b", "change"),
        edge("b", "updates", "a", "change"),
    )
    assert (interval(seen, "a"), interval(seen, "b")) == ((1, 4), (4, None))


def test_equal_times_are_ordered_by_message_then_id() -> None:
    """Two statements of one instant: exactly one direction is effective."""
    both = [event("a", said=1), event("b", said=1)]
    seen = facts(both, edge("a", "updates", "b", "change"), edge("b", "updates", "a", "change"))
    assert [r.effective for r in seen.edges.values()].count(True) == 1


def test_a_plan_supersedes_no_fact() -> None:
    """ "I plan to move" leaves the home; "moved" ends it."""
    seen = facts(
        [event("home", said=1), event("plan", said=3, modality="planned")], edge("plan", "updates", "home", "change")
    )
    assert interval(seen, "home") == (1, None)


@pytest.mark.parametrize(("kind", "v"), [("change", 0.5), ("cancelled", 0.5), ("done", 1.0)])
def test_a_superseded_cause_puts_its_consequence_in_doubt_unless_it_was_done(kind: str, v: float) -> None:
    """One hop of propagation: half validity from the moment the cause ends."""
    seen = facts(
        [event("plan", said=1, modality="planned"), event("packed", said=2), event("news", said=5)],
        edge("plan", "causes", "packed"),
        edge("news", "updates", "plan", kind),
    )
    assert validity_at(seen.events["packed"], 6 * DAY) == v
    assert validity_at(seen.events["packed"], 4 * DAY) == 1.0


def test_eq_12_invalidates_causal_edges_on_either_side_of_a_superseded_event() -> None:
    """causes and prevents, not enables; from the smaller of the two ends."""
    seen = facts(
        [event("a", said=1), event("b", said=2), event("c", said=3), event("new", said=7)],
        edge("a", "causes", "b"),
        edge("c", "prevents", "a"),
        edge("a", "enables", "c"),
        edge("new", "updates", "a", "change"),
    )
    by_relation = {row.edge.relation: row.invalid_from for row in seen.edges.values()}
    assert by_relation == {"causes": 7 * DAY, "prevents": 7 * DAY, "enables": None, "updates": None}


def test_contradicting_statements_both_stay_and_name_each_other() -> None:
    """Scores unchanged, both shown."""
    seen = facts([event("a", said=1), event("b", said=2)], edge("b", "contradicts", "a"))
    assert seen.events["a"].contradicts == ("b",)
    assert seen.events["b"].contradicts == ("a",)
    assert {validity_at(row, 9 * DAY) for row in seen.events.values()} == {1.0}


def test_a_plan_past_its_expected_end_has_lapsed_and_keeps_its_score() -> None:
    """Served as "outcome unknown", not as upcoming."""
    seen = facts([event("trip", said=1, modality="planned", type="plan", expected_until=4 * DAY)])
    assert status_at(seen.events["trip"], 3 * DAY) == "valid"
    assert status_at(seen.events["trip"], 4 * DAY) == "lapsed"
    assert validity_at(seen.events["trip"], 4 * DAY) == 1.0


def test_an_end_that_was_said_is_no_supersession() -> None:
    """ "Until day 6": ended, and nothing that it causes is put in doubt."""
    seen = facts([event("job", said=1, ends_at=6 * DAY), event("rent", said=2)], edge("job", "causes", "rent"))
    assert status_at(seen.events["job"], 6 * DAY) == "ended"
    assert validity_at(seen.events["rent"], 8 * DAY) == 1.0


def test_what_is_told_as_past_has_ended_when_it_was_told() -> None:
    """ "I used to play the cello" is never state; "until 2018" ends in 2018."""
    seen = facts([event("cello", said=5, holds=False), event("rome", said=9, holds=False, valid_from=2 * DAY)])
    assert holding(seen, 7) == {"rome"}
    assert status_at(seen.events["cello"], 6 * DAY) == "ended"
    assert interval(seen, "rome") == (2, 9)
