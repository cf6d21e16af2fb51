"""The view of a few records, by definition and incrementally, in every order of arrival: they must be equal."""

from __future__ import annotations

from itertools import permutations

from schemas.record import Record
from tests.kit.records import DAY, SPACE, entries
from views.spec import View, recompute
from views.state import ViewState, space_prefix
from views.tables import MemoryTables
from views.validity import apply


def view(*records: Record) -> View:
    """The view by definition; every order of arrival must give the same incrementally."""
    log = entries(list(records))
    expected = recompute(log)
    prefix = space_prefix(SPACE)
    for order in permutations(log):
        state = ViewState(MemoryTables())
        for entry in order:
            apply(state, entry)
        events = {k[len(prefix) :].decode(): c.row for k, c in state.events.scan(prefix) if c.row is not None}
        edges = {k[len(prefix) :].decode(): c.row for k, c in state.edges.scan(prefix) if c.row is not None}
        assert View(events=events, edges=edges) == expected
    return expected


def interval(view: View, name: str) -> tuple[int | None, int | None]:
    """[valid_from, valid_until) in days."""
    row = view.events[name]
    return row.valid_from // DAY, None if row.valid_until is None else row.valid_until // DAY
