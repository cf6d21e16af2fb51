"""Whatever the order of arrival, the sessions published in the end are those of the definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import SpaceKey
from schemas.messages import MessagePosted, MessageRecord, MessageRetracted
from schemas.sessions import SessionMessage, SessionRevised
from streams.ports import Output
from streams.sessions.definition import SessionLimits, current_messages, sessions_of
from streams.sessions.publish import covers, newest_only
from streams.sessions.stage import Sessionize
from streams.state import MemoryState
from tests.kit.messages import edit, entry, posted, retract

LIMITS = st.builds(
    SessionLimits,
    gap_us=st.just(10),
    max_messages=st.sampled_from([3, 3, 2, 1]),
    publish_after=st.just(4),
    quiet_us=st.just(5),
)
GIVEN = st.sampled_from([(None, None, None), (None, None, "g"), ("g", "h", None), ("g", "g", "g")])
SPACES = (SpaceKey("t", "s"), SpaceKey("t", "s2"))
IDS = [f"m{n}" for n in range(9)]

PLACE = st.tuples(st.sampled_from([0, 0, 0, 1]), st.sampled_from(["c", "c", "c", "d"]), st.sampled_from(IDS))
POST = st.tuples(
    st.just("post"),
    PLACE,
    st.tuples(
        st.integers(0, 60),
        st.integers(0, 1),
        st.sampled_from([0, 1, 2]),
        st.sampled_from([False, False, False, True]),
    ),
)
EDIT = st.tuples(st.just("edit"), PLACE, st.sampled_from(["new", "newer"]))
RETRACT = st.tuples(st.just("retract"), PLACE, st.none())
ERASE = st.tuples(st.just("erase"), PLACE, st.none())
TICK = st.tuples(st.just("tick"), st.integers(0, 14), st.none())
REDELIVER = st.tuples(st.just("redeliver"), st.integers(1, 3), st.none())
ACTIONS = st.lists(st.one_of(POST, POST, POST, POST, EDIT, RETRACT, ERASE, TICK, REDELIVER), max_size=40)


class Run:
    """Sessionize driven by actions, with the log it read and everything it published."""

    def __init__(self, limits: SessionLimits, given: tuple[str | None, ...] = (None,)) -> None:
        self.limits = limits
        self.given = given
        self.stage = Sessionize(limits)
        self.state = MemoryState()
        self.log: list[MessageRecord] = []
        self.now = 0
        self.published: list[SessionRevised] = []
        self.records: dict[tuple[SpaceKey, str], list[tuple[int, MessageRecord]]] = {}
        self.history: list[dict[tuple[SpaceKey, str], dict[str, SessionMessage]]] = [{}]

    def do(self, action: tuple[str, Any, Any]) -> list[Output]:
        """One action; edits and retractions of what was never posted, or is erased, are left out, as the edge does."""
        what, where, how = action
        if what == "tick":
            self.now += where
            return list(self.stage.tick(self.state, self.now))
        if what == "redeliver":
            again = [(n, r) for n, r in enumerate(self.log)][-where:]
            return [o for n, r in again for o in self.stage.apply(entry(n, r), self.state, self.now)]
        space, conversation, message_id = SPACES[where[0]], where[1], where[2]
        known = self._is_known(space, conversation, message_id)
        record: MessageRecord
        if what == "post":
            sent_at, seq, session, ends = how
            record = posted(
                message_id,
                sent_at,
                space=space,
                conversation=conversation,
                given=self.given[session],
                ends=ends,
                seq=seq,
            )
        elif what == "erase":
            plain = retract(message_id, space=space, conversation=conversation)
            record = msgspec.structs.replace(plain, erased=True)
        elif not known:
            return []
        elif what == "edit":
            record = edit(message_id, how, space=space, conversation=conversation)
        else:
            record = retract(message_id, space=space, conversation=conversation)
        self.remember(record)
        return list(self.stage.apply(entry(len(self.log) - 1, record), self.state, self.now))

    def _is_known(self, space: SpaceKey, conversation: str, message_id: str) -> bool:
        """Posted, and not erased since."""
        place = (space, conversation, message_id)
        about = [r for r in self.log if (r.key, r.conversation_id, r.message_id) == place]
        erased = [n for n, r in enumerate(about) if isinstance(r, MessageRetracted) and r.erased]
        return any(isinstance(r, MessagePosted) for r in about[erased[-1] + 1 if erased else 0 :])

    def take(self, outputs: Sequence[Output]) -> None:
        """Remember what was published, checking that no revision comes twice and none claims too much."""
        for output in outputs:
            assert isinstance(output.record, SessionRevised)
            self.published.append(output.record)
            self.check_covers(output.record.covers)
        self.check_once()

    def latest(self) -> dict[tuple[SpaceKey, str], SessionRevised]:
        """The highest revision of every session."""
        found: dict[tuple[SpaceKey, str], SessionRevised] = {}
        for revision in self.published:
            known = found.get((revision.key, revision.session_id))
            assert known is None or known.revision < revision.revision, "revisions of a session must grow"
            found[revision.key, revision.session_id] = revision
        return found

    def read(self) -> dict[tuple[SpaceKey, str], list[SessionMessage]]:
        """What a reader of the published sessions has, by conversation."""
        found: dict[tuple[SpaceKey, str], list[SessionMessage]] = {}
        for (space, _), revision in self.latest().items():
            found.setdefault((space, revision.conversation_id), []).extend(revision.messages)
        return found

    def remember(self, record: MessageRecord) -> None:
        """Append to the log; keep what the conversation's messages are after it."""
        self.log.append(record)
        key = (record.key, record.conversation_id)
        self.records.setdefault(key, []).append((len(self.log) - 1, record))
        messages = {m.message.message_id: m.message for m in current_messages(self.records[key])}
        self.history.append({**self.history[-1], key: messages})

    def check_covers(self, claimed: int) -> None:
        """Every record below the claim must show in what was published, or be overtaken by a later one that was."""
        read = self.read()
        states = self.history[claimed:]
        for key in states[-1]:
            shown: dict[str, list[SessionMessage]] = {}
            for message in read.get(key, []):
                shown.setdefault(message.message_id, []).append(message)
            for message_id in sorted(states[0].get(key, {}).keys() | shown.keys()):
                right = [state.get(key, {}).get(message_id) for state in states]
                assert any(message in right for message in shown.get(message_id, [None]))

    def check_once(self) -> None:
        """Between steps no message is in two published sessions."""
        for messages in self.read().values():
            assert len({m.message_id for m in messages}) == len(messages)

    def finish(self) -> None:
        """Flush, and compare with the definition."""
        self.take(self.stage.flush(self.state, self.now))
        assert covers(self.state, 0, len(self.log)) == len(self.log)
        assert list(self.stage.flush(self.state, self.now)) == []
        assert list(self.stage.tick(self.state, self.now + 10**6)) == []
        latest = self.latest()
        got = {key: revision.messages for key, revision in latest.items() if revision.messages}
        assert got == self.defined()
        assert all(not revision.open for revision in latest.values())

    def defined(self) -> dict[tuple[SpaceKey, str], tuple[SessionMessage, ...]]:
        """The sessions by definition."""
        return {
            (space, session.id): session.messages
            for (space, conversation), records in self.records.items()
            for session in sessions_of(space, conversation, current_messages(records), self.limits)
        }


