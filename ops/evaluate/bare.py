"""A text as one statement about its speaker, nothing read from it: for what is measured without a distiller."""

from __future__ import annotations

from schemas.events import Anchor, Event, Source, Stated


def bare_statement(
    speaker: str, text: str, sent_at: int, *, conversation_id: str, message_id: str, seq: int = 0
) -> Event:
    """The whole message asserts a state of its speaker; attribute, value and times are unknown. Its id is the event's.

    Args:
        speaker: also the subject and the only participant.
        text: what is said.
        sent_at: microseconds UTC.
        conversation_id: where it is said.
        message_id: what says it.
        seq: orders messages of one instant.
    """
    return Event(
        id=message_id,
        type="state_change",
        subject=speaker,
        participants=(speaker,),
        speaker=speaker,
        text=text,
        sources=(Source(conversation_id=conversation_id, message_id=message_id, start=0, end=len(text)),),
        stated=Stated(sent_at, seq, message_id, len(text)),
        anchor=Anchor(start=sent_at, until=sent_at + 1, precision="minute", phrase=None, resolution="message_time"),
        valid_from=None,
        ends_at=None,
        holds=True,
        modality="asserted",
        polarity="affirmed",
        attribute=None,
        value=None,
        expected_until=None,
        confidence=1.0,
    )
