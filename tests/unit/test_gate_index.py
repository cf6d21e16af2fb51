"""The gate over many statements equals the gate pair by pair."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from streams.candidates import ATTRIBUTE_CAP, CAP, Row, choose, passes
from streams.gate_index import GateIndex
from tests.kit.linking import lives, plan, row, statement

TEXTS = [
    "I bought a trombone", "the trombone was sold", "I am going to visit the lighthouse next week", "my boat leaks",
    "We visited the lighthouse on the cape", "thanks, that's great", "the trombone and the lighthouse and the boat",
]  # fmt: skip
PEOPLE = st.sampled_from([("Ann",), ("Ann", "Ben"), ("Ben",), ("Ann", "Cy", "Di"), ()])
SUBJECTS = st.sampled_from(["Ann", "ann", "Ben", "Ann's boat", "Ben's boat", None])


@st.composite
def rows_(draw: st.DrawFn) -> list[Row]:
    """Statements in stated order; few words, people and days, so that ties and repetitions are common."""
    made: dict[str, Row] = {}
    for number in range(draw(st.integers(1, 12))):
        day = draw(st.sampled_from([0, 1, 2, 9, 40, 500]))
        changes: dict[str, Any] = {
            "id": f"e{draw(st.integers(0, 99)):02d}-{number}",
            "message_id": draw(st.sampled_from(["m1", "m2"])),
            "subject": draw(SUBJECTS),
            "participants": draw(PEOPLE),
            "speaker": draw(st.sampled_from(["Ann", "Ben", None])),
        }
        text = draw(st.sampled_from(TEXTS))
        events = [lives("Aldin", day, **changes), plan(text, day, **changes), statement(text, day, **changes)]
        one = row(draw(st.sampled_from(events)), draw(st.sampled_from([None, None, None, "crm"])))
        made[one.event.id] = one
    return sorted(made.values(), key=lambda one: one.order)


@settings(max_examples=300, deadline=None)
@given(rows_())
def test_candidates_are_those_of_the_definition(rows: list[Row]) -> None:
    index = GateIndex(rows)
    for place, newer in enumerate(rows):
        assert index.choose(newer, place) == choose(newer, rows[:place])


@settings(max_examples=300, deadline=None)
@given(rows_(), rows_())
def test_what_passes_is_what_passes_pair_by_pair(rows: list[Row], others: list[Row]) -> None:
    index = GateIndex(rows)
    for one in (*rows, *others):
        for start in (0, len(rows) // 2, len(rows)):
            found = [id(other) for other in index.passing(one, start)]
            assert found == [id(other) for other in rows[start:] if passes(other, one)]


def test_both_caps_cut_as_in_the_definition() -> None:
    homes = [row(lives(f"Aldin {day}", day)) for day in range(ATTRIBUTE_CAP + 5)]
    songs = [row(statement(f"the trombone number {day} sings in Aldin", 100 + day)) for day in range(CAP + 5)]
    newer = row(lives("Aldin with a trombone", 999))
    chosen = GateIndex([*homes, *songs]).choose(newer, len(homes) + len(songs))
    assert chosen == choose(newer, [*songs, *homes])
    assert chosen.left_out == 10


def test_nothing_is_chosen_where_nothing_was_said_before() -> None:
    assert GateIndex([]).choose(row(lives("Aldin", 1)), 0).candidates == ()
    assert GateIndex([]).passing(row(lives("Aldin", 1)), 0) == []
