"""A delta with what its event says, for the readers of the stream. The same for every runtime."""

from __future__ import annotations

from collections.abc import Callable

from schemas.deltas import EdgeChanged, EventChanged
from schemas.events import Event
from schemas.ids import MessageKey

from .api import Told


def told(
    position: int,
    delta: EventChanged | EdgeChanged,
    said: Callable[[str], Event | None],
    canonical: Callable[[str], str],
) -> Told:
    """The delta at a position.

    Args:
        position: its place in the stream.
        delta: the change.
        said: what an event says, also of one that is no longer live; None of what is not known.
        canonical: a name as it is looked up: case-folded, through the alias table.
    """
    event = said(delta.event_id) if isinstance(delta, EventChanged) else None
    about = delta.about if isinstance(delta, EventChanged) else None
    names = () if about is None else about.participants
    return Told(
        position=position, delta=delta, event=event, names=tuple(sorted({canonical(name) for name in names})),
        by=_by(delta, said),
    )  # fmt: skip


def _by(delta: EventChanged | EdgeChanged, said: Callable[[str], Event | None]) -> tuple[MessageKey, ...]:
    """The messages of what has come to supersede or contest the event."""
    if not isinstance(delta, EventChanged) or delta.new is None:
        return ()
    before = set[str]() if delta.old is None else {*delta.old.superseded_by, *delta.old.contested_by}
    names = (name for name in (*delta.new.superseded_by, *delta.new.contested_by) if name not in before)
    newer = [event for name in names if (event := said(name)) is not None]
    return tuple(sorted({MessageKey(s.conversation_id, s.message_id) for event in newer for s in event.sources}))
