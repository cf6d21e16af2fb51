"""How records travel on a broker: names of topics, keys, and the headers of a dead letter."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from .dead_letters import DeadLetter
from .deltas import DeltaRecord, EdgeChanged, EventChanged
from .ids import SpaceKey, name_problem
from .record import Record
from .topics import TopicName

Headers = list[tuple[str, bytes]]

NO_SPACE = SpaceKey("", "")
"""What a key that names no space is read as."""


RECORD_MAX_BYTES = 8 * 1024 * 1024
"""Of a record of any topic but dead letters, with key and headers: what the topics take (``ops.kafka.topics``)."""

OUTPUT_MAX_BYTES = RECORD_MAX_BYTES - 8 * 1024
"""Of the value of what we write ourselves: the rest is for its key and for the batch around it."""

DEAD_LETTER_MAX_BYTES = RECORD_MAX_BYTES + 64 * 1024
"""A dead letter holds a whole record, and says where it came from: in 40 kB at the most, of which a fault's traceback,
told in the letter and in a header, is nearly all."""

_KEY_MAX_BYTES = 2_048
"""No key of ours is longer: two names of 128 characters, and the id of an event or edge."""


def broker_topic(prefix: str, topic: TopicName) -> str:
    """A topic's name on the broker. Several systems can share a cluster, each under a prefix of its own."""
    return prefix + topic


def space_key(space: SpaceKey) -> bytes:
    """``tenant/space`` in UTF-8: what decides the partition of every record (murmur2, as Kafka's own clients do)."""
    return str(space).encode("utf-8")


def space_of(key: bytes | None) -> SpaceKey:
    """The space a record's key names, ``NO_SPACE`` when it names none. Names never hold a slash."""
    return NO_SPACE if key is None or len(key) > _KEY_MAX_BYTES else _space_of(key)


@lru_cache(maxsize=10_000)
def _space_of(key: bytes) -> SpaceKey:
    parts = key.split(b"/", 2)  # the key of a delta goes on with an id
    try:
        space = SpaceKey(parts[0].decode("utf-8"), parts[1].decode("utf-8")) if len(parts) > 1 else NO_SPACE
    except UnicodeDecodeError:
        return NO_SPACE
    return NO_SPACE if name_problem(space.tenant) or name_problem(space.space) else space


def record_key(record: Record) -> bytes:
    """The key a record is written with: its space.

    Deltas also name what changed, because their topic is compacted: with the space alone one delta of it would be
    left. Their partition is the space's all the same.
    """
    match record:
        case EventChanged() | EdgeChanged():
            return delta_key(space_key(record.key), record)
        case _:
            return space_key(record.key)


def delta_key(space: bytes, delta: DeltaRecord) -> bytes:
    """``record_key`` of a delta, given its space's key."""
    changed = delta.event_id if isinstance(delta, EventChanged) else delta.edge_id
    return space + b"/" + changed.encode("utf-8")


_STAGE, _KEY = "dlq.stage", "dlq.key"


def dead_letter_headers(letter: DeadLetter, key: bytes | None, headers: Headers) -> Headers:
    """The record's own headers, untouched, and where it was, for tools that read no MessagePack. Also its own key."""
    ours: Headers = [
        (_STAGE, letter.stage.encode("utf-8")),
        ("dlq.topic", letter.topic.encode("utf-8")),
        ("dlq.partition", str(letter.partition).encode("ascii")),
        ("dlq.offset", str(letter.offset).encode("ascii")),
        ("dlq.error", letter.error.encode("utf-8", "replace")),
    ]
    if key is not None:
        ours.append((_KEY, key))
    return [*headers, *ours]


def own_of(headers: Headers) -> tuple[bytes | None, Headers]:
    """Key and headers of the record in a dead letter: what stands before the last block of ours, and its key."""
    at = max((n for n, (name, _) in enumerate(headers) if name == _STAGE), default=len(headers))
    return next((value for name, value in headers[at:] if name == _KEY), None), headers[:at]


def carried(letter: DeadLetter, key: bytes | None, headers: Headers) -> tuple[DeadLetter, Headers]:
    """The dead letter as it is written to a broker, with its headers.

    A record that was larger than its topic's limit, as a compressed one can be, goes by reference: its bytes stay where
    they are, and the letter says how many there are.
    """
    size = len(letter.payload) + len(key or b"") + sum(len(name) + len(value) for name, value in headers)
    if size <= RECORD_MAX_BYTES:
        return letter, dead_letter_headers(letter, key, headers)
    referring = msgspec.structs.replace(letter, payload=b"", left_bytes=len(letter.payload))
    return referring, dead_letter_headers(referring, None, [])
