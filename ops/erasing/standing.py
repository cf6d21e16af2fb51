"""The erasures that stand in a log whose records cannot be changed, and its records as they would be without the text.

Pure: whoever reads the topics hands in what it read, of one space, in the order of each topic. With this a receipt can
be told again, by anybody, from the log alone, and a view can be made that holds nothing of what is erased.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from schemas.codec import BadRecordError, decode
from schemas.control import ConversationErased, ErasureRecord, MessageErased, SpaceErased
from schemas.ids import MessageKey
from schemas.messages import MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.topics import TOPICS, TopicName
from streams.erasure import Begun, Extent, Latest
from streams.log import LogEntry

from .gone import Gone, find_gone
from .scrub import scrubbed


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A record of ``erasures``. ``time_us``: the broker's; ``at``: the asker's node's; microseconds UTC."""

    offset: int
    extent: Extent
    upto: int
    at: int
    time_us: int

    @property
    def id(self) -> str:
        """Of its receipt (``Work.id``)."""
        return f"e{self.offset}"

    def covers(self, key: MessageKey, offset: int) -> bool:
        """Whether a message at an offset of ``messages`` is erased by it."""
        return offset < self.upto and self.extent.holds(key)


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """What an erasure would reach: every message that is there, and those of them no retraction was written for."""

    found: frozenset[MessageKey]
    due: tuple[MessageKey, ...]


def extent_in(record: ErasureRecord) -> Extent:
    """What a record erases."""
    match record:
        case SpaceErased():
            return Extent()
        case ConversationErased():
            return Extent(conversation_id=record.conversation_id)
        case MessageErased():
            return Extent(conversation_id=record.conversation_id, message_id=record.message_id)


def find_standing(entries: Iterable[LogEntry]) -> list[Standing]:
    """The erasures among the entries, oldest first."""
    return [
        Standing(
            offset=entry.offset, extent=extent_in(record), upto=record.upto, at=record.at, time_us=entry.time_us
        )
        for entry, record in _records(entries, "erasures")
        if isinstance(record, ErasureRecord)
    ]  # fmt: skip


def find_reach(entries: Sequence[LogEntry], extent: Extent) -> Reach:
    """What an erasure of this extent would reach now.

    What was retracted by one that was cut off before its own record was written counts as there, so that asking again
    finishes it. ``due`` is latest first: a conversation is taken apart from its end.
    """
    standing = find_standing(entries)
    found: dict[MessageKey, Latest] = {}
    due: set[MessageKey] = set()
    for entry, record in _records(entries, "messages"):
        if not isinstance(record, MessagePosted | MessageRetracted) or not extent.holds(record.message):
            continue
        if any(one.covers(record.message, entry.offset) for one in standing):
            continue
        if isinstance(record, MessagePosted):
            found[record.message] = (record.sent_at, record.seq, record.message_id)
            due.add(record.message)
        elif record.erased:
            due.discard(record.message)
    return Reach(found=frozenset(found), due=tuple(sorted(due, key=lambda key: (found[key], key), reverse=True)))


def begun_by(one: Standing, entries: Sequence[LogEntry]) -> Begun:
    """Where an erasure stands, from the log alone: what the broker had taken before it, by the broker's own time."""
    ends: dict[TopicName, int] = dict.fromkeys(TOPICS, 0)
    for entry in entries:
        if entry.time_us <= one.time_us:
            ends[entry.topic] = max(ends[entry.topic], entry.offset + 1)
    ends["messages"] = max(ends["messages"], one.upto)
    earlier = [other for other in find_standing(entries) if other.offset < one.offset]
    erased = {
        record.message
        for entry, record in _records(entries, "messages")
        if isinstance(record, MessagePosted)
        and one.covers(record.message, entry.offset)
        and not any(other.covers(record.message, entry.offset) for other in earlier)
    }
    return Begun(offset=one.offset, upto=one.upto, messages=len(erased), ends=ends)


def gone_by(one: Standing, begun: Begun, entries: Sequence[LogEntry]) -> Gone:
    """What an erasure takes away, as these records tell it."""
    asks = [(entry.offset, record) for entry, record in _records(entries, "asks")]
    words = [(entry.offset, record) for entry, record in _records(entries, "adjudications")]
    return find_gone(one.extent, begun, [record for _, record in _records(entries, "events")], asks, words)


def without_erased(entries: Sequence[LogEntry]) -> list[LogEntry]:
    """The entries as a log that can be written anew would hold them after every erasure that stands among them."""
    clean = list(entries)
    for one in find_standing(entries):
        gone = gone_by(one, begun_by(one, clean), clean)
        clean = [msgspec.structs.replace(entry, value=scrubbed(entry, gone)) for entry in clean]
    return clean


def _records(entries: Iterable[LogEntry], topic: TopicName) -> Iterator[tuple[LogEntry, Record]]:
    for entry in entries:
        if entry.topic == topic:
            try:
                yield entry, decode(topic, entry.value)
            except BadRecordError:
                continue  # parked by whoever read it
