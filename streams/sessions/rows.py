"""What sessionize remembers: a row per message and per session, and the indexes that find what is due.

Keys, each behind one letter. Conversations and lanes are 12-byte digests; a lane is what a session can grow in: one
given session, or all messages of a conversation without one.

    i conversation, message id       -> lane and order key of the message; empty when it was retracted
    m lane, order key                -> the message
    s lane, first order key          -> the session row
    f conversation, first, 0, lane   -> nothing; starts of sessions, for "did a later one begin"
    g conversation, lane, first      -> nothing; sessions that can still grow in order
    t due, lane, first               -> nothing; sessions that time will publish
    u partition, offset, lane, first -> nothing; sessions with unpublished records, by the lowest of their offsets
    n partition                      -> the next offset to be read
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import msgspec

from schemas.ids import ID_BYTES, SpaceKey, digest, session_id
from schemas.sessions import SessionMessage

from ..ports import StageState
from .definition import SaidMessage, SessionLimits, given_session_id

_BIAS = 1 << 63
_said = msgspec.msgpack.Decoder(SaidMessage)
_encode = msgspec.msgpack.Encoder().encode


class Lane(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Where a session can grow: a given session, or (``given`` None) the runs of a conversation."""

    tenant: str
    space: str
    conversation_id: str
    given: str | None
    conversation: bytes
    key: bytes


