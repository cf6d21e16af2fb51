"""What is to be erased, as it is accepted: its extent, and the records that begin it.

One batch appends a retraction of every message concerned, so that all that follows is derived anew without it by the
ordinary flow, and a record of ``erasures`` whose bound ``upto`` lies behind them: what stands below it counts as if it
had never been. The ids are free again: what is posted under them from then on is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from schemas.codec import BadRecordError, decode, encode
from schemas.control import ConversationErased, ErasureRecord, MessageErased, SpaceErased
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessagePosted, MessageRetracted
from schemas.topics import TOPICS, TopicName

from .log import Batch, Log, LogEntry, partition_of
from .message_index import TABLE, IndexedBatch, message_row


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """What is erased: a message, else a conversation, else (both None) everything of a space."""

    conversation_id: str | None = None
    message_id: str | None = None

    def holds(self, key: MessageKey) -> bool:
        """Whether the message is part of it."""
        if self.message_id is not None and self.message_id != key.message_id:
            return False
        return self.conversation_id is None or self.conversation_id == key.conversation_id

    @property
    def whole_space(self) -> bool:
        """Whether nothing of the space is left out."""
        return self.conversation_id is None


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """An erasure as it stands in the log.

    Attributes:
        offset: of its record in ``erasures``.
        upto: everything concerned in ``messages`` below this offset is erased.
        messages: how many messages that are.
        ends: end of every topic of the partition when it was accepted.
    """

    offset: int
    upto: int
    messages: int
    ends: dict[TopicName, int]


Latest = tuple[int, int, str]
"""(sent_at, seq, message id): by which the latest message of a conversation comes first."""


def standing(log: Log, space: SpaceKey, extent: Extent) -> int:
    """How many messages an erasure would reach now: accepted, also if retracted since, and not erased.

    Costs by the space's messages.
    """
    return len(_fold({}, log.read_space("messages", space), extent))


def begin(
    log: Log, space: SpaceKey, extent: Extent, *, now: int, remember: Callable[[Batch, Begun], None]
) -> Begun | None:
    """Accept an erasure; None, and nothing written, when it reaches no message of a space that is not meant whole.

    Args:
        log: of the embedded system.
        space: its tenant and space.
        extent: what is to go.
        now: microseconds UTC.
        remember: called within the batch, so that an erasure that was accepted is never forgotten half way.
    """
    partition = partition_of(space, log.partitions)
    read = log.end("messages", partition)
    found = _fold({}, (e for e in log.read_space("messages", space) if e.offset < read), extent)
    with log.batch(sync=True) as batch:
        found = _fold(found, log.read_space("messages", space, read), extent)
        if not found and not extent.whole_space:
            return None
        step = IndexedBatch(log, batch, space, now)
        for key, _ in sorted(found.items(), key=lambda item: item[1], reverse=True):
            # Latest first: a conversation is taken apart from its end, so what is left of it keeps its sessions.
            received = step.received_at(now)
            step.append(retraction(space, key, received), received)
        step.finish()
        for key in found:
            batch.delete(TABLE, message_row(space, key.conversation_id, key.message_id))
        offset = batch.append("erasures", space, encode(erasure_record(space, extent, step.end, now)), now)
        begun = Begun(
            offset=offset,
            upto=step.end,
            messages=len(found),
            ends={topic: log.end(topic, partition) for topic in TOPICS},
        )
        remember(batch, begun)
    return begun


def _fold(found: dict[MessageKey, Latest], entries: Iterable[LogEntry], extent: Extent) -> dict[MessageKey, Latest]:
    """The messages of the extent that stand after these entries, added to those that stood before."""
    for entry in entries:
        try:
            record = decode("messages", entry.value)
        except BadRecordError:
            continue  # parked, and so part of no session; its bytes go with the rest
        if isinstance(record, MessagePosted) and extent.holds(record.message):
            found[record.message] = (record.sent_at, record.seq, record.message_id)
        elif isinstance(record, MessageRetracted) and record.erased:
            found.pop(record.message, None)
    return found


def retraction(space: SpaceKey, key: MessageKey, received_at: int) -> MessageRetracted:
    """Withdraws a message for good: what follows is derived without it, and its id is free."""
    return MessageRetracted(
        tenant=space.tenant,
        space=space.space,
        conversation_id=key.conversation_id,
        message_id=key.message_id,
        received_at=received_at,
        erased=True,
    )


def erasure_record(space: SpaceKey, extent: Extent, upto: int, now: int) -> ErasureRecord:
    """Says that all of the extent in ``messages`` below ``upto`` is erased."""
    if extent.conversation_id is None:
        return SpaceErased(tenant=space.tenant, space=space.space, upto=upto, at=now)
    if extent.message_id is None:
        return ConversationErased(
            tenant=space.tenant, space=space.space, conversation_id=extent.conversation_id, upto=upto, at=now
        )
    return MessageErased(
        tenant=space.tenant, space=space.space, conversation_id=extent.conversation_id,
        message_id=extent.message_id, upto=upto, at=now,
    )  # fmt: skip
