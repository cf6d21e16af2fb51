"""Deltas: what one record changed in the view, with its cause."""

from __future__ import annotations

from schemas.deltas import About, Cause, DeltaRecord, EdgeChanged, EventChanged, Validity
from schemas.entry import Entry
from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted

from .reasons import Standing, reason_of, standing
from .rows import EdgeRow, EventRow
from .spec import View


def cause_of(entry: Entry) -> Cause:
    """The record's place, and the message it is about where it is about one."""
    record = entry.record
    if type(record) is MessagePosted or type(record) is MessageEdited or type(record) is MessageRetracted:
        return Cause(
            topic=entry.topic, partition=entry.partition, offset=entry.offset,
            conversation_id=record.conversation_id, message_id=record.message_id,
        )  # fmt: skip
    return Cause(topic=entry.topic, partition=entry.partition, offset=entry.offset)


def validity_of(row: EventRow) -> Validity:
    """The derived part of a row, as a delta carries it."""
    return Validity(
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        demoted_from=row.demoted_from,
        corrected=row.corrected,
        withdrawal=row.withdrawal,
        superseded_by=tuple([s.event_id for s in row.superseders]) if row.superseders else (),
        contested_by=row.contradicts,
    )


def event_delta(
    space: SpaceKey,
    event_id: str,
    old: EventRow | None,
    new: EventRow | None,
    before: Standing,
    after: Standing,
    cause: Cause,
    learned_at: int,
) -> EventChanged | None:
    """The change of an event, None when neither its validity, nor what it says, nor how it stands is different."""
    was = None if old is None else validity_of(old)
    now = None if new is None else validity_of(new)
    row = new or old
    if row is None or (was == now and before == after and (old is None or new is None or old.event == new.event)):
        return None
    event = row.event
    return EventChanged(
        tenant=space.tenant, space=space.space, event_id=event_id, old=was, new=now, cause=cause,
        learned_at=learned_at, old_status=before.status, status=after.status, reason=reason_of(before, after),
        about=About(participants=event.participants, attribute=event.attribute),
    )  # fmt: skip


def edge_delta(
    space: SpaceKey, edge_id: str, old: EdgeRow | None, new: EdgeRow | None, cause: Cause, learned_at: int
) -> EdgeChanged | None:
    """The change of an edge, None when it is as live and as valid as before."""
    before = (old is not None, None if old is None else old.invalid_from)
    after = (new is not None, None if new is None else new.invalid_from)
    if before == after:
        return None
    return EdgeChanged(
        tenant=space.tenant, space=space.space, edge_id=edge_id, was_live=before[0], live=after[0],
        old_invalid_from=before[1], invalid_from=after[1], cause=cause, learned_at=learned_at,
    )  # fmt: skip


def view_deltas(space: SpaceKey, before: View, after: View, cause: Cause, learned_at: int) -> list[DeltaRecord]:
    """Every difference between two views of a space at ``learned_at``, events before edges, each in id order."""
    old, new = before.events.get, after.events.get
    deltas: list[DeltaRecord | None] = [
        event_delta(
            space,
            i,
            old(i),
            new(i),
            standing(old(i), old, learned_at),
            standing(new(i), new, learned_at),
            cause,
            learned_at,
        )
        for i in sorted({*before.events, *after.events})
    ]
    deltas += [
        edge_delta(space, i, before.edges.get(i), after.edges.get(i), cause, learned_at)
        for i in sorted({*before.edges, *after.edges})
    ]
    return [delta for delta in deltas if delta is not None]
