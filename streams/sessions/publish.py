"""Revisions of sessions: what they say, in which order they go out, and which messages they may claim."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from schemas.ids import SpaceKey
from schemas.sessions import SessionRevised

from ..ports import Output, StageState
from .rows import Lane, SessionRow, lowest_unpublished, messages_of, next_offset


def covers(state: StageState, partition: int, position: int) -> int:
    """All records of the partition of ``messages`` below this are in published sessions.

    Args:
        state: of sessionize.
        partition: of ``messages``.
        position: the next offset sessionize will read. Give the runtime's own where records were parked: a parked
            record leaves no trace in the state.
    """
    lowest = lowest_unpublished(state, partition)
    return position if lowest is None else lowest


def revised(state: StageState, row: SessionRow, *, closed: bool) -> SessionRevised:
    """The session as it stands. Save it as published before: its own records count as covered."""
    return SessionRevised(
        tenant=row.lane.tenant,
        space=row.lane.space,
        conversation_id=row.lane.conversation_id,
        session_id=row.session_id,
        revision=2 * row.touched + closed,
        open=not closed,
        messages=messages_of(state, row),
        covers=covers(state, row.partition, next_offset(state, row.partition)),
        learned_at=row.learned_at,
    )


def emptied(
    state: StageState, lane: Lane, partition: int, session_id: str, touched: int, learned_at: int
) -> SessionRevised:
    """The revision of a session that has no messages any more, by the record at offset ``touched``."""
    return SessionRevised(
        tenant=lane.tenant,
        space=lane.space,
        conversation_id=lane.conversation_id,
        session_id=session_id,
        revision=2 * touched + 1,
        open=False,
        messages=(),
        covers=covers(state, partition, next_offset(state, partition)),
        learned_at=learned_at,
    )


def shown_ids(old: Sequence[SessionRow]) -> list[str]:
    """Ids under which readers of ``sessions`` have messages of these sessions."""
    own = [row.session_id for row in old if row.published != "never"]
    return own + [name for row in old for name in row.absorbed if name not in own]


def gaining_first(lane: Lane, old: Sequence[SessionRow], current: Sequence[SessionRow]) -> Sequence[SessionRow]:
    """The order in which a reader always has every message: who takes one over comes before who gives it up.

    In a given session a new message pushes others into later parts, and a retraction pulls them into earlier ones. A
    part of a run is named by its first message, so it only ever gives to sessions that are new.
    """
    if lane.given is None:
        known = {row.first for row in old}
        return sorted(current, key=lambda row: row.first in known)
    grew = sum(row.count for row in current) > sum(row.count for row in old)
    return list(reversed(current)) if grew else current


def only_last_claims(revisions: Sequence[SessionRevised], offset: int) -> list[SessionRevised]:
    """Of revisions that go out together only the last may claim the records from ``offset`` on."""
    capped = [msgspec.structs.replace(one, covers=min(one.covers, offset)) for one in revisions[:-1]]
    return [*capped, *revisions[-1:]]


def newest_only(outputs: Sequence[Output]) -> list[Output]:
    """Of outputs that are appended in one write, each session's last revision, in the order of those; others stay.

    A message that lands in the middle of a long conversation moves the border of every session behind it; a batch of
    such messages would publish each of them again and again. Where one is dropped, only the last kept one claims
    anything: what a dropped one showed may come with any of the later ones.
    """
    last: dict[tuple[SpaceKey, str], int] = {}
    for number, output in enumerate(outputs):
        if isinstance(output.record, SessionRevised):
            last[output.record.key, output.record.session_id] = number
    newest = set(last.values())
    revisions = sum(isinstance(output.record, SessionRevised) for output in outputs)
    if len(newest) == revisions:
        return list(outputs)
    kept: list[Output] = []
    for number, output in enumerate(outputs):
        record = output.record
        if not isinstance(record, SessionRevised):
            kept.append(output)
        elif number in newest:
            claimed = record if number == max(newest) else msgspec.structs.replace(record, covers=0)
            kept.append(Output(topic=output.topic, record=claimed))
    return kept