class SessionRow(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A session as it stands, published or not.

    Attributes:
        chunk: number of the part, from 0, in a given session; always 0 in a run, whose parts are named by their start.
        first, last: order keys of its first and last message.
        ended: its last message ends the session.
        touched: offset of the last record that changed it; ``learned_at`` the largest transaction time of those that
            did; ``arrived`` the ``now`` of the last one's arrival.
        published: what its last published revision said.
        dirty_from: lowest offset of a record that is not in a published revision; None when there is none.
        unpublished: how many records that are.
        absorbed: ids of published sessions that are part of it now, to be published empty with its next revision.
        growing: a message may still come in order: nothing later began, it did not end and is not full.
        since: the ``now`` of the arrival of its oldest unpublished record; 0 in rows of before it was kept.
        shown: the ``now`` of its last published revision; None before the first, and in rows of before it was kept.
    """

    lane: Lane
    partition: int
    chunk: int
    first: bytes
    last: bytes
    count: int
    ended: bool
    touched: int
    learned_at: int
    arrived: int
    published: Literal["never", "open", "closed"]
    dirty_from: int | None
    unpublished: int
    absorbed: tuple[str, ...]
    growing: bool
    since: int = 0
    shown: int | None = None

    @property
    def session_id(self) -> str:
        """Its id, unique in the space."""
        if self.lane.given is not None:
            return given_session_id(self.lane.conversation_id, self.lane.given, self.chunk)
        space = SpaceKey(self.lane.tenant, self.lane.space)
        return session_id(space, self.lane.conversation_id, self.first[16:].decode("utf-8"))

    @property
    def identity(self) -> bytes | int:
        """What its id is made from, within its lane: the first message of a run's part, the number of a given one's."""
        return self.first if self.lane.given is None else self.chunk

    def due(self, limits: SessionLimits) -> int | None:
        """When time publishes it: when it changed, at once or a while after the last time (``SessionLimits.quiet_us``);
        after the gap when it is open; never when closed."""
        if self.dirty_from is not None:
            return self.since if self.shown is None else max(self.since, self.shown + limits.quiet_us)
        return None if self.published == "closed" else self.arrived + limits.gap_us


_row = msgspec.msgpack.Decoder(SessionRow)


@lru_cache(maxsize=4096)
def lane_of(space: SpaceKey, conversation_id: str, given: str | None) -> Lane:
    """The lane a message belongs to."""
    conversation = digest("conversation", *space, conversation_id)
    key = digest("runs", conversation) if given is None else digest("given", conversation, given)
    return Lane(
        tenant=space.tenant,
        space=space.space,
        conversation_id=conversation_id,
        given=given,
        conversation=bytes.fromhex(conversation),
        key=bytes.fromhex(key),
    )


def order_key(message: SessionMessage) -> bytes:
    """(sent_at, seq, message id) as bytes that sort like the tuple."""
    numbers = (message.sent_at + _BIAS).to_bytes(8, "big") + (message.seq + _BIAS).to_bytes(8, "big")
    return numbers + message.message_id.encode("utf-8")


def sent_at(key: bytes) -> int:
    """The time in an order key."""
    return int.from_bytes(key[:8], "big") - _BIAS


def _sortable(number: int) -> bytes:
    return (number + _BIAS).to_bytes(8, "big")


def _beyond(prefix: bytes) -> bytes:
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1])


def find(state: StageState, conversation: bytes, message_id: str) -> bytes | None:
    """Lane key and order key of a message; empty when it was retracted, None when it was never posted."""
    return state.get(b"i" + conversation + message_id.encode("utf-8"))


def put_place(state: StageState, conversation: bytes, message_id: str, place: bytes) -> None:
    """Remember where a message is; empty for a retracted one."""
    state.put(b"i" + conversation + message_id.encode("utf-8"), place)


def forget_place(state: StageState, conversation: bytes, message_id: str) -> None:
    """The id stands for nothing any more."""
    state.delete(b"i" + conversation + message_id.encode("utf-8"))


def get_message(state: StageState, place: bytes) -> SaidMessage:
    """The message at a place."""
    raw = state.get(b"m" + place)
    assert raw is not None, "an indexed message is missing"
    return _said.decode(raw)


def put_message(state: StageState, place: bytes, message: SaidMessage) -> None:
    """Insert or replace the message at a place."""
    state.put(b"m" + place, _encode(message))


def delete_message(state: StageState, place: bytes) -> None:
    """Remove the message at a place."""
    state.delete(b"m" + place)


def messages_from(state: StageState, lane: Lane, first: bytes) -> Iterator[tuple[bytes, SaidMessage]]:
    """(order key, message) of a lane in order, from an order key on."""
    prefix = b"m" + lane.key
    for key, raw in state.scan(prefix + first, _beyond(prefix)):
        yield key[1 + ID_BYTES :], _said.decode(raw)


def messages_of(state: StageState, row: SessionRow) -> tuple[SessionMessage, ...]:
    """The messages of a session, in order."""
    prefix = b"m" + row.lane.key
    found = state.scan(prefix + row.first, prefix + row.last + b"\0")
    return tuple(_said.decode(raw).message for _, raw in found)


def row_around(state: StageState, lane: Lane, key: bytes) -> SessionRow | None:
    """The last session of the lane that begins at or before an order key."""
    prefix = b"s" + lane.key
    for _, raw in state.scan(prefix, prefix + key + b"\0", reverse=True):
        return _row.decode(raw)
    return None


def row_at(state: StageState, lane: Lane, first: bytes) -> SessionRow | None:
    """The session of the lane that begins at exactly this order key."""
    raw = state.get(b"s" + lane.key + first)
    return None if raw is None else _row.decode(raw)


def rows_from(state: StageState, lane: Lane, first: bytes) -> Iterator[SessionRow]:
    """Sessions of the lane that begin at or after an order key, in order."""
    prefix = b"s" + lane.key
    return (_row.decode(raw) for _, raw in state.scan(prefix + first, _beyond(prefix)))


def latest_start(state: StageState, lane: Lane) -> bytes:
    """Order key of the first message of the conversation's latest session; empty when there is none."""
    prefix = b"f" + lane.conversation
    for key, _ in state.scan(prefix, _beyond(prefix), reverse=True):
        return key[1 + ID_BYTES : -ID_BYTES - 1]
    return b""


def growing_rows(state: StageState, lane: Lane) -> list[SessionRow]:
    """Sessions of the lane's conversation that can still grow in order."""
    prefix = b"g" + lane.conversation
    return [_indexed(state, key[1 + ID_BYTES :]) for key, _ in state.scan(prefix, _beyond(prefix))]


def waiting_rows(state: StageState, now: int | None) -> list[SessionRow]:
    """Sessions that time publishes by ``now`` (None: ever), as space, then time."""
    stop = b"u" if now is None else b"t" + _sortable(now + 1)
    rows = [_indexed(state, key[9:]) for key, _ in state.scan(b"t", stop)]
    return sorted(rows, key=lambda row: (row.lane.tenant, row.lane.space, row.first, row.lane.key))


def _indexed(state: StageState, place: bytes) -> SessionRow:
    raw = state.get(b"s" + place)
    assert raw is not None, "an indexed session is missing"
    return _row.decode(raw)


def lowest_unpublished(state: StageState, partition: int) -> int | None:
    """Lowest offset of a record of the partition that is in no published revision."""
    prefix = b"u" + partition.to_bytes(4, "big")
    for key, _ in state.scan(prefix, _beyond(prefix)):
        return int.from_bytes(key[5:13], "big") - _BIAS
    return None


def next_offset(state: StageState, partition: int) -> int:
    """The offset to be read next."""
    return int.from_bytes(state.get(b"n" + partition.to_bytes(4, "big")) or b"", "big")


def put_next_offset(state: StageState, partition: int, offset: int) -> None:
    """Everything below ``offset`` was read."""
    state.put(b"n" + partition.to_bytes(4, "big"), offset.to_bytes(8, "big"))


def save(state: StageState, old: SessionRow | None, new: SessionRow | None, limits: SessionLimits) -> None:
    """Replace a session row and what the indexes say about it. ``old`` must be what is stored."""
    before = {} if old is None else _keys(old, limits)
    after = {} if new is None else _keys(new, limits)
    for key in before:
        if key not in after:
            state.delete(key)
    for key, value in after.items():
        if before.get(key) != value:
            state.put(key, value)


def _keys(row: SessionRow, limits: SessionLimits) -> dict[bytes, bytes]:
    place = row.lane.key + row.first
    keys = {b"s" + place: _encode(row), b"f" + row.lane.conversation + row.first + b"\0" + row.lane.key: b""}
    if row.growing:
        keys[b"g" + row.lane.conversation + place] = b""
    due = row.due(limits)
    if due is not None:
        keys[b"t" + _sortable(due) + place] = b""
    if row.dirty_from is not None:
        keys[b"u" + row.partition.to_bytes(4, "big") + _sortable(row.dirty_from) + place] = b""
    return keys
