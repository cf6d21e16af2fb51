"""What a broker still holds of what is erased."""

from __future__ import annotations

import json

import msgspec

from ops.erasing.broker import on_broker, steps_on_broker, still_held
from ops.erasing.gone import find_gone
from ops.erasing.scrub import SCRUBBED
from schemas.codec import decode
from schemas.topics import TOPICS, TopicName
from streams.erasure import Begun, Extent
from streams.log import LogEntry
from tests.kit.embedded import SPACE, Home

DAY_US = 86_400_000_000


def told(home: Home) -> list[LogEntry]:
    """All records of the space, as a broker would hold them: nothing of them was changed."""
    return [entry for topic in TOPICS for entry in home.log.read_space(topic, SPACE)]


def begun(home: Home) -> Begun:
    ends: dict[TopicName, int] = {topic: home.log.end(topic, 0) for topic in TOPICS}
    return Begun(offset=0, upto=home.log.end("messages", 0), messages=1, ends=ends)


def chat() -> Home:
    home = Home()
    for n, text in enumerate(("I live in Lecce.", "I moved to Quillmark last month.", "I work at the mill.")):
        home.say(f"m{n}", text, f"2031-0{n + 1}-01T10:00:00Z")
    return home


def test_every_record_that_holds_the_text_is_named_and_no_other() -> None:
    home = chat()
    records, at = told(home), begun(home)
    gone = find_gone(
        Extent(conversation_id="harbour", message_id="m1"),
        at,
        (decode("events", entry.value) for entry in records if entry.topic == "events"),
    )
    held = still_held(reversed(records), gone)
    named = {(h.topic, offset) for h in held for first, last in h.ranges for offset in range(first, last + 1)}
    with_text = {(e.topic, e.offset) for e in records if b"Quillmark" in e.value}
    assert {topic for topic, _ in with_text} >= {"messages", "sessions", "events"}
    assert with_text <= named
    assert all(h.records == sum(last - first + 1 for first, last in h.ranges) for h in held)
    assert ("messages", 0) not in named
    assert ("messages", 2) not in named
    assert {topic for topic, _ in named} <= set(SCRUBBED)


def test_the_receipt_tells_where_and_when_it_goes() -> None:
    home = chat()
    records, at = told(home), begun(home)
    moved = [msgspec.structs.replace(e, offset=e.offset * 2, partition=4) for e in records if e.topic == "messages"]
    late = msgspec.structs.replace(at, upto=99)
    held = still_held(moved, find_gone(Extent(conversation_id="harbour"), late, ()))
    assert [(h.topic, h.partition, h.ranges, h.records) for h in held] == [("messages", 4, ((0, 0), (2, 2), (4, 4)), 3)]
    [for_ever] = on_broker(held, {}, "prod")
    assert for_ever.where == "Kafka prod, topic messages, partition 4"
    assert for_ever.what == "3 records, offsets 0, 2, 4"
    assert for_ever.until is None
    [a_week] = on_broker(held, {"messages": 7 * 86_400_000}, "prod")
    assert a_week.until == "2031-06-08T12:00:00Z or later, when retention deletes its segment"
    assert on_broker([], {}, "prod") == []


def test_neighbours_are_one_range() -> None:
    home = chat()
    records = [e for e in told(home) if e.topic == "messages"]
    [held] = still_held([*records, records[0]], find_gone(Extent(), begun(home), ()))
    assert (held.ranges, held.records) == (((0, 2),), 3)


def test_steps_are_said_to_be_kept_as_long_as_they_are() -> None:
    for_ever = steps_on_broker(["link", "distil"], -1, "prod")
    assert [line.until for line in for_ever] == [None, None]
    assert "steps-link" in json.dumps([msgspec.to_builtins(line) for line in for_ever])
    [limited] = steps_on_broker(["link"], 1_000, "prod")
    assert limited.until is not None
