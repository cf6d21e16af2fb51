"""Small spaces held whole in memory, for an index that has one writer, this process.

Whether a space is small is a matter of its points alone, never of what is in memory: answers do not depend on it.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager

import msgspec

from schemas.ids import SpaceKey

from .packed import Packed
from .protocol import Point, PointKind

SMALL_POINTS = 4_096
"""Of a space and kind; past it the engine's own search is as fast."""

POINTS_KEPT = 20_000
"""Of all that is held, about 150 MB at 384 dimensions; what was not asked for longest goes first."""

_KINDS: tuple[PointKind, ...] = ("note", "event")


class _Held(msgspec.Struct, kw_only=True):
    """Points by ref, None of a space that is not small; packed when they are asked for."""

    points: dict[str, Point] | None
    packed: Packed | None = None


class WholeSpaces:
    """Holds the spaces that are asked for, and follows what is written to them.

    Args:
        count: points of a space and kind, as stored.
        load: all of them, as they were written.
    """

    def __init__(
        self, count: Callable[[SpaceKey, PointKind], int], load: Callable[[SpaceKey, PointKind], Iterable[Point]]
    ) -> None:
        self._count = count
        self._load = load
        self._held: OrderedDict[tuple[SpaceKey, PointKind], _Held] = OrderedDict()
        self._writes: dict[SpaceKey, int] = {}
        self._under_way: Counter[SpaceKey] = Counter()
        self._lock = threading.Lock()

    def of(self, space: SpaceKey, kind: PointKind) -> Packed | None:
        """The space's points of a kind; None where there are more than ``SMALL_POINTS``."""
        with self._lock:
            held, write = self._held.get((space, kind)), self._writes.get(space, 0)
            is_quiet = not self._under_way[space]
            if held is not None:
                self._held.move_to_end((space, kind))
                return _packed(held)
        is_small = self._count(space, kind) <= SMALL_POINTS
        made = _Held(points={point.ref: point for point in self._load(space, kind)} if is_small else None)
        with self._lock:
            if is_quiet and self._writes.get(space, 0) == write:
                self._held[space, kind] = made
                self._make_room()
            return _packed(made)

    @contextmanager
    def writing(
        self, space: SpaceKey, points: Sequence[Point] = (), gone: Iterable[tuple[PointKind, str]] = ()
    ) -> Generator[None]:
        """Around a write. What is held changes with it if it was done; what is read meanwhile is not kept.

        Args:
            space: that is written to.
            points: to be set.
            gone: to be deleted.
        """
        with self._taken(space) as (write, held):
            yield
            with self._lock:
                if self._writes[space] != write:
                    return
                for point in points:
                    if (one := held.get(point.kind)) is not None:
                        one[point.ref] = point
                for kind, ref in gone:
                    if (one := held.get(kind)) is not None:
                        one.pop(ref, None)
                for kind, one in held.items():
                    if len(one) <= SMALL_POINTS:
                        self._held[space, kind] = _Held(points=one)
                self._make_room()

    @contextmanager
    def forgetting(self, space: SpaceKey) -> Generator[None]:
        """Around a write that may change anything of the space."""
        with self._taken(space):
            yield

    @contextmanager
    def _taken(self, space: SpaceKey) -> Generator[tuple[int, dict[PointKind, dict[str, Point]]]]:
        """What was held of a space, and is no more; with the number of the write that begins."""
        with self._lock:
            write = self._writes[space] = self._writes.get(space, 0) + 1
            self._under_way[space] += 1
            taken: dict[PointKind, dict[str, Point]] = {}
            for kind in _KINDS:
                held = self._held.pop((space, kind), None)
                if held is not None and held.points is not None:
                    taken[kind] = held.points
        try:
            yield write, taken
        finally:
            with self._lock:
                self._under_way[space] -= 1

    def _make_room(self) -> None:
        count = sum(len(held.points or ()) for held in self._held.values())
        while count > POINTS_KEPT and len(self._held) > 1:
            _, gone = self._held.popitem(last=False)
            count -= len(gone.points or ())


def _packed(held: _Held) -> Packed | None:
    if held.packed is None and held.points is not None:
        held.packed = Packed(held.points.values())
    return held.packed
