"""Cutting a lane anew around a changed message: reads only the sessions whose content changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import msgspec

from ..ports import StageState
from .definition import SaidMessage, SessionLimits
from .rows import Lane, SessionRow, messages_from, row_around, row_at, rows_from, sent_at


class Piece(msgspec.Struct, kw_only=True):
    """A session's extent while it is being cut."""

    chunk: int
    first: bytes
    last: bytes
    count: int
    ended: bool

    def takes(self, lane: Lane, key: bytes, limits: SessionLimits) -> bool:
        """Whether the next message of the lane belongs to it (``definition`` says why)."""
        if self.count >= limits.max_messages:
            return False
        if lane.given is not None:
            return True
        return not self.ended and sent_at(key) - sent_at(self.last) <= limits.gap_us

    def add(self, key: bytes, message: SaidMessage) -> None:
        """Take the next message in."""
        self.last = key
        self.count += 1
        self.ended = message.ends_session


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions whose extent is replaced, and what replaces them. All others of the lane are as before."""

    old: Sequence[SessionRow]
    new: Sequence[Piece]


def cut_around(state: StageState, lane: Lane, changed: bytes, limits: SessionLimits) -> Cut:
    """Cut the lane anew after the message at order key ``changed`` was put there, or deleted.

    Sessions before the one around it stay: a cut depends on what is before it only. Cutting goes on until it
    starts a session where one started before; from there on it would repeat itself. For a message in order that is at
    once; for one in the middle of a long run the later parts move, as the definition says.
    """
    around = row_around(state, lane, changed)
    if around is None:
        return _cut(state, lane, changed, changed, None, 0, limits)
    if changed <= around.last:
        return _cut(state, lane, changed, around.first, None, around.chunk, limits)
    piece = Piece(chunk=around.chunk, first=around.first, last=around.last, count=around.count, ended=around.ended)
    if piece.takes(lane, changed, limits):
        return _cut(state, lane, changed, changed, piece, around.chunk, limits)
    return _cut(state, lane, changed, changed, None, _next_chunk(lane, around.chunk), limits)


def _next_chunk(lane: Lane, chunk: int) -> int:
    return 0 if lane.given is None else chunk + 1


def _cut(
    state: StageState,
    lane: Lane,
    changed: bytes,
    start: bytes,
    piece: Piece | None,
    chunk: int,
    limits: SessionLimits,
) -> Cut:
    """Cut from ``start`` on, continuing ``piece``, or beginning with part number ``chunk``."""
    begin = start if piece is None else piece.first
    pieces = [] if piece is None else [piece]
    for key, message in messages_from(state, lane, start):
        if pieces and pieces[-1].takes(lane, key, limits):
            pieces[-1].add(key, message)
            continue
        if pieces:
            chunk = _next_chunk(lane, pieces[-1].chunk)
        known = row_at(state, lane, key) if key > changed else None
        if known is not None and known.chunk == chunk:
            replaced = takewhile(lambda row: row.first < key, rows_from(state, lane, begin))  # noqa: B023 - used at once
            return Cut(old=tuple(replaced), new=pieces)
        pieces.append(Piece(chunk=chunk, first=key, last=key, count=1, ended=message.ends_session))
    return Cut(old=tuple(rows_from(state, lane, begin)), new=pieces)
