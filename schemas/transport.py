"""How records travel on a broker: names of topics, keys, and the headers of a dead letter."""

from __future__ import annotations

from .dead_letters import DeadLetter
from .deltas import EdgeChanged, EventChanged
from .ids import SpaceKey
from .record import Record
from .topics import TopicName

Headers = list[tuple[str, bytes]]

NO_SPACE = SpaceKey("", "")
"""What a key that names no space is read as."""


def broker_topic(prefix: str, topic: TopicName) -> str:
    """A topic's name on the broker. Several systems can share a cluster, each under a prefix of its own."""
    return prefix + topic


def space_key(space: SpaceKey) -> bytes:
    """``tenant/space`` in UTF-8: what decides the partition of every record (murmur2, as Kafka's own clients do)."""
    return str(space).encode("utf-8")


def space_of(key: bytes | None) -> SpaceKey:
    """The space a record's key names, ``NO_SPACE`` when it names none. Names never hold a slash."""
    try:
        tenant, slash, space = (key or b"").partition(b"/")
        return SpaceKey(tenant.decode("utf-8"), space.decode("utf-8")) if slash else NO_SPACE
    except UnicodeDecodeError:
        return NO_SPACE


def record_key(record: Record) -> bytes:
    """The key a record is written with: its space.

    Deltas also name what changed, because their topic is compacted: with the space alone one delta of it would be
    left. Their partition is the space's all the same.
    """
    match record:
        case EventChanged():
            return space_key(record.key) + b"/" + record.event_id.encode("utf-8")
        case EdgeChanged():
            return space_key(record.key) + b"/" + record.edge_id.encode("utf-8")
        case _:
            return space_key(record.key)


def dead_letter_headers(letter: DeadLetter, key: bytes | None, headers: Headers) -> Headers:
    """The record's own headers, untouched, and where it was, for tools that read no MessagePack. Also its own key."""
    ours: Headers = [
        ("dlq.stage", letter.stage.encode("utf-8")),
        ("dlq.topic", letter.topic.encode("utf-8")),
        ("dlq.partition", str(letter.partition).encode("ascii")),
        ("dlq.offset", str(letter.offset).encode("ascii")),
        ("dlq.error", letter.error.encode("utf-8")),
    ]
    if key is not None:
        ours.append(("dlq.key", key))
    return [*headers, *ours]
