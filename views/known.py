"""Transaction time: when we learned what a record says, and whether that was by an instant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter

from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.control import ClockReached, ConversationErased, MessageErased, ProducerActivated, SpaceErased
from schemas.dead_letters import DeadLetter, LetterRedriven, RedriveBegun
from schemas.edges import EdgesAsserted, EdgesInferred
from schemas.entry import Entry
from schemas.events import EventsAsserted, EventsDistilled
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.themes import SessionThemed

_TIMES: dict[type[Record], Callable[[Record], int]] = {
    **dict.fromkeys((MessagePosted, MessageEdited, MessageRetracted), attrgetter("received_at")),
    **dict.fromkeys(
        (EventsDistilled, EventsAsserted, EdgesInferred, EdgesAsserted, SessionThemed), attrgetter("learned_at")
    ),
    **dict.fromkeys(
        (
            EdgeAccepted, EdgeRuledOut, RulingWithdrawn, AliasMerged, AliasSplit, ProducerActivated, ClockReached,
            SpaceErased, ConversationErased, MessageErased, RedriveBegun, LetterRedriven,
        ),
        attrgetter("at"),
    ),
    DeadLetter: attrgetter("parked_at"),
}  # fmt: skip
"""Looked up for every record, so by its type."""

_ERASURES = frozenset({SpaceErased, ConversationErased, MessageErased})


def transaction_time(record: Record) -> int:
    """When we learned it, microseconds UTC.

    Of what is derived from messages, when the newest message it rests on was received, so that a replay learns nothing
    later than the first run did; of a parked record, when it was parked, and of its redrive, when that was.

    Raises:
        TypeError: the view reads no such record; a bug of the caller.
    """
    at = _TIMES.get(type(record))
    if at is None:
        raise TypeError(f"{type(record).__name__} has no transaction time")
    return at(record)


def counts_from(record: Record) -> int:
    """Since when a record counts in reads of the past: since we learned it.

    What is erased is erased at all times: nobody learns by asking about the past what he may not learn now.
    """
    return 0 if type(record) in _ERASURES else transaction_time(record)


def known_by(record: Record, known_at: int) -> bool:
    """Whether the record counts in a read of what was known at an instant."""
    return counts_from(record) <= known_at


def in_time_order(entries: Iterable[Entry]) -> list[Entry]:
    """Records by the time they count from, equal ones in the order given: folded so, they leave an exact history."""
    return sorted(entries, key=lambda entry: counts_from(entry.record))
