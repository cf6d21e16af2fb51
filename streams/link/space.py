"""What the link stage knows of one space: its event sets, who is active, and what was last published.

Everything is in the stage's state; this object is a copy of it in memory. ``token`` is a hash chain over the records
applied: a copy is used only while the state's token equals its own, so a step that was repeated, rolled back or taken
over by another process finds a state it does not match, and the copy is read again.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from schemas.adjudications import AliasRecord, canonical_names, merges, with_names
from schemas.control import ProducerActivated
from schemas.events import Event, EventsAsserted, EventsDistilled
from schemas.ids import SpaceKey, digest

from ..activation import Announced
from ..candidates import Row, make_row
from ..keys import prefix_range, state_key
from ..own_words import own_words
from ..ports import Encoder, StageState
from ..unit_vectors import IntVector, from_bytes, quantize, to_bytes
from .live import HeldSet, live_sets, pool_of
from .session import Pool


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a space has come.

    ``events_offset`` and ``producers_offset``: largest offset seen, -1 before the first. ``rulings``: activations seen.
    ``covers`` and ``learned_at``: the largest seen. ``announced``: the stage's own last ProducerActivated.
    ``names_offset``: largest offset in ``adjudications`` of a word on an alias; those count as ``rulings`` too, and so
    do replies of a model.
    """

    token: str
    events_offset: int
    producers_offset: int
    rulings: int
    covers: int
    learned_at: int
    announced: Announced | None
    names_offset: int = -1


class SetOf(msgspec.Struct, frozen=True, kw_only=True):
    """Which set of events: of a session, or (``asserted``) of an API producer's batch, at a revision."""

    session_id: str
    revision: int
    asserted: bool


