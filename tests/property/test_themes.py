"""Themes are a function of the set of sessions: whatever the order, the revisions and the restarts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.sessions import SessionRevised
from streams.themes.stage import ThemesStage
from tests.kit.theming import ENCODER, Theming, defined, session

CONTENTS = [
    "the garden needs water and the roses need cutting",
    "roses and tulips in the garden",
    "the choir sings on Tuesday",
    "a new song for the choir",
    "garden songs for the choir and the roses",
    "my knee hurts",
]
SESSIONS = st.builds(
    lambda session_id, day, contents, revision: session(session_id, day, *contents, revision=revision),
    st.sampled_from(["s1", "s2", "s3", "s4", "s5"]),
    st.integers(1, 4),
    st.lists(st.sampled_from(CONTENTS), max_size=3),
    st.integers(1, 3),
)
RUNS = st.lists(SESSIONS, max_size=9)
BUDGET = settings(max_examples=80, deadline=None)


@BUDGET
@given(RUNS.flatmap(lambda records: st.tuples(st.just(records), st.permutations(records))))
def test_themes_equal_the_definition_in_every_order_of_arrival(
    orders: tuple[list[SessionRevised], list[SessionRevised]],
) -> None:
    expected = defined(orders[0])
    assert Theming().run(orders[0]).themes() == expected
    assert Theming().run(orders[1]).themes() == expected


@BUDGET
@given(RUNS, st.lists(st.booleans(), min_size=9, max_size=9))
def test_a_step_repeated_or_restarted_publishes_the_same(records: list[SessionRevised], lost: list[bool]) -> None:
    """A lost step ran, but neither its state nor its records were kept; it runs again, on another worker."""
    theming, undisturbed = Theming(), Theming()
    for offset, (record, was_lost) in enumerate(zip(records, lost, strict=False)):
        if was_lost:
            kept = theming.state.copy()
            theming.apply(record, offset)
            theming.state = kept
            theming.published = list(undisturbed.published)
        theming.apply(record, offset)
        if was_lost:
            theming.stage = ThemesStage(ENCODER)
        undisturbed.apply(record, offset)
        assert theming.published == undisturbed.published


@BUDGET
@given(RUNS)
def test_every_record_gets_its_own_theme_and_others_only_when_changed(records: list[SessionRevised]) -> None:
    theming = Theming()
    for offset, record in enumerate(records):
        before = theming.themes()
        out = theming.apply(record, offset)
        assert out[0].session_id == record.session_id
        assert {themed.revision for themed in out} == {offset + 1}
        assert {themed.covers for themed in out} == {record.covers}
        for themed in out[1:]:
            assert before.get(themed.session_id) != themed.theme_id
