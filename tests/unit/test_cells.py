"""Cells: what is cached, what is forgotten, which former versions are kept; and the ranges a clock remembers."""

from __future__ import annotations

import pytest

import views.cells
import views.working
from views.cells import Cells, Moment, plain
from views.held import prefix_of
from views.moments import MOST_RANGES, SpaceClock, is_exact, with_range
from views.stored import EVENTS
from views.tables import MemoryTables
from views.versions import Versions
from views.working import Working

PREFIX = prefix_of("t", "s")


def key(name: str) -> bytes:
    return PREFIX + name.encode()


def test_an_uncommitted_cell_outlives_any_number_of_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache forgets what is not used; what is not stored yet must not be among it."""
    monkeypatch.setattr(views.cells, "CACHED_BYTES", 2_000)
    tables = MemoryTables()
    cells = Cells(tables, "pending", plain(int), 0)
    cells.put(key("new"), 7)
    for n in range(100):
        assert cells.get(key(f"absent {n}")) == 0
    assert cells.get(key("new")) == 7
    assert list(cells.scan(PREFIX)) == [(key("new"), 7)]
    tables.commit(cells.drain())
    assert Cells(tables, "pending", plain(int), 0).get(key("new")) == 7


def test_a_version_is_kept_once_for_each_time_a_value_was_true() -> None:
    tables, moment = MemoryTables(), Moment()
    versions = Versions(tables)
    cells = Cells(tables, "themes", plain(int), 0, moment=moment, versions=versions)
    for at, value in ((1, 10), (1, 11), (3, 12), (3, 13), (5, 0), (7, 14), (7, 0)):
        moment.at = at
        cells.put(key("a"), value)
    tables.commit([*cells.drain(), *versions.drain()])
    found = [(v.since, v.until, plain(int).decode(v.raw)[1]) for v in versions.scan(PREFIX, -1)]
    assert found == [(1, 3, 11), (3, 5, 13)]
    assert [v.until for v in versions.scan(PREFIX, 3)] == [5]
    assert cells.get(key("a")) == 0


def test_what_a_read_does_not_show_makes_no_version() -> None:
    tables, moment = MemoryTables(), Moment()
    versions = Versions(tables)
    shown = "same"
    cells = Cells(
        tables,
        "events",
        plain(tuple[str, int]),
        ("", 0),
        moment=moment,
        versions=versions,
        shown=lambda c: c[0] or None,
    )
    for at in (1, 2, 3):
        moment.at = at
        cells.put(key("a"), (shown, at))
    tables.commit([*cells.drain(), *versions.drain()])
    assert list(versions.scan(PREFIX, -1)) == []
    assert plain(tuple[str, int]).decode(tables.get("events", key("a")) or b"") == (1, ("same", 3))


def test_a_cell_that_was_emptied_has_no_past_when_it_comes_again() -> None:
    tables = MemoryTables()
    cells = Working(tables, "events", EVENTS)
    cell = cells.get(key("a"))
    for since, ruled in ((4, ("r",)), (5, ())):
        cells.changing(cell)
        cell.since, cell.ruled = since, ruled
        tables.commit(cells.drain())
    assert tables.get("events", key("a")) is None
    assert cells.get(key("a")).since == 0
    cells.changing(cell)
    cell.since = 6
    cells.clear(PREFIX)
    assert cells.get(key("a")).since == 0


def test_a_changed_cell_outlives_any_number_of_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views.working, "CACHED_BYTES", 2_000)
    cells = Working(MemoryTables(), "events", EVENTS)
    cell = cells.get(key("new"))
    for n in range(100):
        cells.get(key(f"absent {n}"))
    cells.changing(cell)
    cell.ruled = ("r",)
    for n in range(100):
        cells.get(key(f"absent {n}"))
    assert cells.get(key("new")) is cell
    assert list(cells.scan(PREFIX)) == [(key("new"), cell)]


def test_ranges_join_where_they_meet_and_where_they_become_too_many() -> None:
    assert with_range(((1, 3), (8, 9)), 3, 5) == ((1, 5), (8, 9))
    assert with_range(((1, 3), (8, 9)), 2, 8) == ((1, 9),)
    many: tuple[tuple[int, int], ...] = ()
    for n in range(MOST_RANGES + 1):
        many = with_range(many, n * 100 - (n == 5) * 50, n * 100 + 1)
    assert len(many) == MOST_RANGES
    assert (400, 501) in many
    clock = SpaceClock((0, 0, 0, 0), many)
    assert not is_exact(clock, 450)
    assert is_exact(clock, 550)
