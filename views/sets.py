"""Which sets count: the best revision of each (session, producer), and of a session's producers the active one."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from schemas.codec import decode, encode
from schemas.control import ProducerActivated, StageName, active_producer
from schemas.edges import EdgeRecord, EdgesAsserted, EdgesInferred, batch_session
from schemas.events import EventRecord, EventsAsserted, EventsDistilled
from schemas.ids import SpaceKey, digest, record_hash
from schemas.topics import TopicName

from .state import Control, StoredSet, ViewState, space_prefix

SetRecord = EventRecord | EdgeRecord


class SetHome(msgspec.Struct, frozen=True, kw_only=True):
    """Where a set belongs: its key in the store, its topic, and the stage that chooses among producers, if any."""

    tag: bytes
    topic: TopicName
    stage: StageName | None
    session_id: str


class SetChange(msgspec.Struct, frozen=True, kw_only=True):
    """A session's (or batch's) counting set before and after a record."""

    session_id: str
    before: SetRecord | None
    after: SetRecord | None


def home_of(record: SetRecord) -> SetHome:
    """The home of a set record. An API batch has one producer, so there is nothing to choose."""
    match record:
        case EventsDistilled():
            return SetHome(tag=b"e", topic="events", stage="distil", session_id=record.session_id)
        case EventsAsserted():
            batch = batch_session(record.producer, record.batch_id)
            return SetHome(tag=b"E", topic="events", stage=None, session_id=batch)
        case EdgesInferred():
            return SetHome(tag=b"r", topic="edges", stage="link", session_id=record.session_id)
        case EdgesAsserted():
            batch = batch_session(record.producer, record.batch_id)
            return SetHome(tag=b"R", topic="edges", stage=None, session_id=batch)


def _prefix(space: SpaceKey, home: SetHome) -> bytes:
    return space_prefix(space) + home.tag + digest(home.session_id).encode()


def _choose(sets: dict[str, StoredSet], active: ProducerActivated | None) -> StoredSet | None:
    """Of one session's sets by producer, the one that counts."""
    chosen = active_producer({producer: one.revision for producer, one in sets.items()}, active)
    return None if chosen is None else sets[chosen]


def _candidates(state: ViewState, prefix: bytes) -> dict[str, StoredSet]:
    return {key[len(prefix) :].decode(): stored for key, stored in state.sets.scan(prefix)}


def _by_session(state: ViewState, prefix: bytes) -> list[dict[str, StoredSet]]:
    """Sets by producer, one dictionary for each session; ``prefix`` is that of a space and tag."""
    grouped: dict[bytes, dict[str, StoredSet]] = {}
    cut = len(prefix) + len(digest(""))
    for key, stored in state.sets.scan(prefix):
        grouped.setdefault(key[:cut], {})[key[cut:].decode()] = stored
    return list(grouped.values())


def _read(topic: TopicName, stored: StoredSet | None) -> SetRecord | None:
    return None if stored is None else decode(topic, stored.value)  # pyright: ignore[reportReturnType]  # stored by fold_set only


def fold_set(state: ViewState, record: SetRecord) -> SetChange | None:
    """Keep a set if it is the best of its (session, producer); None when that changes nothing that counts."""
    home = home_of(record)
    prefix = _prefix(record.key, home)
    value = encode(record)
    rank = (record.revision, record_hash(value))
    key = prefix + record.producer.encode()
    known = state.sets.get(key)
    if rank <= (known.revision, known.hash):
        return None
    active = state.control.get(space_prefix(record.key)).active.get(home.stage or "")
    before = _choose(_candidates(state, prefix), active)
    state.sets.put(key, StoredSet(revision=rank[0], hash=rank[1], value=value))
    after = _choose(_candidates(state, prefix), active)
    if before == after:
        return None
    return SetChange(session_id=home.session_id, before=_read(home.topic, before), after=_read(home.topic, after))


def fold_activation(state: ViewState, record: ProducerActivated) -> Iterator[SetChange]:
    """Make a producer the active one of its stage, if it is the latest to be; yields every session it changes."""
    cell = space_prefix(record.key)
    control = state.control.get(cell)
    known = control.active.get(record.stage)
    if known is not None and _rank(record) <= _rank(known):
        return
    state.control.put(cell, with_active(control, record))
    tag, topic = (b"e", "events") if record.stage == "distil" else (b"r", "edges")
    for sets in _by_session(state, cell + tag):
        before, after = _choose(sets, known), _choose(sets, record)
        if before != after:
            old, new = _read(topic, before), _read(topic, after)
            some = new or old
            assert some is not None, "two different choices are not both empty"
            yield SetChange(session_id=home_of(some).session_id, before=old, after=new)


def _rank(record: ProducerActivated) -> tuple[int, str]:
    return record.at, record_hash(encode(record))


def with_active(control: Control, record: ProducerActivated) -> Control:
    """The control cell with a stage's active producer replaced."""
    return msgspec.structs.replace(control, active={**control.active, record.stage: record})


def active_sets(state: ViewState, space: SpaceKey) -> Iterator[EventsDistilled]:
    """The counting set of every session of a space."""
    cell = space_prefix(space)
    active = state.control.get(cell).active.get("distil")
    for sets in _by_session(state, cell + b"e"):
        record = _read("events", _choose(sets, active))
        if isinstance(record, EventsDistilled):
            yield record
