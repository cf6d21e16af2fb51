"""Builds another generation of a node's view from the log, beside the one that is served, and proves it before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from schemas.ids import SpaceKey
from streams.log.database import Database
from views.checksum import checksum, first_difference
from views.maintain import VIEW_TOPICS, Maintainer
from views.origin import ORIGIN_KEY, VIEW_FORMAT, Origin
from views.outgoing import Place
from views.snapshot import read_space
from views.source import Source
from views.store import RocksTables
from views.worker import Worker

from .marks import FAMILIES, MarkedTables
from .spaces import all_spaces


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The former view against the one made anew, of exactly the same records.

    Attributes:
        spaces: how many were compared.
        differing: names of those that differ, with the first difference.
    """

    spaces: int
    differing: tuple[tuple[str, str], ...]


class Former:
    """The view that is served, as of now: opened for reading beside the node that writes it."""

    def __init__(self, directory: Path) -> None:
        self._database = Database(directory / "view", families=FAMILIES, read_only=True)
        self._tables = RocksTables(self._database)
        self.maintainer = Maintainer(self._tables)

    def positions(self) -> Mapping[Place, int] | None:
        """Up to where it was folded; None of a view in another layout, with which nothing can be compared."""
        raw = self._tables.get("positions", ORIGIN_KEY)
        origin = None if raw is None else msgspec.msgpack.decode(raw, type=Origin)
        if origin is None or origin.format != VIEW_FORMAT:
            return None
        return {(t, p): self.maintainer.position(t, p) for t in VIEW_TOPICS for p in range(origin.partitions)}

    def spaces(self) -> Iterator[SpaceKey]:
        """Those it holds."""
        return all_spaces(self._database)

    def close(self) -> None:
        """Let go of it."""
        self._database.close()


async def build(
    directory: Path,
    source: Source,
    *,
    former: Former | None,
    marking: bool,
    clock: Callable[[], int],
    stop: asyncio.Event,
    told: Callable[[str], None],
) -> Compared | None:
    """Fold the log from its beginning into a new directory: first exactly what the former view holds, then the rest.

    Args:
        directory: of the new generation; it must not be there.
        source: the log; it must not emit.
        former: what to compare with.
        marking: whether the node keeps an index of its own, which is then made anew too.
        clock: microseconds UTC.
        stop: set it to give up; the directory is then of no use.
        told: progress, for people.

    Returns:
        The comparison; None where there was nothing to compare with.

    Raises:
        ViewRefusedError, KafkaError: see ``Worker.run``.
    """
    database = Database(directory / "view", families=FAMILIES, read_only=False)
    tables = MarkedTables(database, marking=marking)
    try:
        worker = Worker(tables, source, clock=clock, observe=lambda _: None)
        until = None if former is None else former.positions()
        compared = None
        if former is not None and until is not None:
            await worker.run(stop, until=until, ready=lambda n: told(f"folding {n} records, as the served view has"))
            if not stop.is_set():
                compared = _compare(former, worker.maintainer)
        await worker.run(stop, until_end=True, ready=lambda n: told(f"folding {n} more"))
        return compared
    finally:
        tables.close()


def _compare(former: Former, made: Maintainer) -> Compared:
    differing: list[tuple[str, str]] = []
    count = 0
    for space in former.spaces():
        count += 1
        old, new = read_space(former.maintainer, space).view, read_space(made, space).view
        if checksum(old) != checksum(new):
            differing.append((str(space), first_difference(new, old) or "rows are stored otherwise"))
    return Compared(spaces=count, differing=tuple(sorted(differing)))
