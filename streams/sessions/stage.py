"""Sessionize: folds messages into sessions and publishes every session whose content changed.

Pure: what is published, and when, depends on the records read and on the ``now`` values given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from schemas.codec import BadRecordError
from schemas.ids import SpaceKey, session_id
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.sessions import SessionRevised
from schemas.topics import TopicName

from ..ports import Entry, Output, StageState
from . import rows
from .accepted import check_message
from .cut import Piece, cut_around
from .definition import SessionLimits, edited, said
from .publish import emptied, gaining_first, only_last_claims, revised, shown_ids
from .rows import Lane, SessionRow


class _Touch(msgspec.Struct, frozen=True, kw_only=True):
    """The record being folded."""

    partition: int
    offset: int
    received_at: int
    now: int


class Sessionize:
    """``ports.Stage`` from ``messages`` to ``sessions``.

    A changed session is published

    - open, when ``publish_after`` records of it are unpublished, and at the next ``tick`` when it was not published for
      ``quiet_us``;
    - closed, as soon as it can no longer grow in order: a later session of the conversation began, its last message
      ends it, it is full, or nothing arrived for the gap;
    - at once, together with all it shares messages with, when a published session loses messages to another, so that
      no reader of ``sessions`` misses a message.

    A message that is late for a closed session, or makes one of two, waits like any other, so that a late or reversed
    import does not publish a session once per message. A session that became part of another, or whose first message
    changed, is published empty with the other's next revision. One message in order costs the same however long
    the conversation is.
    """

    name = "sessionize"
    inputs: tuple[TopicName, ...] = ("messages",)

    def __init__(self, limits: SessionLimits | None = None) -> None:
        self._limits = limits or SessionLimits()

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Fold one record of ``messages``; an entry below the position in the state was folded before and is passed.

        A second posting of an id, and an edit or retraction of a retracted message, change nothing. An erased id is
        forgotten: its next posting is a new message.

        Raises:
            BadRecordError: an edit or retraction of a message that was never posted, or what the edge would have
                refused. The state is unchanged.
        """
        if entry.offset < rows.next_offset(state, entry.partition):
            return ()
        published = self._fold(entry, state, now)
        return [Output(topic="sessions", record=record) for record in published]

    def _fold(self, entry: Entry, state: StageState, now: int) -> Sequence[SessionRevised]:
        record = entry.record
        if not isinstance(record, MessagePosted | MessageEdited | MessageRetracted):
            raise BadRecordError(f"sessionize cannot read a {type(record).__name__}")
        check_message(record, self._limits)
        lane = rows.lane_of(record.key, record.conversation_id, None)
        place = rows.find(state, lane.conversation, record.message_id)
        if place is None and not isinstance(record, MessagePosted) and not _is_erasure(record):
            raise BadRecordError(f"message_id: {record.message_id!r} was never posted in this conversation")
        rows.put_next_offset(state, entry.partition, entry.offset + 1)
        touch = _Touch(partition=entry.partition, offset=entry.offset, received_at=record.received_at, now=now)
        match record:
            case MessagePosted():
                return self._post(state, record, touch) if place is None else ()
            case MessageEdited():
                return self._edit(state, record, place, touch) if place else ()
            case MessageRetracted():
                published = self._retract(state, record, place, touch) if place else ()
                if record.erased:
                    rows.forget_place(state, lane.conversation, record.message_id)
                    if not place:
                        return (_claimed(state, lane, touch),)
                return published

    def _post(self, state: StageState, record: MessagePosted, touch: _Touch) -> list[SessionRevised]:
        message = said(record, touch.offset)
        lane = rows.lane_of(record.key, record.conversation_id, record.session_id)
        key = rows.order_key(message.message)
        rows.put_place(state, lane.conversation, record.message_id, lane.key + key)
        rows.put_message(state, lane.key + key, message)
        return self._changed(state, lane, key, touch)

    def _edit(self, state: StageState, record: MessageEdited, place: bytes, touch: _Touch) -> list[SessionRevised]:
        former = rows.get_message(state, place)
        message = edited(former, record)
        if message is former:
            return []
        rows.put_message(state, place, message)
        lane = rows.lane_of(record.key, record.conversation_id, message.given)
        row = rows.row_around(state, lane, rows.order_key(message.message))
        assert row is not None, "a message without a session"
        return self._replace(state, lane, [row], [_extent(row)], touch)

    def _retract(
        self, state: StageState, record: MessageRetracted, place: bytes, touch: _Touch
    ) -> list[SessionRevised]:
        message = rows.get_message(state, place)
        lane = rows.lane_of(record.key, record.conversation_id, message.given)
        rows.put_place(state, lane.conversation, record.message_id, b"")
        rows.delete_message(state, place)
        return self._changed(state, lane, rows.order_key(message.message), touch)

    def _changed(self, state: StageState, lane: Lane, key: bytes, touch: _Touch) -> list[SessionRevised]:
        cut = cut_around(state, lane, key, self._limits)
        return self._replace(state, lane, cut.old, cut.new, touch)

    def _replace(
        self, state: StageState, lane: Lane, old: Sequence[SessionRow], pieces: Sequence[Piece], touch: _Touch
    ) -> list[SessionRevised]:
        """Put new sessions in the place of old ones and publish what must not wait."""
        former = {row.identity: row for row in old}
        shown = shown_ids(old)
        latest, current = self._store(state, lane, old, pieces, touch)
        published = self._close_outgrown(state, lane, latest, touch.now)
        together = len(current) > 1 and bool(shown)
        for row in gaining_first(lane, old, current):
            many = row.unpublished >= self._limits.publish_after
            if together or many or self._has_closed(row, former.get(row.identity)):
                published += self._publish(state, row, touch.now, flush=False)
        if len(current) != 1:
            names = {row.session_id for row in current}
            gone = [name for name in shown if name not in names] if current or shown else [old[0].session_id]
            published += [emptied(state, lane, touch.partition, name, touch.offset, touch.received_at) for name in gone]
        return only_last_claims(published, touch.offset)

    def _store(
        self, state: StageState, lane: Lane, old: Sequence[SessionRow], pieces: Sequence[Piece], touch: _Touch
    ) -> tuple[bytes, list[SessionRow]]:
        """Write the new rows; returns the conversation's latest session start and the rows, in order."""
        stored = {row.first: row for row in old}
        former = {row.identity: row.published for row in old}
        shown = shown_ids(old)
        kept = {piece.first for piece in pieces}
        for row in old:
            if row.first not in kept:
                rows.save(state, row, None, self._limits)
        latest = max([rows.latest_start(state, lane), *(piece.first for piece in pieces)])
        current: list[SessionRow] = []
        for piece in pieces:
            row = _row(lane, piece, old, touch)
            published = former.get(row.identity, "never")
            if shown and published == "never" and row.session_id in shown:
                published = "open"
            absorbed = [name for name in shown if name != row.session_id] if len(pieces) == 1 else []
            row = msgspec.structs.replace(
                row, published=published, absorbed=tuple(absorbed), growing=self._can_grow(row, latest)
            )
            rows.save(state, stored.get(row.first), row, self._limits)
            current.append(row)
        return latest, current

    def _close_outgrown(self, state: StageState, lane: Lane, latest: bytes, now: int) -> list[SessionRevised]:
        """Sessions that could grow until a later one of the conversation began."""
        published: list[SessionRevised] = []
        for row in rows.growing_rows(state, lane):
            if row.last < latest:
                closed = msgspec.structs.replace(row, growing=False)
                rows.save(state, row, closed, self._limits)
                if closed.due(self._limits) is not None:
                    published += self._publish(state, closed, now, flush=False)
        return published

    def _can_grow(self, row: SessionRow, latest: bytes) -> bool:
        return not row.ended and row.count < self._limits.max_messages and latest <= row.last

    def _has_closed(self, row: SessionRow, before: SessionRow | None) -> bool:
        """Whether this record ended its growth; one that was late for it does not count."""
        if row.growing:
            return False
        return before.growing if before is not None else row.ended or row.count >= self._limits.max_messages

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Publish what is due by ``now``. Costs by what is due."""
        return self._publish_all(state, rows.waiting_rows(state, now), now, flush=False)

    def flush(self, state: StageState, now: int, space: SpaceKey | None = None) -> Sequence[Output]:
        """Publish, closed, every session that is not published closed as it stands (end of an import).

        Costs by the number of sessions that wait, in whatever space.
        """
        waiting = rows.waiting_rows(state, None)
        wanted = [row for row in waiting if space is None or (row.lane.tenant, row.lane.space) == space]
        return self._publish_all(state, wanted, now, flush=True)

    def _publish_all(self, state: StageState, waiting: Iterable[SessionRow], now: int, *, flush: bool) -> list[Output]:
        return [
            Output(topic="sessions", record=revision)
            for row in waiting
            for revision in self._publish(state, row, now, flush=flush)
        ]

    def _publish(self, state: StageState, row: SessionRow, now: int, *, flush: bool) -> list[SessionRevised]:
        """The session as it stands, then, empty, those that became part of it."""
        closed = flush or not row.growing or now >= row.arrived + self._limits.gap_us
        done = msgspec.structs.replace(
            row, published="closed" if closed else "open", dirty_from=None, unpublished=0, absorbed=(), shown=now
        )
        rows.save(state, row, done, self._limits)
        revisions = [revised(state, row, closed=closed)]
        for name in row.absorbed:
            revisions.append(emptied(state, row.lane, row.partition, name, row.touched, row.learned_at))
        return only_last_claims(revisions, row.touched if row.dirty_from is None else row.dirty_from)


def _is_erasure(record: MessagePosted | MessageEdited | MessageRetracted) -> bool:
    """Its message may be unknown: what was parked is erased too."""
    return isinstance(record, MessageRetracted) and record.erased


def _claimed(state: StageState, lane: Lane, touch: _Touch) -> SessionRevised:
    """Claims an erasure that changes no session, or nobody would ever say that it was read.

    Its session is the one of no message: no other has that name.
    """
    name = session_id(SpaceKey(lane.tenant, lane.space), lane.conversation_id, "")
    return emptied(state, lane, touch.partition, name, touch.offset, touch.received_at)


def _extent(row: SessionRow) -> Piece:
    return Piece(chunk=row.chunk, first=row.first, last=row.last, count=row.count, ended=row.ended)


def _row(lane: Lane, piece: Piece, old: Sequence[SessionRow], touch: _Touch) -> SessionRow:
    """A changed session; whatever was unpublished of the ones it is made of is unpublished of it."""
    dirty = [row.dirty_from for row in old if row.dirty_from is not None]
    return SessionRow(
        lane=lane,
        partition=touch.partition,
        chunk=piece.chunk,
        first=piece.first,
        last=piece.last,
        count=piece.count,
        ended=piece.ended,
        touched=touch.offset,
        learned_at=max([touch.received_at, *(row.learned_at for row in old)]),
        arrived=touch.now,
        published="never",
        dirty_from=min([touch.offset, *dirty]),
        unpublished=sum(row.unpublished for row in old) + 1,
        absorbed=(),
        growing=False,
        since=min([touch.now, *(row.since or row.arrived for row in old if row.dirty_from is not None)]),
        shown=max((row.shown for row in old if row.shown is not None), default=None),
    )
