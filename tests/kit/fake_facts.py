"""What the small system's messages state, and which of it holds: "ATTRIBUTE is VALUE", until the next on the same."""

from __future__ import annotations

from collections.abc import Iterable

from query.api import Citation, ReplacedBy, StateEntry
from schemas.events import Event, Source, Stated
from schemas.ids import SpaceKey, event_id
from schemas.times import parse_time
from schemas.wire import MessageIn
from tests.kit.events import by, stated


def facts(space: SpaceKey, messages: Iterable[MessageIn], at: int) -> tuple[StateEntry, ...]:
    """The statements in the order they were said, each with how it stands at an instant."""
    events = sorted(
        (_event(space, message) for message in messages if " is " in message.content), key=lambda event: event.stated
    )
    entries: list[StateEntry] = []
    for number, event in enumerate(events):
        same = (later for later in events[number + 1 :] if _about(later) == _about(event))
        entries.append(_entry(event, next(same, None), at))
    return tuple(entries)


def _about(event: Event) -> tuple[str | None, str | None]:
    return event.subject, event.attribute


def _event(space: SpaceKey, message: MessageIn) -> Event:
    sent_at, _ = parse_time(message.sent_at)
    attribute, _, value = message.content.partition(" is ")
    span = (message.conversation_id, message.message_id, 0, len(message.content))
    source = Source(conversation_id=span[0], message_id=span[1], start=span[2], end=span[3])
    return stated(
        event_id(space, [span], "state_change", message.content),
        message.content,
        sent_at,
        **by(message.speaker),
        sources=(source,),
        stated=Stated(sent_at, message.seq or 0, message.message_id, 0),
        attribute=attribute,
        value=value,
    )


def _entry(event: Event, successor: Event | None, at: int) -> StateEntry:
    start = event.stated.sent_at
    until = None if successor is None else successor.stated.sent_at
    ended = until is not None and at >= until
    source = event.sources[0]
    replaced: tuple[ReplacedBy, ...] = ()
    if successor is not None and ended:
        by = successor.sources[0]
        replaced = (
            ReplacedBy(
                event_id=successor.id,
                kind="change",
                text=successor.text,
                conversation_id=by.conversation_id,
                message_id=by.message_id,
            ),
        )
    return StateEntry(
        event=event,
        status="superseded" if ended else "not_yet" if at < start else "valid",
        validity=0.0 if ended else 1.0,
        valid_from=start,
        valid_until=until,
        contested_by=(),
        superseded_by=replaced,
        citations=(
            Citation(
                event_id=event.id,
                conversation_id=source.conversation_id,
                message_id=source.message_id,
                speaker=event.speaker or "",
                sent_at=start,
                utc_offset_min=0,
                quote=event.text,
            ),
        ),
    )
