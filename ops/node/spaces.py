"""Which spaces a stored view holds, from the prefixes of its keys."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.ids import SpaceKey
from streams.log.database import Database


def all_spaces(database: Database) -> Iterator[SpaceKey]:
    """Every space a view has rows of, in no order that means anything. One look-up for each space and table."""
    seen: set[SpaceKey] = set()
    for table in ("messages", "sets", "control"):
        start = b""
        while True:
            row = next(database.scan(table, start, b"\xff" * 64), None)
            if row is None:
                break
            prefix = row[0][: 2 + int.from_bytes(row[0][:2], "big")]
            start = prefix[:-1] + bytes([prefix[-1] + 1])
            space = split_key(prefix)[0]
            if space not in seen:
                seen.add(space)
                yield space


def split_key(key: bytes) -> tuple[SpaceKey, str]:
    """Space and rest of a key of the view (``views.state.space_prefix``)."""
    end = 2 + int.from_bytes(key[:2], "big")
    tenant, _, space = key[2:end].decode().partition("/")
    return SpaceKey(tenant, space), key[end:].decode()
