"""The distil stage: every session revision becomes one set of events, also when the set is empty."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from schemas.codec import BadRecordError
from schemas.events import EventsDistilled
from schemas.sessions import SessionRevised
from schemas.topics import TopicName

from ..activation import Announced, announced, announcement
from ..keys import state_key
from ..ports import Entry, Output, StageState
from .protocol import Distiller


class DistilStage:
    """``sessions`` in, ``events`` out, plus one ``ProducerActivated`` per space before its first set.

    State: one key per space, so a restart activates nothing twice and another producer is activated once.

    Args:
        distiller: reads every revision.
        announces: the producer to activate when that is a slower one, with the distiller as its last fallback.
    """

    name = "distil"
    inputs: tuple[TopicName, ...] = ("sessions",)

    def __init__(self, distiller: Distiller, announces: str | None = None) -> None:
        self._distiller = distiller
        self.producer = announces or distiller.producer

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Distil one session revision. Raises ``BadRecordError`` for another record."""
        session = entry.record
        if not isinstance(session, SessionRevised):
            raise BadRecordError(f"distil reads sessions, not {type(session).__name__}")
        return (*self._activation(session, state), self._set(session))

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

    def _set(self, session: SessionRevised) -> Output:
        record = EventsDistilled(
            tenant=session.tenant,
            space=session.space,
            conversation_id=session.conversation_id,
            session_id=session.session_id,
            producer=self._distiller.producer,
            revision=session.revision,
            events=self._distiller.distil(session),
            read=tuple(message.message_id for message in session.messages),
            slice=(session.conversation_id,),
            covers=session.covers,
            learned_at=session.learned_at,
        )
        return Output(topic="events", record=record)
