"""What a producer sends, judged: each message is accepted once, whatever is sent twice. Where it goes is up to a step.

The embedded log (``ingest``) and a broker's query node give steps of their own; the rules are these for both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

import msgspec

from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.wire import MessageStatus, Problem

from .checks import RefusedError, check_content, check_id, check_space, check_zone
from .message_in import IngestLimits, loose_fields, read_message
from .message_index import Known, content_hash

ReceivedAt = Literal["now", "sent_at"]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What became of each message, in order. ``wait_for``: end offset of the space's ``messages`` partition."""

    statuses: tuple[MessageStatus, ...]
    wait_for: int


class Step(Protocol):
    """A batch of one space being accepted; reads see what it has accepted so far.

    ``now`` in microseconds UTC; ``end``: of the space's ``messages`` partition, once the step is over.
    """

    now: int
    end: int

    def find(self, conversation_id: str, message_id: str) -> Known | None:
        """An accepted message."""
        ...

    def remember(self, conversation_id: str, message_id: str, known: Known) -> None: ...
    def received_at(self, wanted: int) -> int:
        """``wanted``, but neither after now nor before what was accepted before it in the space."""
        ...

    def append(self, record: Record, received_at: int) -> int:
        """Accept a record; returns its offset, as far as it is known before the step is over."""
        ...


class Intake(ABC):
    """Takes what producers send. Thread-safe as far as its steps are: input is checked before one begins.

    Every method raises ``RefusedError`` for a bad tenant or space name or a bad option of the whole call; what is
    wrong with a message is in its status.
    """

    def __init__(self, limits: IngestLimits | None = None) -> None:
        self._limits = limits or IngestLimits()

    @abstractmethod
    def _step(self, space: SpaceKey, now: int) -> AbstractContextManager[Step]:
        """Leaving the block without an exception accepts what was appended, all of it durably."""

    def post(
        self,
        space: SpaceKey,
        raws: Sequence[bytes],
        *,
        now: int,
        received_at: ReceivedAt = "now",
        default_tz: str | None = None,
        seq_start: int = 0,
    ) -> Taken:
        """Accept a batch in order; each message is judged on its own, and all accepted ones are committed together.

        A message of a known (conversation id, message id) with the same speaker, ``sent_at`` and content (as posted,
        or as last edited) is a duplicate and changes nothing; with any other it is refused with code ``conflict``.

        Args:
            space: its tenant and space.
            raws: JSON of one ``MessageIn`` each.
            now: microseconds UTC.
            received_at: transaction time: "now", or "sent_at" for a backfill. Never after now, never before that
                of the message accepted before it in the space.
            default_tz: IANA zone of times without an offset; None refuses them.
            seq_start: ``seq`` of the first message where it has none; the n-th gets ``seq_start + n``.
        """
        check_space(space)
        if default_tz is not None:
            check_zone("default_tz", default_tz)
        if received_at not in ("now", "sent_at"):
            raise RefusedError("bad_option", "must be now or sent_at", "received_at")
        read = [self._read(space, raw, seq_start + n, default_tz) for n, raw in enumerate(raws)]
        with self._step(space, now) as step:
            statuses = [
                one if isinstance(one, MessageStatus) else _judge(step, one, backfill=received_at == "sent_at")
                for one in read
            ]
        return Taken(statuses=tuple(statuses), wait_for=step.end)

    def _read(self, space: SpaceKey, raw: bytes, seq: int, default_tz: str | None) -> MessagePosted | MessageStatus:
        try:
            return read_message(space, raw, seq, default_tz, self._limits)
        except RefusedError as refused:
            name = loose_fields(raw).get("message_id") if len(raw) <= self._limits.max_raw_bytes else None
            return _refused(printable(name) if isinstance(name, str) else None, refused.problem)

    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str, *, now: int) -> Taken:
        """Give an accepted message other content. The content it has already is a duplicate.

        Refused with ``not_found`` for an unknown message, ``retracted`` for a withdrawn one, and as in ``post`` for
        content that cannot be taken.
        """
        return self._change(space, conversation_id, message_id, content, now)

    def retract(self, space: SpaceKey, conversation_id: str, message_id: str, *, now: int) -> Taken:
        """Withdraw an accepted message; withdrawing it again is a duplicate, an unknown one ``not_found``."""
        return self._change(space, conversation_id, message_id, None, now)

    def _change(self, space: SpaceKey, conversation_id: str, message_id: str, content: str | None, now: int) -> Taken:
        check_space(space)
        problem = self._problem(conversation_id, message_id, content)
        with self._step(space, now) as step:
            if problem is not None:
                status = _refused(printable(message_id), problem)
            elif content is None:
                status = _retract(step, space, conversation_id, message_id)
            else:
                status = _edit(step, space, conversation_id, message_id, content)
        return Taken(statuses=(status,), wait_for=step.end)

    def _problem(self, conversation_id: str, message_id: str, content: str | None) -> Problem | None:
        try:
            check_id("conversation_id", conversation_id)
            check_id("message_id", message_id)
            if content is not None:
                check_content("content", content, self._limits.max_content_bytes)
        except RefusedError as refused:
            return refused.problem
        return None


