"""What any store of the view must do; memory and RocksDB are held to the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from streams.log.database import Database
from views.store import RocksTables, prefix_end
from views.tables import TABLES, MemoryTables, Tables

Open = Callable[[], Tables]


@pytest.fixture(params=["memory", "rocks"])
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tables]:
    """An empty store of either kind."""
    store: Tables
    if request.param == "memory":
        store = MemoryTables()
    else:
        store = RocksTables(Database(tmp_path / "view", families=TABLES, read_only=False))
    yield store
    store.close()


def test_what_was_committed_is_read_and_what_was_deleted_is_gone(tables: Tables) -> None:
    tables.commit([("events", b"a", b"1"), ("events", b"b", b"2")])
    tables.commit([("events", b"a", None), ("events", b"b", b"3")])
    assert tables.get("events", b"a") is None
    assert tables.get("events", b"b") == b"3"


def test_tables_are_apart(tables: Tables) -> None:
    tables.commit([("events", b"k", b"event"), ("edges", b"k", b"edge")])
    assert (tables.get("events", b"k"), tables.get("edges", b"k")) == (b"event", b"edge")


def test_the_last_write_of_a_key_in_a_commit_counts(tables: Tables) -> None:
    tables.commit([("events", b"k", b"1"), ("events", b"k", None), ("events", b"k", b"2"), ("edges", b"k", b"1"),
                   ("edges", b"k", None)])  # fmt: skip
    assert tables.get("events", b"k") == b"2"
    assert tables.get("edges", b"k") is None


def test_a_scan_gives_exactly_the_keys_of_a_prefix_in_order(tables: Tables) -> None:
    keys = [b"p", b"pa", b"p\xff", b"p\xff\xff", b"q", b"o\xff", b"\xff", b"\xff\xff"]
    tables.commit([("events", key, key[::-1]) for key in keys])
    assert [key for key, _ in tables.scan("events", b"p")] == [b"p", b"pa", b"p\xff", b"p\xff\xff"]
    assert [key for key, _ in tables.scan("events", b"\xff")] == [b"\xff", b"\xff\xff"]
    assert dict(tables.scan("events", b"p\xff")) == {b"p\xff": b"\xffp", b"p\xff\xff": b"\xff\xffp"}


def test_a_long_scan_is_whole(tables: Tables) -> None:
    tables.commit([("events", b"k%06d" % n, b"v") for n in range(5_000)])
    assert [key for key, _ in tables.scan("events", b"k")] == [b"k%06d" % n for n in range(5_000)]


def test_an_empty_commit_and_an_empty_value_are_fine(tables: Tables) -> None:
    tables.commit([])
    tables.commit([("events", b"k", b"")])
    assert tables.get("events", b"k") == b""


@pytest.mark.parametrize(("prefix", "end"), [(b"a", b"b"), (b"a\xff", b"b"), (b"a\xfe\xff\xff", b"a\xff")])
def test_the_end_of_a_prefix_is_the_smallest_key_above_it(prefix: bytes, end: bytes) -> None:
    assert prefix_end(prefix) == end


def test_a_store_is_as_it_was_left(tmp_path: Path) -> None:
    for expected in (None, b"1"):
        store = RocksTables(Database(tmp_path / "view", families=TABLES, read_only=False))
        assert store.get("positions", b"k") == expected
        store.commit([("positions", b"k", b"1")])
        store.close()
