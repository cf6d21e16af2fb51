"""A statement that was found in a message, as an event of its session."""

from __future__ import annotations

from schemas.events import Event, Source, Stated
from schemas.ids import SpaceKey, event_id
from schemas.sessions import SessionMessage, SessionRevised

from .rules import CONFIDENCE
from .statement import Statement


def as_event(session: SessionRevised, message: SessionMessage, s: Statement) -> Event:
    """The event; its id comes from the message's place and words alone."""
    text = message.content[s.start : s.end]
    spans = ((session.conversation_id, message.message_id, s.start, s.end),)
    return Event(
        id=event_id(SpaceKey(session.tenant, session.space), spans, s.kind.type, text),
        type=s.kind.type,
        subject=s.subject.name or None,
        participants=tuple(p for p in s.people if p),
        speaker=message.speaker or None,
        text=text,
        sources=(
            Source(conversation_id=session.conversation_id, message_id=message.message_id, start=s.start, end=s.end),
        ),
        stated=Stated(message.sent_at, message.seq, message.message_id, s.start),
        anchor=s.times.anchor,
        valid_from=s.times.valid_from,
        ends_at=s.times.ends_at,
        holds=s.times.holds,
        modality=s.kind.modality,
        polarity=s.kind.polarity,
        attribute=s.attribute,
        value=s.value,
        expected_until=s.times.expected_until,
        confidence=CONFIDENCE[s.kind.rule],
    )
