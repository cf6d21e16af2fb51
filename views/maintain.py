"""Maintains the view from the log: positions, folding in order, one commit for a batch of records.

The view never asks anybody where it was: the next offset of every input partition is stored with the state, in the same
commit. What a consumer group remembers is only a hint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from schemas.dead_letters import DeadLetter, LetterRedriven, RedriveBegun
from schemas.deltas import DeltaRecord
from schemas.edges import EdgesInferred
from schemas.entry import Entry
from schemas.events import EventsDistilled
from schemas.faults import Faults
from schemas.ids import SpaceKey
from schemas.parking import Raw
from schemas.record import Record
from schemas.themes import SessionThemed
from schemas.topics import TopicName

from .cells import Cells, plain
from .decoding import SetDecoder
from .fault_rows import FaultRows
from .held import prefix_of, space_prefix
from .known import transaction_time
from .moments import PARKED, THEMES, Group
from .parked import Parked, parked, parked_key
from .pending import due, forget
from .positions import Place, Positions
from .refusals import GapError
from .state import ViewState
from .tables import Tables
from .touched_keys import Journal, TouchedKeys
from .validity import apply

VIEW_TOPICS: tuple[TopicName, ...] = (
    "messages",
    "events",
    "edges",
    "themes",
    "adjudications",
    "producers",
    "clock",
    "erasures",
    "dead-letters",
)
"""What the view reads. Their relative order does not matter; each partition's own order does, for positions only."""


