"""The desk: which questions are still open, what was spent on those that are answered, and answers to readers.

A stage like the others, and as pure: whoever asks (``ops/llm``) looks at its rows. A question that failed for good is
parked with its bytes; re-driving the dead letter puts it on the desk again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from schemas.asking import AskWithdrawn, ModelAsked, ModelReplied, ReplyRead
from schemas.codec import encode
from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.times import US_PER_DAY
from schemas.topics import TopicName

from ..keys import state_key
from ..log.protocol import TableReader
from ..ports import Entry, Output, StageState

OPEN = b"open/"
_FIRST = b"open/!/"
"""Of questions that somebody waits for: before all others, whose rows go on with a digit."""

_ANSWERED = b"answered"
_WITHDRAWN = b"withdrawn"
_BY_ID = b"id/"
_ANSWER = b"answer/"
_GONE = b"gone/"

Settled = Literal["answered", "withdrawn"]
"""Why a question is not open: it has its reply, or nobody waits for one."""


class OpenAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A question nobody has answered, and where it lies in ``asks``."""

    ask: ModelAsked
    partition: int
    offset: int


class Spent(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What replies took."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Both ways."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, reply: ModelReplied) -> Spent:
        """With a reply's share."""
        return Spent(
            calls=self.calls + reply.calls,
            prompt_tokens=self.prompt_tokens + reply.prompt_tokens,
            completion_tokens=self.completion_tokens + reply.completion_tokens,
            cost_usd=self.cost_usd + reply.cost_usd,
        )


EVERYWHERE = SpaceKey("", "")
"""Stands for all spaces together; no space has an empty name."""


class Desk:
    """``asks`` and ``replies`` in; nothing out but dead letters of what failed. Satisfies ``streams.ports.Stage``."""

    name = "ask"
    inputs: tuple[TopicName, ...] = ("asks", "replies")

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Put a question on the desk, or take it off."""
        record = entry.record
        if isinstance(record, ModelAsked):
            self._asked(OpenAsk(ask=record, partition=entry.partition, offset=entry.offset), state)
        elif isinstance(record, AskWithdrawn):
            _withdraw(record.ask_id, state)
        elif isinstance(record, ModelReplied):
            return self._replied(record, state, now)
        return ()

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Nothing waits for time."""
        return ()

    def _asked(self, item: OpenAsk, state: StageState) -> None:
        known = _id_key(item.ask.ask_id)
        if state.get(known) in (None, _WITHDRAWN):
            state.delete(_gone_key(item.ask.ask_id))
            first = _FIRST if item.ask.stage == "answer" else OPEN
            row = first + f"{item.partition:06d}/{item.offset:020d}".encode()
            state.put(known, row)
            state.put(row, msgspec.msgpack.encode(item))

    def _replied(self, reply: ModelReplied, state: StageState, now: int) -> Sequence[Output]:
        for space in (reply.key, EVERYWHERE):
            key = spent_key(space, reply.at)
            state.put(key, msgspec.msgpack.encode(_spent(state.get(key)).plus(reply)))
        known = _id_key(reply.ask_id)
        row = state.get(known)
        if row == _WITHDRAWN:
            state.delete(_gone_key(reply.ask_id))
            state.delete(known)
        raw = None if row is None or row in (_ANSWERED, _WITHDRAWN) else state.get(row)
        if row is not None and raw is not None:
            state.delete(row)
        if reply.outcome != "failed":
            state.put(known, _ANSWERED)
            if reply.stage == "answer":
                state.put(_answer_key(reply.ask_id), msgspec.msgpack.encode(reply))
            return ()
        if raw is None:
            return ()
        state.delete(known)
        return (Output(topic="dead-letters", record=_failed(_open(raw), reply, now)),)


def _withdraw(ask_id: str, state: StageState) -> None:
    """Take a question off the desk. It is kept beside: it may have been asked already, and then its reply comes yet."""
    known = _id_key(ask_id)
    row = state.get(known)
    if row is None or row in (_ANSWERED, _WITHDRAWN):
        return
    raw = state.get(row)
    assert raw is not None, "a question on the desk has its row"
    state.put(_gone_key(ask_id), raw)
    state.delete(row)
    state.put(known, _WITHDRAWN)


