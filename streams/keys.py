"""Keys of a stage's state: parts of text that sort as bytes and never run into each other."""

from __future__ import annotations

from schemas.ids import SpaceKey

_END = b"\x00\x01"


def state_key(kind: str, space: SpaceKey, *parts: str) -> bytes:
    """A key of the given kind and space. A NUL inside a part is escaped, so no part can imitate a border."""
    return b"".join(part.encode("utf-8").replace(b"\x00", b"\x00\xff") + _END for part in (kind, *space, *parts))


def prefix_range(kind: str, space: SpaceKey, *parts: str) -> tuple[bytes, bytes]:
    """``[start, stop)`` of all keys of the kind and space that begin with the parts."""
    start = state_key(kind, space, *parts)
    return start, start[:-1] + b"\x02"
