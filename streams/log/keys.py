"""Keys of the log's column families. Numbers are big-endian, so keys sort as the numbers do."""

from __future__ import annotations

from schemas.ids import SpaceKey
from schemas.topics import TopicName


def _text(text: str) -> bytes:
    """Length-prefixed: no two lists of texts share bytes, and no text is a prefix of another."""
    raw = text.encode("utf-8")
    return len(raw).to_bytes(2, "big") + raw


def entry(topic: TopicName, partition: int, offset: int) -> bytes:
    """Key of an entry."""
    return _text(topic) + partition.to_bytes(4, "big") + offset.to_bytes(8, "big")


def of_space(topic: TopicName, space: SpaceKey, offset: int) -> bytes:
    """Key in the per-space index; a space lives in one partition, so the offset is enough."""
    return _text(topic) + _text(space.tenant) + _text(space.space) + offset.to_bytes(8, "big")


def end(topic: TopicName, partition: int) -> bytes:
    """Key of the end offset of a partition."""
    return b"end/" + _text(topic) + partition.to_bytes(4, "big")


def tenant(name: str) -> bytes:
    """Prefix of the names of a tenant's spaces."""
    return _text(name)


def space(key: SpaceKey) -> bytes:
    """Key of a space's name: the tenant's prefix, then the name itself."""
    return _text(key.tenant) + key.space.encode("utf-8")


def in_table(table: str, key: bytes) -> bytes:
    """Key of a table's row."""
    return _text(table) + key


def after_prefix(prefix: bytes) -> bytes:
    """The smallest key greater than every key that starts with ``prefix``. The prefix must not be all 0xff."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1])