def about_model(outputs: Iterable[Output]) -> tuple[ReplyRead | AskWithdrawn, ...]:
    """Of what a stage writes, what is told to whoever measures the model: replies it read, questions it withdrew."""
    return tuple(o.record for o in outputs if isinstance(o.record, ReplyRead | AskWithdrawn))


def open_asks(tables: TableReader, table: str, prefix: bytes) -> Iterator[OpenAsk]:
    """What is on the desk, in the order it was asked, as committed: ``prefix`` is that of the desk's rows."""
    for _, raw in tables.scan(table, prefix + OPEN, prefix + OPEN[:-1] + b"0"):
        yield _open(raw)


def find_ask(tables: TableReader, table: str, prefix: bytes, ask_id: str) -> OpenAsk | Settled | None:
    """A question by its id: open, settled, or unknown (None); also one that failed and was parked is unknown."""
    row = tables.get(table, prefix + _id_key(ask_id))
    if row is None:
        return None
    if row in (_ANSWERED, _WITHDRAWN):
        return "answered" if row == _ANSWERED else "withdrawn"
    raw = tables.get(table, prefix + row)
    return None if raw is None else _open(raw)


def find_withdrawn(tables: TableReader, table: str, prefix: bytes, ask_id: str) -> OpenAsk | None:
    """A question that was withdrawn, as it was asked: a batch that was under way may answer it all the same."""
    raw = tables.get(table, prefix + _gone_key(ask_id))
    return None if raw is None else _open(raw)


def find_answer(tables: TableReader, table: str, prefix: bytes, ask_id: str) -> ModelReplied | None:
    """The recorded reply to a question of somebody's, who may ask it again."""
    raw = tables.get(table, prefix + _answer_key(ask_id))
    return None if raw is None else msgspec.msgpack.decode(raw, type=ModelReplied)


def forget_ask(state: StageState, ask_id: str) -> bool:
    """Take a question off the desk that quotes what is erased, or its answer; whether either was there."""
    known = _id_key(ask_id)
    row = state.get(known)
    if state.get(_answer_key(ask_id)) is not None:
        state.delete(_answer_key(ask_id))
        state.delete(known)
        return True
    if row is None or row == _ANSWERED:
        return False
    state.delete(_gone_key(ask_id) if row == _WITHDRAWN else row)
    state.put(known, _ANSWERED)
    return True


def spent_on(tables: TableReader, table: str, prefix: bytes, space: SpaceKey, at: int) -> Spent:
    """What was spent on a space (or ``EVERYWHERE``) on the UTC day of an instant."""
    return _spent(tables.get(table, prefix + spent_key(space, at)))


def spent_key(space: SpaceKey, at: int) -> bytes:
    """Of a space and the UTC day of an instant."""
    return state_key("spent", space, str(at // US_PER_DAY))


def _id_key(ask_id: str) -> bytes:
    return _BY_ID + ask_id.encode()


def _answer_key(ask_id: str) -> bytes:
    return _ANSWER + ask_id.encode()


def _gone_key(ask_id: str) -> bytes:
    return _GONE + ask_id.encode()


def _open(raw: bytes) -> OpenAsk:
    return msgspec.msgpack.decode(raw, type=OpenAsk)


def _spent(raw: bytes | None) -> Spent:
    return Spent() if raw is None else msgspec.msgpack.decode(raw, type=Spent)


def _failed(item: OpenAsk, reply: ModelReplied, now: int) -> DeadLetter:
    return DeadLetter(
        tenant=item.ask.tenant, space=item.ask.space, stage=Desk.name, topic="asks", partition=item.partition,
        offset=item.offset, error=f"no reply after {reply.calls} calls: {reply.error}", payload=encode(item.ask),
        conversation_id=item.ask.conversation_id, message_id=None, parked_at=now,
    )  # fmt: skip
