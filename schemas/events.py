"""Topic ``events``: typed statements distilled from sessions, or asserted by a producer (Eq. 5, extended)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from .record import Record
from .times import Precision

EventType = Literal["action", "state_change", "preference", "plan"]
Modality = Literal["asserted", "planned"]
Polarity = Literal["affirmed", "negated"]
Resolution = Literal["explicit", "relative", "message_time"]


class Source(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Where a statement stands: characters ``[start, end)`` of a message's content (code points)."""

    conversation_id: str
    message_id: str
    start: int
    end: int


class Stated(NamedTuple):
    """When it was said, as a total order: (sent_at, seq, message id, character offset) of the last source span.

    For an event without a source message: (asserted_at, position in the batch, batch id, 0).
    """

    sent_at: int
    seq: int
    message_id: str
    offset: int


class Anchor(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The time a statement is about: half-open ``[start, until)`` in microseconds UTC.

    ``phrase`` is the text it was resolved from (None for the message time), ``resolution`` how.
    """

    start: int
    until: int
    precision: Precision
    phrase: str | None
    resolution: Resolution


class Event(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One state-bearing statement. Validity is never stored on it: the view derives it.

    Attributes:
        id: content-derived (``schemas.ids.event_id``).
        type: the paper's tau.
        subject: canonical name of whom or what it is about; None when unknown.
        participants: canonical names, sorted, the subject among them when it is a person.
        speaker: who said it (the author), which may differ from the subject.
        text: the statement, readable on its own.
        sources: the spans it rests on; empty only for an API producer's assertion without a message.
        stated: when it was said (total order).
        anchor: the time it is about.
        valid_from: since when it holds, microseconds UTC; set only when the text says when the state began or begins.
        ends_at: half-open end, only when the text says it.
        holds: present, future, "since …" and reported change; False for "used to", closed periods, recollections.
        modality: asserted or planned; nothing else becomes an event.
        polarity: affirmed or negated.
        attribute: what it is about ("employer", "home"), when known.
        value: the attribute's value as said, when known.
        expected_until: for plans, half-open instant after which it has lapsed if nothing followed.
        confidence: the producer's own, in [0, 1].
    """

    id: str
    type: EventType
    subject: str | None
    participants: tuple[str, ...]
    speaker: str | None
    text: str
    sources: tuple[Source, ...]
    stated: Stated
    anchor: Anchor
    valid_from: int | None
    ends_at: int | None
    holds: bool
    modality: Modality
    polarity: Polarity
    attribute: str | None
    value: str | None
    expected_until: int | None
    confidence: float


class EventsDistilled(Record, frozen=True, kw_only=True, tag="events_distilled", omit_defaults=True):
    """The set of events of (session, producer) at a revision: replaces the former set, also when empty.

    ``session_id`` names the session, or a part of its set where that is too large for one record (``schemas.parts``).

    ``revision``: that of the session it was made from. ``read`` lists the ids of every message the producer read,
    whether or not it yielded an event. ``slice``: the conversations it read. ``covers`` and ``learned_at`` as in
    ``SessionRevised``. ``left_out``: statements of the session beyond what is kept of one message, told in the first
    part.
    """

    conversation_id: str
    session_id: str
    producer: str
    revision: int
    events: tuple[Event, ...]
    read: tuple[str, ...]
    slice: tuple[str, ...]
    covers: int
    learned_at: int
    left_out: int = 0


class EventsAsserted(Record, frozen=True, kw_only=True, tag="events_asserted"):
    """Events a producer asserts itself. The same (producer, batch id) replaces, a new batch id adds.

    ``asserted_at`` (microseconds UTC) is the stated time of events without a source message. ``covers``: end of
    ``messages`` when it was accepted; an edit of a source message from there on makes its events stale. The batch read
    no session, so unlike that of ``EventsDistilled`` it says nothing about what is applied.
    """

    producer: str
    batch_id: str
    revision: int
    events: tuple[Event, ...]
    slice: tuple[str, ...]
    asserted_at: int
    covers: int
    learned_at: int


EventRecord = EventsDistilled | EventsAsserted


def read_below(record: EventRecord) -> int:
    """Offset in ``messages`` from which on an edit of a source message was not known when the events were made.

    A session's revision tells the last record that touched it (``SessionRevised``), a batch when it was accepted.
    """
    return session_read_below(record.revision) if isinstance(record, EventsDistilled) else record.covers


def session_read_below(revision: int) -> int:
    """``read_below`` of a session's set at a revision."""
    return revision // 2 + 1