class _StoredSet(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    session_id: str
    producer: str
    asserted: bool
    rank: tuple[int, str]
    events: tuple[Event, ...]
    vectors: tuple[bytes, ...]


START = Progress(
    token="", events_offset=-1, producers_offset=-1, rulings=0, covers=0, learned_at=0, announced=None
)  # fmt: skip

_progress_decoder = msgspec.msgpack.Decoder(Progress)
_set_decoder = msgspec.msgpack.Decoder(_StoredSet)
_ruling_decoder = msgspec.msgpack.Decoder(ProducerActivated)
_word_decoder: msgspec.msgpack.Decoder[AliasRecord] = msgspec.msgpack.Decoder(AliasRecord)


class Space:
    """One space in memory, kept equal to the state by writing through.

    Rows hold events under canonical names: a statement about an alias is compared with those about the person. The
    state holds them as they were said.
    """

    def __init__(
        self,
        key: SpaceKey,
        held: dict[tuple[str, str], HeldSet],
        ruling: ProducerActivated | None,
        words: dict[str, AliasRecord],
    ) -> None:
        self.key = key
        self.held = held
        self.ruling = ruling
        self.words = words
        self.names = canonical_names(merges(words.values()))
        self.pool: Pool = pool_of(live_sets(held.values(), ruling))

    @classmethod
    def read(cls, key: SpaceKey, state: StageState) -> Space:
        """From the state: one scan over the space's sets, a row made for each event."""
        held: dict[tuple[str, str], HeldSet] = {}
        words = [_word_decoder.decode(raw) for _, raw in state.scan(*prefix_range("alias", key))]
        names = canonical_names(merges(words))
        for _, raw in state.scan(*prefix_range("set", key)):
            stored = _set_decoder.decode(raw)
            producer = stored.producer if stored.asserted else None
            rows = tuple(
                make_row(with_names(event, names), from_bytes(vector), producer)
                for event, vector in zip(stored.events, stored.vectors, strict=True)
            )
            held[stored.session_id, stored.producer] = HeldSet(
                session_id=stored.session_id,
                producer=stored.producer,
                asserted=stored.asserted,
                rank=stored.rank,
                rows=rows,
            )
        raw_ruling = state.get(state_key("ruling", key))
        ruling = _ruling_decoder.decode(raw_ruling) if raw_ruling is not None else None
        return cls(key, held, ruling, {word.alias.casefold(): word for word in words})

    def put(
        self,
        session_id: str,
        record: EventsDistilled | EventsAsserted,
        rank: tuple[int, str],
        encoder: Encoder,
        state: StageState,
    ) -> None:
        """Keep a set when it outranks the one it would replace. Rows of events that stay are kept as they are."""
        asserted = isinstance(record, EventsAsserted)
        old = self.held.get((session_id, record.producer))
        if old is not None and old.rank >= rank:
            return
        said = tuple(with_names(event, self.names) for event in record.events)
        rows = _rows(said, old, record.producer if asserted else None, encoder)
        held = HeldSet(session_id=session_id, producer=record.producer, asserted=asserted, rank=rank, rows=rows)
        self.held[session_id, record.producer] = held
        stored = _StoredSet(
            session_id=session_id,
            producer=record.producer,
            asserted=asserted,
            rank=rank,
            events=record.events,
            vectors=tuple(to_bytes(row.vector) for row in rows),
        )
        state.put(state_key("set", self.key, session_id, record.producer), msgspec.msgpack.encode(stored))
        self.pool = pool_of(live_sets(self.held.values(), self.ruling))

    def rule(self, ruling: ProducerActivated, state: StageState) -> None:
        """Another producer's sets count from now on."""
        self.ruling = ruling
        state.put(state_key("ruling", self.key), msgspec.msgpack.encode(ruling))
        self.pool = pool_of(live_sets(self.held.values(), ruling))

    def rename(self, word: AliasRecord, state: StageState) -> None:
        """Keep a word on an alias; statements it concerns are held under other names from now on, the others as they
        are, so that what is linked again is what depends on the former."""
        alias = word.alias.casefold()
        self.words[alias] = word
        state.put(state_key("alias", self.key, alias), msgspec.msgpack.encode(word))
        names = canonical_names(merges(self.words.values()))
        if names == self.names:
            return
        fresh = Space.read(self.key, state)
        self.names = names
        self.held = {key: _unchanged(held, self.held[key]) for key, held in fresh.held.items()}
        self.pool = pool_of(live_sets(self.held.values(), self.ruling))


def _unchanged(fresh: HeldSet, held: HeldSet) -> HeldSet:
    """The fresh set with the rows that were held already, where they say the same."""
    rows = zip(fresh.rows, held.rows, strict=True)
    return msgspec.structs.replace(fresh, rows=tuple(old if old.event == new.event else new for new, old in rows))


def read_progress(key: SpaceKey, state: StageState) -> Progress:
    """How far the space has come; ``START`` before its first record."""
    raw = state.get(state_key("progress", key))
    return _progress_decoder.decode(raw) if raw is not None else START


def write_progress(key: SpaceKey, progress: Progress, state: StageState) -> None:
    """Keep it."""
    state.put(state_key("progress", key), msgspec.msgpack.encode(progress))


def _rows(events: tuple[Event, ...], old: HeldSet | None, producer: str | None, encoder: Encoder) -> tuple[Row, ...]:
    """Rows of a set's events; only texts that the former set did not hold are encoded."""
    kept = {row.event.id: row for row in old.rows} if old is not None else {}
    vectors: dict[str, IntVector] = {own_words(row.event.text): row.vector for row in kept.values()}
    fresh = sorted({own_words(event.text) for event in events} - vectors.keys())
    if fresh:
        encoded = quantize(np.asarray(encoder.encode(fresh), dtype=np.float32))
        vectors.update(zip(fresh, encoded, strict=True))
    return tuple(
        kept[event.id]
        if event.id in kept and kept[event.id].event == event
        else make_row(event, vectors[own_words(event.text)], producer)
        for event in events
    )


def forget_events(key: SpaceKey, state: StageState, stays: Callable[[SetOf, Event], bool]) -> int:
    """Take events that are erased out of stored sets, whoever made them; returns how many.

    Sets that count have been replaced by then; left are those of producers that worked here before. Copies in memory
    are read again.

    Args:
        key: the space.
        state: of the link stage.
        stays: whether an event of a set is kept.
    """
    forgotten = 0
    for at, raw in list(state.scan(*prefix_range("set", key))):
        stored = _set_decoder.decode(raw)
        which = SetOf(session_id=stored.session_id, revision=stored.rank[0], asserted=stored.asserted)
        kept = [
            (event, vector) for event, vector in zip(stored.events, stored.vectors, strict=True) if stays(which, event)
        ]
        if len(kept) < len(stored.events):
            forgotten += len(stored.events) - len(kept)
            clean = msgspec.structs.replace(
                stored, events=tuple(event for event, _ in kept), vectors=tuple(vector for _, vector in kept)
            )
            state.put(at, msgspec.msgpack.encode(clean))
    if forgotten:
        _outdate_copies(key, state)
    return forgotten


def forget_names(key: SpaceKey, state: StageState, words: frozenset[tuple[str, int]] | None) -> int:
    """Take what was said of names out; returns how many rows there were.

    Args:
        key: of the space.
        state: of the link stage.
        words: (alias, hour) of those that are erased, case-folded; None: all, of a space that is erased.
    """
    rows: list[bytes] = []
    for at, raw in state.scan(*prefix_range("alias", key)):
        word = _word_decoder.decode(raw)
        if words is None or (word.alias.casefold(), word.at) in words:
            rows.append(at)
    for at in rows:
        state.delete(at)
    if rows:
        _outdate_copies(key, state)
    return len(rows)


def _outdate_copies(key: SpaceKey, state: StageState) -> None:
    progress = read_progress(key, state)
    write_progress(key, msgspec.structs.replace(progress, token=digest(progress.token, "erased")), state)
