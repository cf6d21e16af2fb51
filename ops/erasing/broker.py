"""What a broker still holds of what is erased: where, and what removes it. Pure: whoever scans the topics hands in what
it read.

A broker's records cannot be written anew, only deleted from the beginning of a partition on, by retention or by hand.
The view obeys the record all the same, and stages derive everything anew without the text; this tells what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from schemas.erasure_wire import Remains
from schemas.times import format_time
from schemas.topics import TopicName
from streams.log import LogEntry

from .gone import Gone
from .scrub import SCRUBBED, scrubbed

US_PER_MS = 1_000


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Records of a partition that hold erased text: offsets, as inclusive ranges, and when the newest was written."""

    topic: TopicName
    partition: int
    ranges: tuple[tuple[int, int], ...]
    records: int
    newest_us: int


def still_held(records: Iterable[LogEntry], gone: Gone) -> list[Held]:
    """The records that an embedded log would have written anew, by topic and partition.

    Args:
        records: of one space, read by their key, of the topics ``SCRUBBED`` or any others, in any order; ``time_us`` is
            the broker's own time of them.
        gone: see ``scrub.find_gone``, from the space's records of ``events``.
    """
    found: dict[tuple[TopicName, int], list[LogEntry]] = {}
    for entry in records:
        if entry.topic in SCRUBBED and scrubbed(entry, gone) != entry.value:
            found.setdefault((entry.topic, entry.partition), []).append(entry)
    return [
        Held(
            topic=topic,
            partition=partition,
            ranges=tuple(_ranges(sorted({entry.offset for entry in entries}))),
            records=len({entry.offset for entry in entries}),
            newest_us=max(entry.time_us for entry in entries),
        )
        for (topic, partition), entries in sorted(found.items())
    ]


def on_broker(held: Sequence[Held], retention_ms: Mapping[TopicName, int | None], name: str) -> list[Remains]:
    """Lines of the receipt.

    Args:
        held: see ``still_held``.
        retention_ms: of each topic; None or negative keeps records for ever, as ours are created.
        name: of the cluster, with the topics' prefix where there is one.
    """
    return [
        Remains(
            where=f"Kafka {name}, topic {one.topic}, partition {one.partition}",
            what=f"{one.records} records, offsets {_told(one.ranges)}",
            why=_why(one, retention_ms.get(one.topic)),
            until=_until(one, retention_ms.get(one.topic)),
        )
        for one in held
    ]


def steps_on_broker(stages: Sequence[str], retention_ms: int | None, name: str) -> list[Remains]:
    """Of the stages' steps: they carry state and outputs, packed, of all spaces of a partition together."""
    return [
        Remains(
            where=f"Kafka {name}, topic steps-{stage}, every partition its spaces are in",
            what="the steps that made what is erased, whichever they are",
            why="a step is one packed record; only a stage that takes a partition over reads it",
            until=None
            if _keeps(retention_ms)
            else f"{retention_ms} ms after each was written, when retention deletes it",
        )
        for stage in stages
    ]


def _keeps(retention_ms: int | None) -> bool:
    return retention_ms is None or retention_ms < 0


def _why(one: Held, retention_ms: int | None) -> str:
    why = "a broker's records cannot be changed; nothing reads them as anything but erased"
    if not _keeps(retention_ms):
        return why
    return (
        f"{why}. The topic keeps records for ever: only kafka-delete-records up to offset {one.ranges[-1][1] + 1} of "
        "the partition removes them, with all that lies before, and nothing can be rebuilt from this log after that"
    )


def _until(one: Held, retention_ms: int | None) -> str | None:
    if retention_ms is None or _keeps(retention_ms):
        return None
    return f"{format_time(one.newest_us + retention_ms * US_PER_MS)} or later, when retention deletes its segment"


def _ranges(offsets: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Neighbours as one range."""
    first = last = offsets[0]
    for offset in offsets[1:]:
        if offset > last + 1:
            yield first, last
            first = offset
        last = offset
    yield first, last


def _told(ranges: Sequence[tuple[int, int]]) -> str:
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
