"""The distil stage with a model: rules read every revision at once, the model a session that is closed.

The stage asks by a record and is answered by a record, so it never waits, decides the same in every replay, and one
session's trouble is nobody else's. Until the reply is there, and where none comes, the rules' set counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from schemas.asking import AskWithdrawn, ModelAsked, ModelReplied, ReplyRead
from schemas.codec import BadRecordError, encode
from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.sessions import SessionRevised
from schemas.topics import TopicName

from ...keys import state_key
from ...llm.asking import Model
from ...ports import Entry, Output, StageState
from ..protocol import Distiller
from ..stage import DistilStage, sets_of
from .parts import distil_producer
from .pending import Moved, Pending, PendingPart, begin, merged, move_on, prompt_of


class ModelDistilStage:
    """``sessions`` and ``replies`` in; ``events`` of two producers, ``asks`` and what came of replies out.

    Satisfies ``streams.ports.Stage``. State, beside that of ``DistilStage``: per session what it waits for, per
    question its session, and every reply, so that the same question is asked once.
    """

    name = "distil"
    inputs: tuple[TopicName, ...] = ("sessions", "replies")

    def __init__(self, rules: Distiller, model: Model) -> None:
        self._model = model
        self.producer = distil_producer(model)
        self._rules = DistilStage(rules, announces=self.producer)

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Nothing waits for time here."""
        return ()

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Fold one record. Raises ``BadRecordError`` for one of another topic."""
        record = entry.record
        if isinstance(record, SessionRevised):
            return self._session(record, entry, state, now)
        if isinstance(record, ModelReplied):
            return self._reply(record, entry, state, now) if record.stage == "distil" else ()
        if isinstance(record, ReplyRead):
            return ()
        raise BadRecordError(f"distil reads sessions and replies, not {type(record).__name__}")

    def _session(self, session: SessionRevised, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        outputs = list(self._rules.apply(entry, state, now))
        former = self._pending(session.key, session.session_id, state)
        if former is not None and former.session.revision >= session.revision:
            return outputs
        pending = None if session.open or not session.messages else begin(self._model, session)
        if former is not None:
            again = frozenset[str]() if pending is None else {part.ask_id for part in pending.waiting}
            outputs += self._forget(former, again, session.learned_at, state)
        if pending is None:
            return outputs
        return outputs + self._go_on(pending, pending.waiting, entry, state, now)

    def _reply(self, reply: ModelReplied, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        if reply.outcome == "failed":
            return ()  # the desk parks the question; the session goes on waiting for another reply
        key = state_key("reply", reply.key, reply.ask_id)
        if state.get(key) is not None:
            return ()  # answered before: the first answer stands
        state.put(key, msgspec.msgpack.encode(reply))
        asked = state_key("asked", reply.key, reply.ask_id)
        asked_by = state.get(asked)
        state.delete(asked)
        pending = None if asked_by is None else self._pending(reply.key, asked_by.decode(), state)
        part = None if pending is None else _waiting(pending, reply.ask_id)
        return [] if pending is None or part is None else self._go_on(pending, (part,), entry, state, now)

    def _go_on(
        self, pending: Pending, parts: Sequence[PendingPart], entry: Entry, state: StageState, now: int
    ) -> list[Output]:
        """Ask about the parts, or use the replies that are there, until nothing is left to do but wait."""
        session, outputs, queue = pending.session, list[Output](), list(parts)
        while queue:
            part = queue.pop(0)
            raw = state.get(state_key("reply", session.key, part.ask_id))
            if raw is None:
                outputs.append(self._ask(pending, part, state))
                continue
            reply = msgspec.msgpack.decode(raw, type=ModelReplied)
            moved = move_on(self._model, pending, part, reply)
            outputs += self._told(moved, pending, reply, entry, now)
            if moved.pending is None:
                unasked = {output.record.ask_id for output in outputs if isinstance(output.record, ModelAsked)}
                told = [output for output in outputs if not isinstance(output.record, ModelAsked)]
                return told + self._forget(pending, unasked, session.learned_at, state)
            if moved.asked and pending.producer != self.producer:
                return outputs + self._begin(pending, entry, state, now)
            pending = moved.pending
            queue += moved.asked
        if pending.waiting:
            state.put(state_key("pending", session.key, session.session_id), msgspec.msgpack.encode(pending))
            return outputs
        state.delete(state_key("pending", session.key, session.session_id))
        return [*outputs, *sets_of(session, pending.producer, merged(pending.events), state)]

    def _begin(self, former: Pending, entry: Entry, state: StageState, now: int) -> list[Output]:
        """Ask anew about a session that another model or prompt was asked about and would have to be asked again: half
        of an answer by each would be nobody's."""
        withdrawn = self._forget(former, frozenset(), former.session.learned_at, state)
        pending = begin(self._model, former.session)
        return withdrawn + self._go_on(pending, pending.waiting, entry, state, now)

    def _ask(self, pending: Pending, part: PendingPart, state: StageState) -> Output:
        session = pending.session
        state.put(state_key("asked", session.key, part.ask_id), session.session_id.encode())
        record = ModelAsked(
            tenant=session.tenant,
            space=session.space,
            stage="distil",
            ask_id=part.ask_id,
            producer=self.producer,
            session_id=session.session_id,
            conversation_id=session.conversation_id,
            prompt=prompt_of(self._model, pending, part),
            about=(),
            learned_at=session.learned_at,
        )
        return Output(topic="asks", record=record)

    def _told(self, moved: Moved, pending: Pending, reply: ModelReplied, entry: Entry, now: int) -> list[Output]:
        reading, session = moved.reading, pending.session
        record = ReplyRead(
            tenant=session.tenant,
            space=session.space,
            stage="distil",
            ask_id=reply.ask_id,
            session_id=session.session_id,
            producer=pending.producer,
            kept=len(reading.events),
            invalid=reading.invalid,
            ungrounded=reading.ungrounded,
            unsaid=reading.unsaid,
            outcome=moved.outcome,
            problem=reading.problem,
            learned_at=session.learned_at,
        )
        told = [Output(topic="replies", record=record)]
        return [*told, _parked(session, reply, reading.problem, entry, now)] if moved.outcome == "parked" else told

    def _pending(self, space: SpaceKey, session_id: str, state: StageState) -> Pending | None:
        raw = state.get(state_key("pending", space, session_id))
        if raw is None:
            return None
        pending = msgspec.msgpack.decode(raw, type=Pending)
        return msgspec.structs.replace(pending, producer=pending.producer or self.producer)

    @staticmethod
    def _forget(former: Pending, apart: AbstractSet[str], learned_at: int, state: StageState) -> list[Output]:
        """Its session waits for nothing any more: its questions are withdrawn, ``apart`` from some that are asked again
        or were never written."""
        session = former.session
        state.delete(state_key("pending", session.key, session.session_id))
        outputs: list[Output] = []
        for part in former.waiting:
            asked = state_key("asked", session.key, part.ask_id)
            if state.get(asked) is None:
                continue
            state.delete(asked)
            if part.ask_id not in apart:
                record = AskWithdrawn(
                    tenant=session.tenant, space=session.space, stage="distil", ask_id=part.ask_id,
                    session_id=session.session_id, learned_at=learned_at,
                )  # fmt: skip
                outputs.append(Output(topic="asks", record=record))
        return outputs


def _waiting(pending: Pending, ask_id: str) -> PendingPart | None:
    return next((part for part in pending.waiting if part.ask_id == ask_id), None)


def _parked(session: SessionRevised, reply: ModelReplied, problem: str, entry: Entry, now: int) -> Output:
    """The reply that could not be used, for people to look at: another prompt or model may do better."""
    letter = DeadLetter(
        tenant=session.tenant, space=session.space, stage="distil", topic="replies", partition=entry.partition,
        offset=entry.offset, error=f"session {session.session_id}: {problem}", payload=encode(reply),
        conversation_id=session.conversation_id, message_id=None, parked_at=now,
    )  # fmt: skip
    return Output(topic="dead-letters", record=letter)
