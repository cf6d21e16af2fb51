"""A space that is held in memory shows what is stored, whatever is written to it, and whether or not that succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import SpaceKey
from tests.kit.encoders import HashingEncoder
from views.vectors import whole
from views.vectors.packed import Packed
from views.vectors.protocol import Point, PointKind
from views.vectors.sparse import document_vector
from views.vectors.whole import WholeSpaces

ENCODER = HashingEncoder(16)
HOME = SpaceKey("t", "home")
TEXTS = ("the red bicycle", "a quiet harbour", "seven green apples", "")
REFS = ("a", "b", "c", "d")

Stored = dict[str, Point]

writes = st.tuples(
    st.sampled_from(["set", "set", "delete", "clear"]),
    st.lists(st.tuples(st.sampled_from(REFS), st.sampled_from(TEXTS)), min_size=1, max_size=3),
    st.sampled_from(["done", "done", "half done", "not begun"]),
    st.sampled_from(["ask", "ask after", "wait"]),
)


def point(ref: str, text: str) -> Point:
    return Point(
        ref=ref, kind="note", conversation_id=f"c{ref}", at=0, dense=ENCODER.encode([text])[0],
        sparse=document_vector(text),
    )  # fmt: skip


class Store:
    """What is stored; a write may fail before, or half way."""

    def __init__(self) -> None:
        self.points: Stored = {}

    def count(self, space: SpaceKey, kind: PointKind) -> int:
        return len(self.points)

    def load(self, space: SpaceKey, kind: PointKind) -> Iterator[Point]:
        yield from list(self.points.values())

    def write(self, changes: list[tuple[str, Point | None]], how: str) -> None:
        done = {"done": len(changes), "half done": len(changes) // 2, "not begun": 0}[how]
        for ref, new in changes[:done]:
            self.points.pop(ref, None)
            if new is not None:
                self.points[ref] = new
        if how != "done":
            raise OSError(how)


def told(packed: Packed | None, limit: int = 3) -> object:
    if packed is None:
        return None
    query = ENCODER.encode(["the red harbour"])[0]
    return (
        packed.refs,
        packed.search_dense(query, limit, None),
        packed.search_sparse(document_vector(TEXTS[0]), 3, None),
    )


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "SMALL_POINTS", 3)


@settings(deadline=None, max_examples=200)
@given(st.lists(writes, max_size=8))
def test_what_is_held_is_what_is_stored(steps: list[tuple[str, list[tuple[str, str]], str, str]]) -> None:
    store = Store()
    spaces = WholeSpaces(store.count, store.load)
    for kind, items, how, asks in steps:
        if asks == "ask":
            spaces.of(HOME, "note")
        with suppress(OSError):
            if kind == "set":
                points = [point(ref, text) for ref, text in items]
                with spaces.writing(HOME, points):
                    store.write([(one.ref, one) for one in points], how)
            elif kind == "delete":
                with spaces.writing(HOME, gone=[("note", ref) for ref, _ in items]):
                    store.write([(ref, None) for ref, _ in items], how)
            else:
                with spaces.forgetting(HOME):
                    store.write([(ref, None) for ref in list(store.points)], how)
        if asks != "wait":
            fresh = Packed(store.points.values()) if len(store.points) <= 3 else None
            assert told(spaces.of(HOME, "note")) == told(fresh)


def test_what_is_read_during_a_write_is_not_kept() -> None:
    store = Store()
    spaces = WholeSpaces(store.count, store.load)
    with spaces.writing(HOME, [point("a", TEXTS[0])]):
        assert told(spaces.of(HOME, "note")) == told(Packed([]))
        store.write([("a", point("a", TEXTS[0]))], "done")
    assert told(spaces.of(HOME, "note")) == told(Packed(store.points.values()))


def test_two_writes_at_once_leave_nothing_of_one_alone() -> None:
    store = Store()
    spaces = WholeSpaces(store.count, store.load)
    spaces.of(HOME, "note")
    one, other = point("a", TEXTS[0]), point("b", TEXTS[1])
    with spaces.writing(HOME, [one]):
        with spaces.writing(HOME, [other]):
            store.write([("b", other)], "done")
        store.write([("a", one)], "done")
    assert told(spaces.of(HOME, "note")) == told(Packed([one, other]))


@given(st.permutations([(ref, text) for ref, text in zip(REFS, TEXTS, strict=True)]), st.integers(0, 5))
def test_scores_do_not_depend_on_the_order_of_points(items: list[tuple[str, str]], limit: int) -> None:
    points = [point(ref, text) for ref, text in items]
    assert told(Packed(points), limit) == told(Packed(sorted(points, key=lambda one: one.ref)), limit)
