"""The records of one space as they lie in the local log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from schemas.codec import BadRecordError
from schemas.entry import Entry
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessagePosted
from schemas.parking import decoded
from schemas.topics import TopicName
from streams.log import Log, LogEntry


def entries_below(
    log: Log, space: SpaceKey, ends: Mapping[TopicName, int], passes_over: Callable[[LogEntry], bool]
) -> Iterator[Entry]:
    """A space's records below the ends, topic by topic, without those that a view could not use and parked."""
    for topic, end in ends.items():
        for raw in log.read_space(topic, space):
            if raw.offset >= end:
                break
            try:
                entry = decoded(raw)
            except BadRecordError:
                continue  # parked when it was folded
            if not passes_over(raw):
                yield entry


def posted(raw: LogEntry) -> MessageKey | None:
    """The message an entry posts, if it does; bytes that cannot be used are parked by the stages."""
    try:
        record = decoded(raw).record
    except BadRecordError:
        return None
    return record.message if isinstance(record, MessagePosted) else None
