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
PEOPLE = [("Ann",), ("Ann", "Ben"), ("Ben",), ("Ann", "Cy", "Di"), ()]
SUBJECTS = ["Ann", "ann", "Ben", "Ann's boat", "Ben's boat", None]
KINDS = [lambda _, day, **changes: lives("Aldin", day, **changes), plan, statement]

SAID = st.tuples(
    st.integers(0, 99), *map(st.sampled_from, (
        [0, 1, 2, 9, 40, 500], ["m1", "m2"], SUBJECTS, PEOPLE, ["Ann", "Ben", None], TEXTS, KINDS,
        [None, None, None, "crm"],
    )),
)  # fmt: skip


def in_order(said: list[tuple[Any, ...]]) -> list[Row]:
    """Rows in stated order."""
    made: dict[str, Row] = {}
    for number, (name, day, message, subject, people, speaker, text, kind, producer) in enumerate(said):
        event = kind(
            text, day, id=f"e{name:02d}-{number}", message_id=message, subject=subject, participants=people,
            speaker=speaker,
        )  # fmt: skip
        made[event.id] = row(event, producer)
    return sorted(made.values(), key=lambda one: one.order)


ROWS = st.lists(SAID, min_size=1, max_size=12).map(in_order)
"""Few words, people and days, so that ties and repetitions are common."""


@settings(max_examples=300, deadline=None)
@given(ROWS)
def test_candidates_are_those_of_the_definition(rows: list[Row]) -> None:
    index = GateIndex(rows)
    for place, newer in enumerate(rows):
        assert index.choose(newer, place) == choose(newer, rows[:place])


@settings(max_examples=300, deadline=None)
@given(ROWS, ROWS)
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
