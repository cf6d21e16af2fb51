"""The edge's memory: which message ids a space has accepted, and when the last one was received.

Rows of the table ``ingest``: ``m`` conversation digest, message id → ``Known``; ``r`` space digest → the last
``received_at``.
"""

from __future__ import annotations

import hashlib

import msgspec

from schemas.codec import encode
from schemas.ids import SpaceKey, digest
from schemas.record import Record

from .log import Batch, Log, TableReader, partition_of
from .state import OverlayState

TABLE = "ingest"


class Known(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An accepted message: where it is, and what tells a repetition from a conflict.

    ``posted`` and ``current`` are hashes of its content as posted and as it is now, ``edited`` the offset of the last
    edit.
    """

    offset: int
    edited: int | None
    retracted: bool
    speaker: str
    sent_at: int
    posted: bytes
    current: bytes


_known = msgspec.msgpack.Decoder(Known)
_encode = msgspec.msgpack.Encoder().encode


def content_hash(content: str) -> bytes:
    """Hash of a message's content, for comparison only."""
    return hashlib.blake2b(content.encode("utf-8"), digest_size=16).digest()


def message_row(space: SpaceKey, conversation_id: str, message_id: str) -> bytes:
    """Key of a message in the table."""
    return b"m" + bytes.fromhex(digest("conversation", *space, conversation_id)) + message_id.encode("utf-8")


def known_message(log: TableReader, key: bytes) -> Known | None:
    """The accepted message of this key, as committed."""
    raw = log.get(TABLE, key)
    return None if raw is None else _known.decode(raw)


class IndexedBatch:
    """A batch of one space being accepted; reads see what it has accepted so far."""

    def __init__(self, log: Log, batch: Batch, space: SpaceKey, now: int) -> None:
        self.now = now
        self.end = log.end("messages", partition_of(space, log.partitions))
        self._batch = batch
        self._space = space
        self._state = OverlayState(log, TABLE, b"")
        self._clock = b"r" + bytes.fromhex(digest("space", *space))

    def find(self, conversation_id: str, message_id: str) -> Known | None:
        """See ``intake.Step``."""
        raw = self._state.get(message_row(self._space, conversation_id, message_id))
        return None if raw is None else _known.decode(raw)

    def remember(self, conversation_id: str, message_id: str, known: Known) -> None:
        """See ``intake.Step``."""
        self._state.put(message_row(self._space, conversation_id, message_id), _encode(known))

    def received_at(self, wanted: int) -> int:
        """``wanted``, but neither after now nor before what was accepted before it in the space."""
        raw = self._state.get(self._clock)
        moment = min(wanted, self.now)
        return moment if raw is None else max(moment, msgspec.msgpack.decode(raw, type=int))

    def append(self, record: Record, received_at: int) -> int:
        """Accept a record; returns its offset."""
        self._state.put(self._clock, _encode(received_at))
        offset = self._batch.append("messages", self._space, encode(record), self.now)
        self.end = offset + 1
        return offset

    def finish(self) -> None:
        """Put the rows into the batch."""
        self._state.write_to(self._batch)
