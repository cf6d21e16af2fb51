"""A batch into the view: what is parked, what is written to the broker, and when log and view do not fit."""

from __future__ import annotations

import msgspec
import pytest
from aiokafka.partitioner import murmur2 as kafka_murmur2

from schemas.codec import decode, encode
from schemas.dead_letters import DeadLetter
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.transport import NO_SPACE, record_key, space_key, space_of
from streams.log.partition import murmur2
from tests.kit.records import distilled, event, posted
from views.batch import fold_batch
from views.maintain import Maintainer
from views.origin import claim, origin_on_broker
from views.outgoing import outgoing
from views.refusals import (
    GapError,
    LogEndsBeforeViewError,
    LogStartsAfterViewError,
    OtherLogError,
    TopicsError,
    check_range,
    common_partitions,
)
from views.tables import MemoryTables

NOW = 1_000_000
NESTED = b"\x91" * 3_000 + b"\xc0"


def fetched(value: bytes, offset: int = 0, **changes: object) -> Fetched:
    raw = Fetched(
        topic="messages", partition=0, offset=offset, tenant="t", space="s", key=b"t/s", value=value,
        headers=[("traceparent", b"\xff")],
    )  # fmt: skip
    return msgspec.structs.replace(raw, **changes)


def record(value: Record, offset: int = 0, **changes: object) -> Fetched:
    return fetched(encode(value), offset, tenant=value.tenant, space=value.space, **changes)


@pytest.mark.parametrize("value", [b"", b"\xc1", NESTED, b"\x81\xa1t\xa4nope"])
def test_bytes_that_are_no_record_are_parked_untouched_and_passed_over(value: bytes) -> None:
    maintainer = Maintainer(MemoryTables())
    folded = fold_batch(maintainer, [fetched(value), record(posted(), 1)], NOW)
    (letter,) = folded.parked
    assert (letter.topic, letter.partition, letter.offset, letter.payload) == ("messages", 0, 0, value)
    assert (letter.stage, letter.parked_at) == ("view", NOW)
    assert maintainer.position("messages", 0) == 2


def test_what_was_parked_before_is_not_parked_again() -> None:
    maintainer = Maintainer(MemoryTables())
    assert len(fold_batch(maintainer, [fetched(b"\xc1")], NOW).parked) == 1
    assert fold_batch(maintainer, [fetched(b"\xc1")], NOW).parked == []


def test_a_gap_before_bytes_that_are_no_record_is_a_gap() -> None:
    with pytest.raises(GapError):
        fold_batch(Maintainer(MemoryTables()), [fetched(b"\xc1", 1)], NOW)


def test_deltas_are_keyed_by_what_changed_and_go_to_their_space() -> None:
    batch = [record(posted()), record(distilled(event("e1"), event("e2")), topic="events")]
    folded = fold_batch(Maintainer(MemoryTables()), batch, NOW)
    assert folded.deltas
    written = outgoing(folded, batch, lambda _: 4)
    (items,) = written.values()
    assert set(written) == {("deltas", 4)}
    space = folded.deltas[0].key
    assert [item.key for item in items] == [f"{space}/{delta.event_id}".encode() for delta in folded.deltas]
    assert [decode("deltas", item.value) for item in items] == folded.deltas


def test_a_dead_letter_travels_with_the_headers_and_the_key_of_its_record() -> None:
    batch = [fetched(b"\xc1", key=b"odd")]
    written = outgoing(fold_batch(Maintainer(MemoryTables()), batch, NOW), batch, lambda _: 0)
    (item,) = written["dead-letters", 0]
    headers = dict(item.headers)
    assert headers["traceparent"] == b"\xff"
    assert (headers["dlq.key"], headers["dlq.topic"], headers["dlq.offset"]) == (b"odd", b"messages", b"0")
    letter = decode("dead-letters", item.value)
    assert isinstance(letter, DeadLetter)
    assert letter.payload == b"\xc1"


@pytest.mark.parametrize("key", [None, b"", b"no slash", b"\xff/\xfe"])
def test_a_key_that_names_no_space_is_read_as_none(key: bytes | None) -> None:
    assert space_of(key) == NO_SPACE


def test_keys_name_the_space_and_partition_as_kafkas_own_clients_do() -> None:
    for space in (SpaceKey("t", "s"), SpaceKey("härte", "Ωmega"), NO_SPACE):
        assert space_of(space_key(space)) == space
        assert kafka_murmur2(space_key(space)) & 0x7FFFFFFF == murmur2(space_key(space)) & 0x7FFFFFFF
    assert record_key(posted()) == space_key(posted().key)


def test_a_view_reads_on_anywhere_from_the_start_to_the_end_of_the_log() -> None:
    for following in (3, 5, 7):
        check_range("events", 1, following=following, start=3, end=7)
    with pytest.raises(LogEndsBeforeViewError, match=r"events/1: .* 8, but the log ends at 7"):
        check_range("events", 1, following=8, start=3, end=7)
    with pytest.raises(LogStartsAfterViewError, match=r"events/1: .* 2, but the log starts at 3"):
        check_range("events", 1, following=2, start=3, end=7)


def test_topics_must_be_there_and_have_equal_partitions() -> None:
    assert common_partitions({"messages": 6, "events": 6}) == 6
    with pytest.raises(TopicsError, match="no such topics: events"):
        common_partitions({"messages": 6, "events": 0})
    with pytest.raises(TopicsError, match="messages 6, events 4"):
        common_partitions({"messages": 6, "events": 4})


def test_a_view_is_held_to_the_log_it_was_made_from() -> None:
    tables = MemoryTables()
    ours = origin_on_broker("c1", "p.", 6)
    claim(tables, ours)
    claim(tables, ours)
    for other in (origin_on_broker("c2", "p.", 6), origin_on_broker("c1", "", 6), origin_on_broker("c1", "p.", 12)):
        with pytest.raises(OtherLogError):
            claim(tables, other)
