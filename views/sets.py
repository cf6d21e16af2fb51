"""Which sets count: the best revision of each (session, producer), and of a session's producers the active one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from schemas.codec import decode, encode
from schemas.control import ProducerActivated, StageName, active_producer
from schemas.edges import EdgeRecord, EdgesAsserted, EdgesInferred, batch_session
from schemas.events import EventRecord, EventsAsserted, EventsDistilled
from schemas.ids import record_hash
from schemas.topics import TopicName

from .held import Control, StoredSet, space_prefix
from .state import ViewState

SetRecord = EventRecord | EdgeRecord


class SetChange(msgspec.Struct, frozen=True, gc=False):
    """A session's (or batch's) counting set before and after a record, both of one topic."""

    topic: TopicName
    session_id: str
    before: SetRecord | None
    after: SetRecord | None


_HOMES: dict[type[SetRecord], tuple[bytes, TopicName, StageName | None]] = {
    EventsDistilled: (b"e", "events", "distil"),
    EventsAsserted: (b"E", "events", None),
    EdgesInferred: (b"r", "edges", "link"),
    EdgesAsserted: (b"R", "edges", None),
}
"""Of each kind of set its tag in keys, its topic, and the stage that chooses among producers. A batch has one producer,
so there is nothing to choose."""


SET_KINDS = frozenset(_HOMES)


def _session_of(record: SetRecord) -> str:
    """The session, or the name under which a batch is one."""
    if isinstance(record, EventsAsserted) or isinstance(record, EdgesAsserted):  # noqa: SIM101  # a union costs thrice
        return batch_session(record.producer, record.batch_id)
    return record.session_id


def set_key(record: SetRecord, prefix: bytes) -> bytes:
    """Key of the cell that holds the sets of the same session, or the batch."""
    return prefix + _HOMES[type(record)][0] + _session_of(record).encode()


def _choose(sets: Sequence[StoredSet], active: ProducerActivated | None) -> StoredSet | None:
    """Of one session's sets, one for each producer, the one that counts."""
    if not sets:
        return None
    if active is None and len(sets) == 1:
        return sets[0]
    chosen = active_producer({stored.producer: stored.revision for stored in sets}, active)
    return next((stored for stored in sets if stored.producer == chosen), None)


def _known(state: ViewState, key: bytes, topic: TopicName, stored: StoredSet | None) -> SetRecord | None:
    """A stored set as a record; the one that came last for a session is at hand: the next one most often follows it."""
    last = state.last_sets.get(key)
    if stored is not None and last is not None and last[0] == stored.value:
        return last[1]
    return _read(topic, stored)


def _read(topic: TopicName, stored: StoredSet | None) -> SetRecord | None:
    return None if stored is None else decode(topic, stored.value)  # pyright: ignore[reportReturnType]  # stored by fold_set only


def fold_set(state: ViewState, record: SetRecord, prefix: bytes, value: bytes | None) -> SetChange | None:
    """Keep a set if it is the best of its (session, producer); None when that changes nothing that counts.

    Args:
        state: the view.
        record: the set.
        prefix: its space.
        value: the record's bytes as they lie in the log, which spares encoding it.
    """
    _, topic, stage = _HOMES[type(record)]
    session_id = _session_of(record)
    key = set_key(record, prefix)
    known = state.sets.get(key)
    mine = StoredSet(record.producer, record.revision, encode(record) if value is None else value)
    sets = (mine,)
    for stored in known:
        if stored.producer != record.producer:
            sets = (stored, *sets)
        elif not _is_better(topic, mine, stored):
            return None
    active = None if stage is None else state.control.get(prefix).active.get(stage)
    before = _choose(known, active)
    state.sets.put(key, sets)
    after = _choose(sets, active)
    former = _known(state, key, topic, before)
    _remember(state, key, mine.value, record)
    if before is after:
        return None
    return SetChange(topic, session_id, former, record if after is mine else _read(topic, after))


LAST_SETS_MOST = 4_000
"""Sets that are kept as records beside their bytes, a few kilobytes each."""


def _remember(state: ViewState, key: bytes, value: bytes, record: SetRecord) -> None:
    if len(state.last_sets) >= LAST_SETS_MOST:
        state.last_sets.clear()
    state.last_sets[key] = value, record


def _is_better(topic: TopicName, new: StoredSet, old: StoredSet) -> bool:
    """The higher revision, ties by the hash of the record as we would write it."""
    if new.revision != old.revision:
        return new.revision > old.revision
    return new.value != old.value and _hash(topic, new) > _hash(topic, old)


def _hash(topic: TopicName, stored: StoredSet) -> str:
    return record_hash(encode(decode(topic, stored.value)))


def fold_activation(state: ViewState, record: ProducerActivated) -> Iterator[SetChange]:
    """Make a producer the active one of its stage, if it is the latest to be; yields every session it changes."""
    cell = space_prefix(record.key)
    control = state.control.get(cell)
    known = control.active.get(record.stage)
    if known is not None and _rank(record) <= _rank(known):
        return
    state.control.put(cell, with_active(control, record))
    tag, topic = (b"e", "events") if record.stage == "distil" else (b"r", "edges")
    for key, sets in list(state.sets.scan(cell + tag)):
        before, after = _choose(sets, known), _choose(sets, record)
        if before is not after:
            yield SetChange(topic, key[len(cell) + 1 :].decode(), _read(topic, before), _read(topic, after))


def _rank(record: ProducerActivated) -> tuple[int, str]:
    return record.at, record_hash(encode(record))


def with_active(control: Control, record: ProducerActivated) -> Control:
    """The control cell with a stage's active producer replaced."""
    return msgspec.structs.replace(control, active={**control.active, record.stage: record})


def counting_sets(
    state: ViewState, prefix: bytes, keys: Iterable[bytes] | None
) -> Iterator[tuple[str, EventRecord | None]]:
    """The sets of events that count, by tag and session or batch ("e" or "E" in front of its name).

    Args:
        state: the view.
        prefix: the space.
        keys: of the table ``sets``; None for all of the space. Those of sets of edges are passed over.
    """
    active = state.control.get(prefix).active.get("distil")
    at = len(prefix)
    found = (
        (pair for tag in (b"e", b"E") for pair in state.sets.scan(prefix + tag))
        if keys is None
        else ((key, state.sets.get(key)) for key in keys if key[at : at + 1] in (b"e", b"E"))
    )
    for key, sets in found:
        record = _read("events", _choose(sets, active if key[at : at + 1] == b"e" else None)) if sets else None
        yield key[at:].decode(), record if isinstance(record, EventsDistilled | EventsAsserted) else None
