"""Decoding sets by their members: the same records, and a member that is as before is the same object."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.codec import BadRecordError, decode, encode
from schemas.edges import EdgesAsserted, EdgesInferred
from schemas.events import EventsDistilled
from schemas.record import Record
from schemas.topics import TopicName
from tests.kit.records import distilled, event, set_records
from views.decoding import SetDecoder


def topic_of(record: Record) -> TopicName:
    return "edges" if isinstance(record, EdgesInferred | EdgesAsserted) else "events"


@settings(max_examples=60)
@given(st.lists(set_records(), max_size=6))
def test_every_record_is_what_the_codec_makes_of_it(records: list[Record]) -> None:
    decoder = SetDecoder()
    for record in records:
        value = encode(record)
        assert decoder(topic_of(record), value) == decode(topic_of(record), value) == record


def test_a_member_that_is_issued_again_is_the_same_object() -> None:
    decoder = SetDecoder()
    ann, ben = event("a"), event("b")
    first = decoder("events", encode(distilled(ann, revision=1)))
    second = decoder("events", encode(distilled(ann, ben, revision=2)))
    assert isinstance(first, EventsDistilled)
    assert isinstance(second, EventsDistilled)
    assert second.events == (ann, ben)
    assert second.events[0] is first.events[0]


@pytest.mark.parametrize("what", ["a member", "a field", "the end"])
def test_what_is_no_record_is_refused_in_the_codecs_words(what: str) -> None:
    value = encode(distilled(event("a")))
    broken = {
        "a member": value.replace(b"affirmed", b"affirmes"),
        "a field": value.replace(b"revision", b"revisiom"),
        "the end": value[:-1],
    }[what]
    assert broken != value
    with pytest.raises(BadRecordError) as expected:
        decode("events", broken)
    with pytest.raises(BadRecordError) as refused:
        SetDecoder()("events", broken)
    assert str(refused.value) == str(expected.value)


def test_a_record_with_fields_of_a_later_version_is_read_as_the_codec_reads_it() -> None:
    fields = msgspec.to_builtins(distilled(event("a"))) | {"later": [1, {"x": None}]}
    value = msgspec.msgpack.encode(fields)
    assert SetDecoder()("events", value) == decode("events", value)


def test_edges_of_a_set_are_not_taken_for_events() -> None:
    value = encode(distilled(event("a")))
    with pytest.raises(BadRecordError):
        SetDecoder()("edges", value)