@settings(max_examples=300, deadline=None)
@given(actions=ACTIONS, limits=LIMITS, given_ids=GIVEN)
def test_the_final_revisions_are_the_sessions_by_definition(
    actions: list[tuple[str, Any, Any]], limits: SessionLimits, given_ids: tuple[str | None, ...]
) -> None:
    run = Run(limits, given_ids)
    for action in actions:
        run.take(run.do(action))
    run.finish()


@settings(max_examples=150, deadline=None)
@given(actions=ACTIONS, size=st.integers(2, 9), limits=LIMITS, given_ids=GIVEN)
def test_a_batch_that_goes_out_at_once_may_keep_only_the_newest_revision_of_each_session(
    actions: list[tuple[str, Any, Any]], size: int, limits: SessionLimits, given_ids: tuple[str | None, ...]
) -> None:
    run = Run(limits, given_ids)
    for start in range(0, len(actions), size):
        outputs = [output for action in actions[start : start + size] for output in run.do(action)]
        kept = newest_only(outputs)
        names = [output.record.session_id for output in kept if isinstance(output.record, SessionRevised)]
        keys = [output.record.key for output in kept]
        assert len(set(zip(keys, names, strict=True))) == len(kept)
        run.take(kept)
    run.finish()


@settings(max_examples=80, deadline=None)
@given(actions=ACTIONS, at=st.integers(0, 40), limits=LIMITS, given_ids=GIVEN)
def test_a_step_repeated_from_a_saved_state_gives_the_same_outputs(
    actions: list[tuple[str, Any, Any]], at: int, limits: SessionLimits, given_ids: tuple[str | None, ...]
) -> None:
    run = Run(limits, given_ids)
    for number, action in enumerate(actions):
        if number == at:
            saved, length = run.state.copy(), len(run.log)
            first, now = run.do(action), run.now
            rest = run.log[length:]
            again: list[Output] = [
                output for n, r in enumerate(rest, length) for output in run.stage.apply(entry(n, r), saved, now)
            ]
            if action[0] == "tick":
                again = list(run.stage.tick(saved, now))
            assert again == first
            assert list(saved.scan(b"", b"\xff" * 8)) == list(run.state.scan(b"", b"\xff" * 8))
            run.take(first)
        else:
            run.take(run.do(action))
    run.finish()


@settings(max_examples=100, deadline=None)
@given(
    messages=st.lists(st.tuples(st.sampled_from(IDS), st.integers(0, 60), st.booleans()), unique_by=lambda m: m[0]),
    seed=st.randoms(use_true_random=False),
    limits=LIMITS,
)
def test_sessions_do_not_depend_on_the_order_of_arrival(
    messages: list[tuple[str, int, bool]], seed: Any, limits: SessionLimits
) -> None:
    def sessions_after(arrivals: Sequence[MessagePosted]) -> dict[str, list[str]]:
        run = Run(limits)
        for record in arrivals:
            run.remember(record)
            run.take(run.stage.apply(entry(len(run.log) - 1, record), run.state, run.now))
        run.finish()
        return {r.session_id: [m.message_id for m in r.messages] for _, r in sorted(run.latest().items()) if r.messages}

    records = [posted(name, at, ends=ends) for name, at, ends in messages]
    shuffled = list(records)
    seed.shuffle(shuffled)
    assert sessions_after(shuffled) == sessions_after(records)
