"""The incremental view is its definition: after every prefix, in every order, with every duplicate."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.entry import Entry
from schemas.record import Record
from tests.kit.records import SPACE, entries, streams_of_records
from views.spec import View, recompute
from views.state import ViewState, space_prefix
from views.tables import MemoryTables
from views.validity import apply

BUDGET = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def view_of(state: ViewState) -> View:
    """The rows the incremental state holds."""
    prefix = space_prefix(SPACE)
    cut = len(prefix)
    events = {k[cut:].decode(): c.row for k, c in state.events.scan(prefix) if c.row is not None}
    edges = {k[cut:].decode(): c.row for k, c in state.edges.scan(prefix) if c.row is not None}
    return View(events=events, edges=edges)


def fold(log: list[Entry]) -> View:
    """Apply records one by one, committing each."""
    tables = MemoryTables()
    state = ViewState(tables)
    for entry in log:
        apply(state, entry)
        tables.commit(state.drain())
    state.forget()
    return view_of(state)


@BUDGET
@given(streams_of_records())
def test_incremental_equals_definition_after_every_prefix(records: list[Record]) -> None:
    """One by one, with commits in between, each prefix gives exactly the recomputed view."""
    log = entries(records)
    tables = MemoryTables()
    state = ViewState(tables)
    for length, entry in enumerate(log, start=1):
        apply(state, entry)
        tables.commit(state.drain())
        if length % 3 == 0:
            state.forget()
        assert view_of(state) == recompute(log[:length])


@BUDGET
@given(streams_of_records(), st.integers(0, 2**32))
def test_arrival_order_and_duplicates_change_nothing(records: list[Record], seed: int) -> None:
    """The same records in any order, some of them twice, end in the same view."""
    log = entries(records)
    shuffled = log + log[: len(log) // 2]
    random.Random(seed).shuffle(shuffled)
    assert fold(shuffled) == fold(log)


@BUDGET
@given(streams_of_records())
def test_deltas_add_up_to_the_view(records: list[Record]) -> None:
    """Replaying only the deltas tells which events and edges are live, and their validity."""
    from schemas.deltas import EventChanged
    from views.deltas import validity_of

    state = ViewState(MemoryTables())
    live: dict[str, object] = {}
    edges: dict[str, int | None] = {}
    for entry in entries(records):
        for delta in apply(state, entry):
            if isinstance(delta, EventChanged):
                assert live.get(delta.event_id) == delta.old
                live[delta.event_id] = delta.new
            else:
                assert (delta.edge_id in edges) == delta.was_live
                edges.pop(delta.edge_id, None)
                if delta.live:
                    edges[delta.edge_id] = delta.invalid_from
    view = view_of(state)
    assert {i: v for i, v in live.items() if v is not None} == {i: validity_of(r) for i, r in view.events.items()}
    assert edges == {i: r.invalid_from for i, r in view.edges.items()}