def _judge(step: Step, message: MessagePosted, *, backfill: bool) -> MessageStatus:
    content = content_hash(message.content)
    known = step.find(message.conversation_id, message.message_id)
    if known is not None:
        differs = _difference(known, message, content)
        if differs is None and known.retracted:
            return _refused(message.message_id, _retracted())
        if differs is None:
            return _status(message.message_id, "duplicate")
        reason = f"the message id is taken by another message of the conversation, with other {differs}"
        return _refused(message.message_id, Problem(code="conflict", message=reason, field=differs))
    received = step.received_at(message.sent_at if backfill else step.now)
    offset = step.append(msgspec.structs.replace(message, received_at=received), received)
    row = Known(
        offset=offset,
        edited=None,
        retracted=False,
        speaker=message.speaker,
        sent_at=message.sent_at,
        posted=content,
        current=content,
    )
    step.remember(message.conversation_id, message.message_id, row)
    return _status(message.message_id, "accepted")


def _difference(known: Known, message: MessagePosted, content: bytes) -> str | None:
    """The field in which a message is not the known one; None when it is the same message again."""
    if known.speaker != message.speaker:
        return "speaker"
    if known.sent_at != message.sent_at:
        return "sent_at"
    return None if content in (known.posted, known.current) else "content"


def _edit(step: Step, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> MessageStatus:
    current = content_hash(content)
    known = step.find(conversation_id, message_id)
    if known is None:
        return _refused(message_id, _not_found())
    if known.retracted:
        return _refused(message_id, _retracted())
    if known.current == current:
        return _status(message_id, "duplicate")
    received = step.received_at(step.now)
    record = MessageEdited(
        tenant=space.tenant,
        space=space.space,
        conversation_id=conversation_id,
        message_id=message_id,
        content=content,
        received_at=received,
    )
    edited = msgspec.structs.replace(known, edited=step.append(record, received), current=current)
    step.remember(conversation_id, message_id, edited)
    return _status(message_id, "accepted")


def _retract(step: Step, space: SpaceKey, conversation_id: str, message_id: str) -> MessageStatus:
    known = step.find(conversation_id, message_id)
    if known is None:
        return _refused(message_id, _not_found())
    if known.retracted:
        return _status(message_id, "duplicate")
    received = step.received_at(step.now)
    record = MessageRetracted(
        tenant=space.tenant,
        space=space.space,
        conversation_id=conversation_id,
        message_id=message_id,
        received_at=received,
    )
    step.append(record, received)
    step.remember(conversation_id, message_id, msgspec.structs.replace(known, retracted=True))
    return _status(message_id, "accepted")


def _retracted() -> Problem:
    """To take it silently as a duplicate would leave its sender thinking that it counts."""
    reason = "the message was retracted and does not count; to say it again, post it under another id"
    return Problem(code="retracted", message=reason, field="message_id")


def _not_found() -> Problem:
    return Problem(code="not_found", message="no such message in this conversation", field="message_id")


def _status(message_id: str, status: Literal["accepted", "duplicate"]) -> MessageStatus:
    return MessageStatus(message_id=message_id, status=status)


def _refused(message_id: str | None, problem: Problem) -> MessageStatus:
    return MessageStatus(message_id=message_id, status="refused", error=problem)


def printable(text: str) -> str:
    """Text of a refused message as it can be sent back: what has no UTF-8 is replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
