"""What producers send to a node: judged by its view and by what it has written itself, then written to the broker.

Two nodes may judge by views that have not seen the same. Then a message is in the log twice, and the definition
decides: the first posting of an id counts, the last edit. What was accepted is in the log before anybody is told.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager

import msgspec

from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessageEdited, MessagePosted
from schemas.record import Record
from streams.intake import Intake, Step
from streams.message_in import IngestLimits
from streams.message_index import Known, content_hash
from views.liveness import without_erased

from .reading import AwayError
from .replica import Replica
from .writing import WRITE_S, Outlet, item

BUSY_S = 0.05
"""While the broker takes nothing, how long to wait behind another write to the same partition."""

SPACES_KEPT = 100_000
"""Spaces of which we know when we last accepted something; forgotten all at once beyond that."""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A message as this node has written it, until its view has it too. ``end``: of the partition behind the record."""

    known: Known
    message: MessagePosted
    end: int


class BrokerIntake(Intake):
    """``Intake`` into the broker. One batch at a time for each partition, acknowledged before the next is judged.

    Args:
        replica: the view to judge by, as of now.
        outlet: where to write.
        limits: of messages.

    Besides what an ``Intake`` raises: ``AwayError``, for what the broker did not acknowledge.
    """

    def __init__(self, replica: Callable[[], Replica], outlet: Outlet, limits: IngestLimits) -> None:
        super().__init__(limits)
        self._replica = replica
        self._outlet = outlet
        self._locks: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)
        self._written: defaultdict[int, dict[tuple[SpaceKey, MessageKey], Written]] = defaultdict(dict)
        self._received: dict[SpaceKey, int] = {}

    @contextmanager
    def turn(self, partition: int) -> Generator[None]:
        """The only one who writes to the partition from here.

        Raises:
            AwayError: the broker takes nothing, and somebody is finding out already.
        """
        if not self._locks[partition].acquire(timeout=BUSY_S if self._outlet.failing else WRITE_S):
            raise AwayError("others are waiting for the broker; it takes too long")
        try:
            yield
        finally:
            self._locks[partition].release()

    @contextmanager
    def _step(self, space: SpaceKey, now: int) -> Generator[Step]:
        """Judged under the partition's lock; written on leaving."""
        replica = self._replica()
        partition = replica.partition(space)
        with self.turn(partition):
            self._forget_seen(replica, partition)
            step = _BrokerStep(self, replica, space, now)
            yield step
            self._write(step, partition)

    def _forget_seen(self, replica: Replica, partition: int) -> None:
        seen = replica.position("messages", partition)
        written = self._written[partition]
        for key in [key for key, one in written.items() if one.end <= seen]:
            del written[key]

    def _write(self, step: _BrokerStep, partition: int) -> None:
        if not step.records:
            return
        step.end = self._outlet.write("messages", partition, [item(record) for record in step.records])
        if len(self._received) >= SPACES_KEPT:
            self._received.clear()
        self._received[step.space] = step.received
        for message, (known, posted) in step.changed.items():
            self._written[partition][step.space, message] = Written(known=known, message=posted, end=step.end)

    def written(self, partition: int, space: SpaceKey, message: MessageKey) -> Written | None:
        """What this node wrote of a message that its view may not have yet."""
        return self._written[partition].get((space, message))

    def unseen(self, replica: Replica, space: SpaceKey) -> int:
        """Messages that this node has accepted and its view has not seen."""
        partition = replica.partition(space)
        written = list(self._written[partition].items())
        return sum(key[0] == space and replica.message(*key) is None for key, _ in written)

    def find(self, space: SpaceKey, conversation_id: str, message_id: str) -> MessagePosted | None:
        """An accepted message with its current content; None when there is none, or it is withdrawn."""
        replica, message = self._replica(), MessageKey(conversation_id, message_id)
        found = self.known(replica, space, message)
        return None if found is None or found[0].retracted else found[1]

    def known(self, replica: Replica, space: SpaceKey, message: MessageKey) -> tuple[Known, MessagePosted] | None:
        """A message as this node knows it, with its current content."""
        written = self.written(replica.partition(space), space, message)
        if written is not None and replica.position("messages", replica.partition(space)) < written.end:
            return written.known, written.message
        with replica.changed:
            cell = replica.message_cell(space, message)
            current = without_erased(replica.maintainer.state, space, message, cell)
        if current is None or current.posted is None or current.posted_offset is None:
            return None
        posted, edited = current.posted, current.edited
        content = posted.content if edited is None else edited.content
        known = Known(
            offset=current.posted_offset, edited=current.edited_offset, retracted=current.retracted,
            speaker=posted.speaker, sent_at=posted.sent_at, posted=content_hash(posted.content),
            current=content_hash(content),
        )  # fmt: skip
        return known, msgspec.structs.replace(posted, content=content)

    def last_received(self, space: SpaceKey) -> int:
        """When this node last accepted something for the space, microseconds UTC; 0 when it never did."""
        return self._received.get(space, 0)


class _BrokerStep:
    """``Step`` of one partition."""

    def __init__(self, intake: BrokerIntake, replica: Replica, space: SpaceKey, now: int) -> None:
        self.now = now
        self.space = space
        self.end = replica.end("messages", replica.partition(space))
        self.records: list[Record] = []
        self.changed: dict[MessageKey, tuple[Known, MessagePosted]] = {}
        self.received = intake.last_received(space)
        self._intake = intake
        self._replica = replica
        self._texts: dict[MessageKey, MessagePosted] = {}

    def find(self, conversation_id: str, message_id: str) -> Known | None:
        """See ``Step``."""
        message = MessageKey(conversation_id, message_id)
        if message in self.changed:
            return self.changed[message][0]
        found = self._intake.known(self._replica, self.space, message)
        if found is None:
            return None
        self._texts[message] = found[1]
        return found[0]

    def remember(self, conversation_id: str, message_id: str, known: Known) -> None:
        """See ``Step``; it was found, or appended, before."""
        message = MessageKey(conversation_id, message_id)
        self.changed[message] = (known, self._texts[message])

    def received_at(self, wanted: int) -> int:
        """See ``Step``. What is backfilled is also held against the view, for what others have accepted."""
        moment = min(wanted, self.now)
        if moment < self.now and not self.received:
            self.received = self._replica.last_received(self.space)
        return max(moment, self.received)

    def append(self, record: Record, received_at: int) -> int:
        """See ``Step``. The offset is the one it gets when nobody else writes meanwhile; nothing rests on it."""
        if isinstance(record, MessagePosted):
            self._texts[record.message] = record
        elif isinstance(record, MessageEdited):
            self._texts[record.message] = msgspec.structs.replace(self._texts[record.message], content=record.content)
        self.records.append(record)
        self.received = received_at
        return self.end + len(self.records) - 1
