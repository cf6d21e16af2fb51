"""The distil stage: every session revision becomes one set of events, also when the set is empty.

A set that is too large for a record, or for a step of whoever links it, is written in parts (``streams.parts``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from schemas.codec import BadRecordError
from schemas.events import Event, EventsDistilled
from schemas.sessions import SessionRevised
from schemas.topics import TopicName

from ..activation import Announced, announced, announcement
from ..keys import state_key
from ..parts import PARTS, PartLimits, named, split
from ..ports import Entry, Output, StageState
from .naming import learn
from .protocol import Distiller


class DistilStage:
    """``sessions`` in, ``events`` out, plus one ``ProducerActivated`` per space before its first set, and what is said
    of names as words on aliases (``naming``).

    State: one key per space, so a restart activates nothing twice and another producer is activated once; names.

    Args:
        distiller: reads every revision.
        announces: the producer to activate when that is a slower one, with the distiller as its last fallback.
        limits: of what one record holds.
    """

    name = "distil"
    inputs: tuple[TopicName, ...] = ("sessions",)

    def __init__(self, distiller: Distiller, announces: str | None = None, limits: PartLimits = PARTS) -> None:
        self._distiller = distiller
        self._limits = limits
        self.producer = announces or distiller.producer

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Distil one session revision. Raises ``BadRecordError`` for another record."""
        session = entry.record
        if not isinstance(session, SessionRevised):
            raise BadRecordError(f"distil reads sessions, not {type(session).__name__}")
        events = self._distiller.distil(session)
        sets = sets_of(session, self._distiller.producer, events, state, self._limits)
        return (*self._activation(session, state), *sets, *learn(session, state))

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Nothing waits for time here."""
        return ()

    def _activation(self, session: SessionRevised, state: StageState) -> tuple[Output, ...]:
        key = state_key("announced", session.key)
        known = state.get(key)
        former = None if known is None else msgspec.msgpack.decode(known, type=Announced)
        beside = self._distiller.producer
        record = announcement(session.key, "distil", self.producer, former, session.learned_at, beside)
        if record is None:
            return ()
        state.put(key, msgspec.msgpack.encode(announced(record)))
        return (Output(topic="producers", record=record),)


def sets_of(
    session: SessionRevised, producer: str, events: Sequence[Event], state: StageState, limits: PartLimits = PARTS
) -> list[Output]:
    """What a producer found in a session, in as many sets as it takes. Only the last claims what the session covers.

    Args:
        session: the revision that was read; every part says that all of it was.
        producer: whose events these are.
        events: in stated order.
        state: of the distil stage.
        limits: of what one record holds.
    """
    kept = capped(events, limits.statements)
    cut = split(kept, limits.size, limits.events)
    parts = named("events", "events", session.key, session.session_id, cut, state)
    return [
        Output(
            topic="events",
            record=EventsDistilled(
                tenant=session.tenant,
                space=session.space,
                conversation_id=session.conversation_id,
                session_id=name,
                producer=producer,
                revision=session.revision,
                events=part,
                read=tuple(message.message_id for message in session.messages),
                slice=(session.conversation_id,),
                covers=session.covers if number == len(parts) else 0,
                learned_at=session.learned_at,
                left_out=len(events) - len(kept) if number == 1 else 0,
            ),
        )
        for number, (name, part) in enumerate(parts, start=1)
    ]


def capped(events: Sequence[Event], most: int) -> Sequence[Event]:
    """The events without those beyond the first ``most`` of a message, in stated order."""
    if len(events) <= most:
        return events
    counts = Counter[str]()
    kept: list[Event] = []
    for event in events:
        counts[event.stated.message_id] += 1
        if counts[event.stated.message_id] <= most:
            kept.append(event)
    return kept
