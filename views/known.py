"""Transaction time: when we learned what a record says, and whether that was by an instant."""

from __future__ import annotations

from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.control import ClockReached, ConversationErased, MessageErased, ProducerActivated, SpaceErased
from schemas.dead_letters import DeadLetter, LetterRedriven, RedriveBegun
from schemas.edges import EdgesAsserted, EdgesInferred
from schemas.events import EventsAsserted, EventsDistilled
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.themes import SessionThemed


def transaction_time(record: Record) -> int:
    """When we learned it, microseconds UTC.

    Of what is derived from messages, when the newest message it rests on was received, so that a replay learns nothing
    later than the first run did; of a parked record, when it was parked, and of its redrive, when that was.

    Raises:
        TypeError: the view reads no such record; a bug of the caller.
    """
    match record:
        case MessagePosted() | MessageEdited() | MessageRetracted():
            return record.received_at
        case EventsDistilled() | EventsAsserted() | EdgesInferred() | EdgesAsserted() | SessionThemed():
            return record.learned_at
        case EdgeAccepted() | EdgeRuledOut() | RulingWithdrawn() | AliasMerged() | AliasSplit():
            return record.at
        case ProducerActivated() | ClockReached() | SpaceErased() | ConversationErased() | MessageErased():
            return record.at
        case RedriveBegun() | LetterRedriven():
            return record.at
        case DeadLetter():
            return record.parked_at
        case _:
            raise TypeError(f"{type(record).__name__} has no transaction time")


def known_by(record: Record, known_at: int) -> bool:
    """Whether the record was known at an instant.

    What is erased is erased at all times: nobody learns by asking about the past what he may not learn now.
    """
    if isinstance(record, SpaceErased | ConversationErased | MessageErased):
        return True
    return transaction_time(record) <= known_at
