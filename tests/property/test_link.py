"""Edges are a function of the final set of live event sets: whatever the order, the redeliveries and the restarts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.edges import EdgesInferred
from schemas.events import EventsAsserted, EventsDistilled
from schemas.record import Record
from streams.link.stage import session_of
from tests.kit.linking import (
    Linking,
    activated,
    asserted,
    defined,
    distilled,
    entries,
    lives,
    merged,
    plan,
    split,
    statement,
)

SAID = [
    lives("Aldin", 1),
    lives("Borva", 2),
    lives("Corso", 3),
    lives("Aldin", 4),
    lives("Aldin", 4, participants=("Ann", "Ben")),
    lives("Borva", 6, speaker="Ben"),
    statement("I no longer live in Borva", 5, attribute="home", value="Borva", polarity="negated"),
    statement("So I quit the choir in Borva", 5, message_id="m5b"),
    statement("I sing in the choir in Borva", 2, message_id="m2b"),
    statement("I was joking", 3, message_id="m3b"),
    statement("Ben has a parrot called Kiri", 3, subject="Ben", participants=("Ben",), about=1),
    plan("I am going to visit the lighthouse", 2, message_id="m2c", about=5),
    statement("I visited the lighthouse", 6, type="action", message_id="m6b", about=5),
    plan("The lighthouse visit is cancelled", 4, message_id="m4b", about=5),
    statement("Correction: I live in Delft", 5, attribute="home", value="Delft", message_id="m5c"),
    statement("I mistyped", 6, polarity="negated", message_id="m6d"),
    statement("I moved here as a child", 6, holds=False, message_id="m6c", about=0),
]
KNOWN = [
    lives("Delft", 2, id="a1", sources=()),
    lives("Corso", 5, id="a2", sources=()),
    statement("I sing in the choir", 4, id="a3"),
]

SETS = st.lists(st.sampled_from(SAID), max_size=4, unique_by=lambda event: event.id)
BATCHES = st.lists(st.sampled_from(KNOWN), max_size=2, unique_by=lambda event: event.id)
REVISIONS = st.integers(1, 3)
RECORDS = st.one_of(
    st.builds(
        lambda events, session, producer, revision: distilled(
            *events, session=session, producer=producer, revision=revision
        ),
        SETS,
        st.sampled_from(["s1", "s2", "s3"]),
        st.sampled_from(["p1", "p2"]),
        REVISIONS,
    ),
    st.builds(
        lambda events, batch, producer, revision: asserted(*events, batch=batch, producer=producer, revision=revision),
        BATCHES,
        st.sampled_from(["b1", "b2"]),
        st.sampled_from(["api", "crm"]),
        REVISIONS,
    ),
    st.builds(
        activated,
        st.sampled_from(["p1", "p2", "p3"]),
        st.sampled_from([None, "p1"]),
        st.integers(1, 3),
        st.sampled_from(["distil", "distil", "link"]),
    ),
    st.builds(merged, st.sampled_from(["Ben", "Ann", "Cy"]), st.sampled_from(["Ann", "cy"]), st.integers(1, 3)),
    st.builds(split, st.sampled_from(["ben", "Ann"]), st.integers(1, 3)),
)
BUDGET = settings(max_examples=200, deadline=None)


@BUDGET
@given(st.lists(RECORDS, max_size=8).flatmap(lambda records: st.tuples(st.just(records), st.permutations(records))))
def test_edges_equal_the_definition_in_every_order_of_arrival(orders: tuple[list[Record], list[Record]]) -> None:
    given_order, other_order = orders
    expected = defined(given_order)
    assert Linking().run(given_order).edges() == expected
    assert Linking().run(other_order).edges() == expected


@BUDGET
@given(st.lists(RECORDS, max_size=8))
def test_edges_equal_the_definition_after_every_prefix(records: list[Record]) -> None:
    linking = Linking()
    for end, entry in enumerate(entries(records), start=1):
        linking.apply(entry)
        assert linking.edges() == defined(records[:end])


@BUDGET
@given(st.lists(RECORDS, max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_a_step_repeated_or_restarted_publishes_the_same(records: list[Record], lost: list[bool]) -> None:
    """A lost step ran, but neither its state nor its records were kept; it runs again, on another worker."""
    linking, undisturbed = Linking(), Linking()
    for entry, was_lost in zip(entries(records), lost, strict=False):
        if was_lost:
            kept = linking.state.copy()
            attempt = [output.record for output in linking.stage.apply(entry, linking.state, now=0)]
            linking.state = kept
            assert attempt == linking.apply(entry)
            linking.stage = linking.restarted()
        else:
            linking.apply(entry)
        undisturbed.apply(entry)
    assert linking.published == undisturbed.published


@BUDGET
@given(st.lists(RECORDS, max_size=6))
def test_every_record_of_events_gets_exactly_one_set_of_its_session_with_a_growing_revision(
    records: list[Record],
) -> None:
    linking = Linking()
    last = 0
    for entry in entries(records):
        sets = [record for record in linking.apply(entry) if isinstance(record, EdgesInferred)]
        names = [record.session_id for record in sets]
        assert len(names) == len(set(names))
        assert len({record.revision for record in sets}) <= 1
        if isinstance(entry.record, EventsDistilled | EventsAsserted):
            assert names[0] == session_of(entry.record)
            assert sets[0].covers == (entry.record.covers if isinstance(entry.record, EventsDistilled) else 0)
        if sets:
            assert sets[0].revision > last
            last = sets[0].revision
