"""The embed stage's points: what is wanted by the view's rules (``views.wanted``), set in a vector index."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ops.observing import SILENT, Indexed, Observer
from schemas.entry import Entry
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey
from streams.embed.ports import Done, IndexAwayError, Named
from streams.ports import StageState
from views import wanted
from views.embed import Embed, Synced
from views.reader import MessageText
from views.tables import TableName, Write
from views.vectors import points
from views.vectors.refs import note_key

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex

_OURS = b"wanted/"


class MeasuredEmbed(Embed):
    """``Embed`` whose observer is told what was set and how long it took. One thread at a time."""

    def __init__(self, index: VectorIndex, encoder: Encoder, observer: Observer = SILENT) -> None:
        self._timed = _Timed(encoder)
        self._observer = observer
        super().__init__(index, self._timed)

    def put(
        self, space: SpaceKey, notes: Mapping[MessageKey, MessageText | None], events: Mapping[str, Event | None]
    ) -> Synced:
        """See ``Embed``."""
        begun, self._timed.seconds = time.perf_counter(), 0.0
        try:
            synced = super().put(space, notes, events)
        except points.IndexAwayError:
            self._observer.indexed(Indexed(away=True, encode_s=0.0, write_s=0.0))
            raise
        encode_s = self._timed.seconds
        self._observer.indexed(
            Indexed(
                written=synced.written, deleted=synced.deleted, refused=len(synced.refused), encode_s=encode_s,
                write_s=time.perf_counter() - begun - encode_s,
            )
        )  # fmt: skip
        return synced


class IndexPoints:
    """``streams.embed.ports.Points``. One for each instance of the stage, with an ``Embed`` of its own.

    Args:
        embed: sets the points; its index is named by ``target``.
        target: see ``Points``.
    """

    def __init__(self, embed: Embed, target: str) -> None:
        self.target = target
        self._embed = embed
        self._tables = _StateTables()
        self._wanted = wanted.Wanted(self._tables)

    def fold(self, entry: Entry, state: StageState) -> Named:
        """See ``Points``."""
        self._tables.state = state
        named = self._wanted.fold(entry)
        return Named(changed=named.changed, own=named.own)

    def set(self, space: SpaceKey, names: Sequence[bytes], state: StageState) -> Done:
        """See ``Points``."""
        self._tables.state = state
        notes, events = self._wanted.contents(space, names)
        try:
            synced = self._embed.sync(space, notes, events)
        except points.IndexAwayError as error:
            raise IndexAwayError(str(error)) from error
        return Done(
            written=synced.written,
            deleted=synced.deleted,
            refused=[(_name(one.kind, one.ref), f"{one.kind} {one.ref}: {one.error}") for one in synced.refused],
        )

    def all(self, state: StageState) -> Iterator[tuple[SpaceKey, bytes]]:
        """See ``Points``."""
        self._tables.state = state
        return self._wanted.all()


def _name(kind: points.PointKind, ref: str) -> bytes:
    return wanted.note_name(MessageKey(*note_key(ref))) if kind == "note" else wanted.event_name(ref)


class _StateTables:
    """``views.tables.Tables`` in the state of a stage, under ``wanted/<table>/``."""

    state: StageState

    def get(self, table: TableName, key: bytes) -> bytes | None:
        return self.state.get(_place(table) + key)

    def scan(self, table: TableName, prefix: bytes, start: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        place = _place(table)
        for key, value in self.state.scan(place + prefix + start, _behind(place + prefix)):
            yield key[len(place) :], value

    def commit(self, writes: Iterable[Write]) -> None:
        for table, key, value in writes:
            if value is None:
                self.state.delete(_place(table) + key)
            else:
                self.state.put(_place(table) + key, value)

    def close(self) -> None:
        """Nothing to release."""


def _place(table: TableName) -> bytes:
    return _OURS + table.encode() + b"/"


def _behind(prefix: bytes) -> bytes:
    """The first key that is greater than all that start with the prefix."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1])


class _Timed:
    """An encoder, and the seconds it took since somebody set them to 0."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.dimension = encoder.name, encoder.dimension
        self._encoder = encoder
        self.seconds = 0.0

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        begun = time.perf_counter()
        rows = self._encoder.encode(texts)
        self.seconds += time.perf_counter() - begun
        return rows