class Theme(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A session's theme, at the highest revision seen."""

    revision: int = -1
    session_id: str = ""
    theme_id: str | None = None


C = TypeVar("C", Theme, Parked)

_BESIDE = frozenset({SessionThemed, DeadLetter, LetterRedriven, RedriveBegun})
"""Kinds of record that the validity view does not depend on."""


class Maintainer:
    """The one writer of a view.

    ``fold`` applies records without committing and returns their deltas; ``commit`` makes them durable. In between the
    deltas are appended to the log, so that a crash there repeats the same deltas rather than losing them.

    Attributes:
        tables: what is committed.
        state: the validity view; themes and parked records are beside it.
        journal: which cells of the spaces that somebody watches were written.
        decode: reads records; what of a set was read before is the same object.
    """

    def __init__(self, tables: Tables, *, history: bool = True) -> None:
        self.tables = tables
        self.state = ViewState(tables, history=history)
        moments, versions = self.state.moments, self.state.versions
        self.themes = Cells(tables, "themes", plain(Theme), Theme(), moment=moments[THEMES], versions=versions)
        self.parked = Cells(tables, "parked", plain(Parked), Parked(), moment=moments[PARKED], versions=versions)
        self._positions = Positions(tables)
        self._fault_rows = FaultRows(tables)
        self.faults = Faults(self._fault_rows)
        self._versions: dict[tuple[str, str], int] = {}
        self.journal = Journal()
        self.decode = SetDecoder()

    def position(self, topic: TopicName, partition: int) -> int:
        """Offset of the next record to fold."""
        return self._positions.get(("next", topic, partition))

    def covers(self, partition: int) -> int:
        """All accepted messages of the partition below this offset are applied: distilled, and linked."""
        return min(self._positions.get(("covers", t, partition)) for t in ("events", "edges"))

    def is_parked(self, space: SpaceKey, topic: TopicName, partition: int, offset: int) -> bool:
        """Whether a consumer could not use this record of the space."""
        return self.parked.get(parked_key(space, topic, partition, offset)) != Parked()

    def version(self, space: SpaceKey) -> int:
        """Grows with every record of the space folded by this object; tells whether a cut is stale."""
        return self._versions.get(space, 0)

    def fold(self, entries: Sequence[Entry]) -> list[DeltaRecord]:
        """Apply records of ``VIEW_TOPICS`` in order; those already applied are passed over.

        Raises:
            GapError: an offset was skipped.
        """
        return [delta for entry in entries for delta in self.fold_one(entry)]

    def fold_one(self, entry: Entry, value: bytes | None = None) -> list[DeltaRecord]:
        """Apply one record, unless it was applied already. ``value``: its bytes, where they are at hand.

        Raises:
            GapError: an offset was skipped.
        """
        if not self._advance(entry.topic, entry.partition, entry.offset):
            return []
        deltas = self._fold(entry, value)
        record, versions = entry.record, self._versions
        space = record.tenant, record.space
        versions[space] = versions.get(space, 0) + 1
        return deltas

    def fold_anywhere(self, entry: Entry) -> None:
        """Apply a record outside a log, without looking at its offset: for cuts of the view that are never stored."""
        self._fold(entry)

    def _fold(self, entry: Entry, value: bytes | None = None) -> list[DeltaRecord]:
        record = entry.record
        kind = type(record)
        if kind is EventsDistilled or kind is EdgesInferred:
            self._cover(entry.topic, entry.partition, record)  # pyright: ignore[reportArgumentType]  # one of the two
        if kind not in _BESIDE:
            return apply(self.state, entry, value)
        match record:
            case SessionThemed():
                key = prefix_of(record.tenant, record.space) + record.session_id.encode()
                theme = Theme(revision=record.revision, session_id=record.session_id, theme_id=record.theme_id)
                known = self.themes.get(key)
                if theme.revision > known.revision:
                    self.state.enter(prefix_of(record.tenant, record.space), record.learned_at, THEMES)
                    self.themes.put_from(key, theme, record.learned_at)  # the highest from then on, whatever came since
                else:
                    self._put_one(record, THEMES, self.themes, key, known)
                return []
            case DeadLetter():
                key = parked_key(record.key, record.topic, record.partition, record.offset)
                self._put_one(record, PARKED, self.parked, key, parked(record, self.parked.get(key)))
                return []
            case LetterRedriven():
                key = parked_key(record.key, record.topic, record.partition, record.offset)
                redriven = msgspec.structs.replace(self.parked.get(key), redriven=True)
                self._put_one(record, PARKED, self.parked, key, redriven)
                return []
            case _:
                return []  # of RedriveBegun

    def _put_one(self, record: Record, group: Group, cells: Cells[C], key: bytes, cell: C) -> None:
        """Change the one cell that a record concerns: at its own time, unless the cell changed after that."""
        prefix, at = prefix_of(record.tenant, record.space), transaction_time(record)
        newest = self.state.enter(prefix, at, group)
        if newest > at and cells.since(key) > at:
            self.state.blur(prefix, at, newest)
        if cell != cells.get(key):
            cells.put(key, cell)

    def _cover(self, topic: TopicName, partition: int, record: EventsDistilled | EdgesInferred) -> None:
        """Note what is applied."""
        place: Place = ("covers", topic, partition)
        if record.covers > self._positions.get(place):
            self._positions.put(place, record.covers)

    def open_letters(self) -> int:
        """Parked records of all spaces that were not re-driven."""
        return sum(not cell.redriven for _, cell in self.parked.scan(b""))

    def forget(self) -> None:
        """Give up everything that is not committed."""
        for cells in (self.themes, self.parked):
            cells.forget()
        self._positions.forget()
        self.state.forget()

    def faulted(self) -> bool:
        """Whether there ever was a fault: where there was none, nobody asks about each record."""
        return self._fault_rows.any()

    def fault(self, raw: Raw) -> str | None:
        """Why the view has parked this record after faults, None when it has not."""
        return self.faults.parked(raw) if self._fault_rows.any() else None

    def passes_over(self, raw: Raw) -> bool:
        """Whether the view has parked this record after faults: it is not part of what it was folded from."""
        return self.fault(raw) is not None

    def skip(self, topic: TopicName, partition: int, offset: int) -> bool:
        """Pass over one record that could not be decoded; False when it was passed over before, so is parked already.

        Raises:
            GapError: an offset was skipped.
        """
        return self._advance(topic, partition, offset)

    def _advance(self, topic: TopicName, partition: int, offset: int) -> bool:
        """Move on past the record at the offset; False when it lies behind."""
        place: Place = ("next", topic, partition)
        expected = self._positions.get(place)
        if offset > expected:
            raise GapError(f"{topic}/{partition}: got offset {offset}, expected {expected}: rebuild the view")
        if offset == expected:
            self._positions.put(place, expected + 1)
        return offset == expected

    def due(self, now: int, most: int) -> list[tuple[int, SpaceKey]]:
        """What time alone has changed and no clock record has told yet: instants in order, each with its space.

        Of what is committed; ``most`` bounds the work of one look.
        """
        return list(due(self.tables, now, most))

    def drop(self, space: SpaceKey) -> None:
        """Remove every row of a space; positions stay. Fold the space's records again before the commit."""
        prefix = space_prefix(space)
        forget(self.state, prefix)
        for cells in (self.themes, self.parked):
            cells.clear(prefix)
        self.state.drop(prefix)
        self._versions[space] = self.version(space) + 1

    def commit(self) -> None:
        """Make everything folded so far durable, with the positions, in one write."""
        writes = self.state.drain()
        writes += [write for cells in (self.themes, self.parked) for write in cells.drain()]
        writes += self._positions.drain()
        self.tables.commit(writes)
        self.journal.note(writes)

    def touched(self, space: SpaceKey) -> TouchedKeys | None:
        """Cells written since ``journal.watch``, also by what is folded and not committed; None when nobody watches."""
        prefix = space_prefix(space)
        touched = self.journal.touched(prefix)
        if touched is not None:
            for cells in (*self.state.cells(), self.themes):
                for key in cells.unwritten(prefix):
                    touched.add(cells.table, key)
        return touched
