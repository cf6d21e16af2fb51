"""All state of the validity view: its tables, their former versions, and the transaction time of the change in hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from schemas.edges import EdgeRecord
from schemas.events import EventRecord

from .cells import Cells, Moment, plain
from .held import UNHEARD, Control, RulingState, StoredSet, shown_message
from .held import MessageState as MessageState
from .held import message_part as message_part
from .held import space_prefix as space_prefix
from .moments import ROWS, TEXTS, Group, Ranges, SpaceClock, with_range
from .moved import Moved
from .stored import EDGES, EVENTS
from .tables import TableName, Tables, Write
from .versions import Versions
from .working import Working

if TYPE_CHECKING:
    from .touched import Touched


class Emptied(Protocol):
    """What a table of cells has, whatever its cells are."""

    @property
    def table(self) -> TableName: ...
    def unwritten(self, prefix: bytes) -> Iterator[bytes]: ...
    def drain(self) -> list[Write]: ...
    def clear(self, prefix: bytes) -> None: ...
    def forget(self) -> None: ...


class _Running:
    """A ``SpaceClock`` between two drains: it moves with every record."""

    __slots__ = ("inexact", "times")

    def __init__(self, times: list[int], inexact: Ranges) -> None:
        self.times = times
        self.inexact = inexact


class ViewState:
    """All cells of the validity view. Before a record changes any of them, ``reach`` its transaction time, or ``enter``
    it and ``blur`` what is not exact then.

    Args:
        tables: where it is stored.
        history: False keeps no former versions: of a view that is never asked about the past.

    ``moments``: by group, the time of the change in hand, for tables with history that are kept elsewhere. ``rows``:
    that of events and edges, whose versions are kept by ``touched``. ``moved``: when each of those was changed last,
    None without history. ``last_sets``: records of stored sets, by the
    cell's key, with the bytes they were read from (``sets``). ``touched``: by space, what records touched since the
    last drain.
    """

    def __init__(self, tables: Tables, *, history: bool = True) -> None:
        self.versions = versions = Versions(tables)
        self.moments = tuple(Moment() if history else None for _ in range(4))
        texts = self.moments[TEXTS]
        self.rows = rows = self.moments[ROWS]
        self.moved = Moved() if history else None
        self.events = Working(tables, "events", EVENTS)
        self.edges = Working(tables, "edges", EDGES)
        self.sets: Cells[tuple[StoredSet, ...]] = Cells(
            tables, "sets", plain(tuple[StoredSet, ...]), (), moment=rows, versions=versions
        )
        self.messages = Cells(
            tables, "messages", plain(MessageState), UNHEARD, moment=texts, versions=versions, shown=shown_message
        )
        self.control = Cells(tables, "control", plain(Control), Control(), moment=rows, versions=versions)
        self.rulings = Cells(tables, "rulings", plain(RulingState), RulingState())
        self.pending: Cells[int] = Cells(tables, "pending", plain(int), 0)
        self.clocks = Cells(tables, "clocks", plain(SpaceClock), SpaceClock())
        self.last_sets: dict[bytes, tuple[bytes, EventRecord | EdgeRecord]] = {}
        self.touched: dict[bytes, Touched] = {}
        self._running: dict[bytes, _Running] = {}

    def reach(self, prefix: bytes, time: int, group: Group = ROWS, *, after: Group | None = None) -> None:
        """From here on a kind of record changes cells at this transaction time, or at the newest the space has seen.

        Args:
            prefix: the space.
            time: the record's transaction time, microseconds UTC.
            group: which tables it is about to change.
            after: another group whose records it depends on as well.
        """
        newest = self.enter(prefix, time, group, after=after)
        if newest > time:
            self.blur(prefix, time, newest)
            moment = self.moments[group]
            assert moment is not None, "nothing is late where no history is kept"
            moment.at = newest

    def ruling(self, prefix: bytes, time: int) -> None:
        """The same for an analyst's ruling, which is remembered apart (``moved``)."""
        self.reach(prefix, time)
        if self.moved is not None and self.rows is not None:
            self.moved.ruled(prefix, self.rows.at)

    def enter(self, prefix: bytes, time: int, group: Group = ROWS, *, after: Group | None = None) -> int:
        """The same, but at this transaction time in any case.

        Returns:
            The newest time the space has seen. Where that is later, what was true in between is told right only of
            cells that did not change meanwhile; whoever cannot say that there are no others has to ``blur`` it.
        """
        moment = self.moments[group]
        if moment is None:
            return 0
        clock = self._running.get(prefix)
        if clock is None:
            stored = self.clocks.get(prefix)
            clock = self._running[prefix] = _Running(list(stored.times), stored.inexact)
            assert self.moved is not None, "kept where history is"
            self.moved.watch(prefix, stored.times[ROWS])
        times = clock.times
        newest = times[group] if after is None else max(times[group], times[after])
        moment.at = time
        times[group] = max(time, newest)
        return newest

    def blur(self, prefix: bytes, start: int, end: int) -> None:
        """The history of a space does not tell what was true in ``[start, end)``; called after ``enter``."""
        clock = self._running[prefix]
        clock.inexact = with_range(clock.inexact, start, end)

    def cells(self) -> tuple[Emptied, ...]:
        """Every table with rows of spaces, in a fixed order."""
        return (
            self.events, self.edges, self.sets, self.messages, self.control, self.clocks, self.rulings, self.pending,
        )  # fmt: skip

    def drain(self) -> list[Write]:
        """Writes of all tables since the last drain."""
        for prefix, clock in self._running.items():
            self.clocks.put(prefix, SpaceClock(tuple(clock.times), clock.inexact))
        self._running.clear()
        self.touched.clear()
        if self.moved is not None:
            self.moved.age()
        writes: list[Write] = []
        for cells in self.cells():
            writes += cells.drain()
        writes += self.versions.drain()
        return writes

    def drop(self, prefix: bytes) -> None:
        """Remove every cell and every version of a space."""
        for cells in self.cells():
            cells.clear(prefix)
        self._running.pop(prefix, None)
        self.touched.pop(prefix, None)
        self.versions.clear(prefix)

    def forget(self) -> None:
        """Drop everything that is not committed."""
        self._running.clear()
        self.touched.clear()
        self.last_sets.clear()
        for cells in self.cells():
            cells.forget()
        self.versions.forget()
