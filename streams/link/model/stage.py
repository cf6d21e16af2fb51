"""The link stage with a model: rules link every set at once, the model is asked about what they leave open.

At most one question for each closed session: all pairs of it, and of sessions it makes compare anew, that the rules are
unsure of. Until the reply is there the rules' verdicts count; the reply links the sessions anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from schemas.asking import AskWithdrawn, ModelAsked, ModelReplied, ReplyRead
from schemas.codec import encode
from schemas.dead_letters import DeadLetter
from schemas.events import EventsAsserted, EventsDistilled
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.topics import TopicName

from ...classify.protocol import Classifier
from ...keys import state_key
from ...llm.asking import Model
from ...ports import Encoder, Entry, Output, StageState
from ..live import HeldSet, live_sets
from ..session import Pool
from ..space import Space, read_progress
from ..stage import LinkStage, session_of
from .cascade import GIVEN_UP, Cascade, KnownVerdict
from .pending import Moved, PendingQuestion, move_on, questions
from .question import AskedPair, in_order, question
from .reading import verdicts_in
from .standing import changed, find_question, put_question, questions_showing, still_so, take_question


class ModelLinkStage:
    """Inputs of ``LinkStage`` and ``replies`` in; its outputs, ``asks`` and what came of replies out.

    Satisfies ``streams.ports.Stage``. State, beside that of ``LinkStage``: per pair its verdict, per question its
    pairs.

    Args:
        rules: judge every pair first.
        encoder: for the gate.
        model: is asked.
        distiller: the producer whose sets are worth a question where none was activated yet.
    """

    name = "link"
    inputs: tuple[TopicName, ...] = (*LinkStage.inputs, "replies")

    def __init__(self, rules: Classifier, encoder: Encoder, model: Model, distiller: str) -> None:
        self._model = model
        self._distiller = distiller
        self._cascade = Cascade(rules, model)
        self._links = LinkStage(self._cascade, encoder)
        self.producer = self._cascade.producer

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Nothing waits for time."""
        return ()

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Fold one record."""
        record = entry.record
        if isinstance(record, ModelReplied):
            return self._reply(record, entry, state, now) if record.stage == "link" else ()
        if isinstance(record, ReplyRead):
            return ()
        self._bind(record.key, state)
        before = self._links.space(record.key, state).pool
        linked = self._links.apply(entry, state, now)
        withdrawn, left = self._withdraw_stale(record.key, before, state)
        return (*linked, *withdrawn, *self._ask_about_unknown(record, state, left))

    def all_judged_anew(self, key: SpaceKey, cause: str, state: StageState) -> list[Output]:
        """See ``LinkStage``: by the verdicts that are recorded for our model and prompt, asking nothing."""
        self._bind(key, state)
        return self._links.all_judged_anew(key, cause, state)

    # --- asking -----------------------------------------------------------------------------------------------------

    def _bind(self, key: SpaceKey, state: StageState) -> None:
        self._cascade.bind(lambda pair: self._known(key, pair, state))

    @staticmethod
    def _known(key: SpaceKey, pair: str, state: StageState) -> KnownVerdict | None:
        raw = state.get(state_key("verdict", key, pair))
        return None if raw is None else msgspec.msgpack.decode(raw, type=KnownVerdict)

    def _ask_about_unknown(self, record: Record, state: StageState, left: Sequence[AskedPair] = ()) -> list[Output]:
        """About pairs of which both ends are there to stay: the later of the two sets brings the question.

        ``left``: of questions that were withdrawn, pairs that are as they were.
        """
        if not self._cascade.unknown and not left:
            return []
        key = record.key
        final = final_events(self._links.space(key, state), self._distiller)
        unknown = [p for p in self._cascade.unknown if p.newer.id in final and p.older.id in final]
        pairs = in_order([*left, *unknown])
        if not pairs:
            return []
        session_id = final[pairs[-1].newer.id]
        if isinstance(record, EventsDistilled | EventsAsserted):
            session_id = session_of(record)
        return [self._ask(key, one, state) for one in questions(self._model, key, session_id, pairs)]

    def _ask(self, key: SpaceKey, pending: PendingQuestion, state: StageState) -> Output:
        put_question(key, pending, state)
        for pair in pending.pairs:
            _know(key, pair.key, KnownVerdict(state="asked", newer=pair.newer.id), state)
        record = ModelAsked(
            tenant=key.tenant,
            space=key.space,
            stage="link",
            ask_id=pending.ask_id,
            producer=self.producer,
            session_id=pending.session_id,
            conversation_id=None,
            prompt=question(self._model, pending.pairs, pending.problem),
            about=tuple(pair.key for pair in pending.pairs),
            learned_at=read_progress(key, state).learned_at,
        )
        return Output(topic="asks", record=record)

    def _withdraw_stale(self, key: SpaceKey, before: Pool, state: StageState) -> tuple[list[Output], list[AskedPair]]:
        """Questions that show what is there no more, or reads otherwise now, and what is left to ask of them.

        Those to another model or prompt are left alone: what comes of them is that one's.
        """
        space = self._links.space(key, state)
        asked = questions_showing(key, changed(before, space.pool), state)
        if not asked:
            return [], []
        final, judge = final_events(space, self._distiller).keys(), self._cascade.judge
        outputs: list[Output] = []
        left: list[AskedPair] = []
        for ask_id in asked:
            pending = find_question(key, ask_id, state)
            if pending is None or pending.judge != judge:
                continue
            stay = still_so(pending.pairs, space.pool, final, judge)
            if len(stay) < len(pending.pairs):
                outputs.append(self._withdraw(key, pending, state))
                left += [pair for pair in stay if self._known(key, pair.key, state) is None]
        return outputs, left

    def _withdraw(self, key: SpaceKey, pending: PendingQuestion, state: StageState) -> Output:
        """Nobody waits for its reply; its pairs are as if they had never been asked about."""
        take_question(key, pending.ask_id, state)
        for pair in pending.pairs:
            known = self._known(key, pair.key, state)
            if known is not None and known.state == "asked":
                state.delete(state_key("verdict", key, pair.key))
        record = AskWithdrawn(
            tenant=key.tenant, space=key.space, stage="link", ask_id=pending.ask_id, session_id=pending.session_id,
            learned_at=read_progress(key, state).learned_at,
        )  # fmt: skip
        return Output(topic="asks", record=record)

    # --- taking in --------------------------------------------------------------------------------------------------

    def _reply(self, reply: ModelReplied, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        if reply.outcome == "failed":
            return ()  # the desk parks the question; its pairs go on waiting for another reply
        pending = take_question(reply.key, reply.ask_id, state)
        if pending is None:
            return self._take_in_unasked(reply, state)
        if pending.judge != self._cascade.judge:
            return self._take_in_of_another(pending, reply, state)
        return self._take_in(pending, reply, entry, state, now)

    def _take_in(
        self, pending: PendingQuestion, reply: ModelReplied, entry: Entry, state: StageState, now: int
    ) -> list[Output]:
        key = reply.key
        moved = move_on(self._model, key, pending, reply)
        for pair in pending.pairs:
            verdict = moved.reading.verdicts.get(pair.key)
            if verdict is not None:
                _know(key, pair.key, verdict, state)
        for pair in moved.given_up:
            _know(key, pair.key, GIVEN_UP, state)
        outputs = self._told(moved, reply, entry, read_progress(key, state).learned_at, now)
        outputs += [self._ask(key, one, state) for one in moved.asked]
        return outputs + self._link_anew({pair.newer.id for pair in pending.pairs}, reply, state)

    def _take_in_of_another(self, pending: PendingQuestion, reply: ModelReplied, state: StageState) -> list[Output]:
        """A reply to what another model or prompt was asked, before it was changed. Its verdicts stay that judge's and
        count for nothing here; ours is asked about the sessions instead."""
        for pair, verdict in verdicts_in(reply)[0].items():
            _know(reply.key, pair, verdict, state)
        outputs = self._link_anew({pair.newer.id for pair in pending.pairs}, reply, state)
        return outputs + self._ask_about_unknown(reply, state)

    def _take_in_unasked(self, reply: ModelReplied, state: StageState) -> list[Output]:
        """A reply to a question that we have not asked, or not in this company, as in a replay: its verdicts count for
        the pairs that have none. A question that has nothing left to ask by it is withdrawn."""
        key, newer = reply.key, set[str]()
        for pair, verdict in verdicts_in(reply)[0].items():
            known = self._known(key, pair, state)
            if known is None or known.state == "asked":
                _know(key, pair, verdict, state)
                newer |= {known.newer} if known is not None else set()
        if not newer:
            return []
        answered = [
            self._withdraw(key, pending, state)
            for ask_id in questions_showing(key, sorted(newer), state)
            if (pending := find_question(key, ask_id, state)) is not None and not self._waits(key, pending, state)
        ]
        return answered + self._link_anew(newer, reply, state)

    def _waits(self, key: SpaceKey, pending: PendingQuestion, state: StageState) -> bool:
        """Whether a pair of the question has no verdict yet."""
        known = [self._known(key, pair.key, state) for pair in pending.pairs]
        return any(one is None or one.state == "asked" for one in known)

    def _link_anew(self, newer: AbstractSet[str], reply: ModelReplied, state: StageState) -> list[Output]:
        """The sessions that hold the later statements of pairs with new verdicts."""
        self._bind(reply.key, state)
        members = self._links.space(reply.key, state).pool.members
        holding = [session_id for session_id, ids in members.items() if not newer.isdisjoint(ids)]
        return self._links.judged_anew(reply.key, holding, reply.ask_id, state)

    def _told(self, moved: Moved, reply: ModelReplied, entry: Entry, learned_at: int, now: int) -> list[Output]:
        record = ReplyRead(
            tenant=reply.tenant,
            space=reply.space,
            stage="link",
            ask_id=reply.ask_id,
            session_id=reply.session_id,
            producer=self.producer,
            kept=len(moved.reading.verdicts),
            invalid=moved.reading.invalid,
            ungrounded=0,
            unsaid=0,
            outcome=moved.outcome,
            problem=moved.reading.problem,
            learned_at=learned_at,
        )
        told = [Output(topic="replies", record=record)]
        if moved.outcome == "parked":
            told.append(_parked(reply, moved, entry, now))
        return told


def final_events(space: Space, distiller: str) -> dict[str, str]:
    """By event id, a session that holds it in a set that is there to stay: of the active producer, read when the
    session was closed; or a batch.

    What the rules said of a session before the model has read it is not worth a question. ``distiller``: taken for the
    active producer where none was activated yet.
    """
    wanted = distiller if space.ruling is None else space.ruling.producer
    final: dict[str, str] = {}
    for held in live_sets(space.held.values(), space.ruling):
        if held.asserted or (held.producer == wanted and _is_closed(held)):
            for row in held.rows:
                final.setdefault(row.event.id, held.session_id)
    return final


def _is_closed(held: HeldSet) -> bool:
    """See ``schemas.sessions.SessionRevised``: a closed session has an odd revision."""
    return held.rank[0] % 2 == 1


def _know(key: SpaceKey, pair: str, verdict: KnownVerdict, state: StageState) -> None:
    state.put(state_key("verdict", key, pair), msgspec.msgpack.encode(verdict))


def _parked(reply: ModelReplied, moved: Moved, entry: Entry, now: int) -> Output:
    """The reply that could not be used; the rules' verdicts stand for its pairs."""
    left = f"{len(moved.given_up)} pairs without a verdict"
    letter = DeadLetter(
        tenant=reply.tenant, space=reply.space, stage="link", topic="replies", partition=entry.partition,
        offset=entry.offset, error=f"session {reply.session_id}: {moved.reading.problem}; {left}",
        payload=encode(reply), conversation_id=None, message_id=None, parked_at=now,
    )  # fmt: skip
    return Output(topic="dead-letters", record=letter)
