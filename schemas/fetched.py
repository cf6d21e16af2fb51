"""A record as it came from a broker."""

from __future__ import annotations

import msgspec

from .topics import TopicName
from .transport import Headers


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """Where a record lies and its bytes (``schemas.parking.Raw``), with its key and headers."""

    topic: TopicName
    partition: int
    offset: int
    tenant: str
    space: str
    key: bytes | None
    value: bytes
    headers: Headers
