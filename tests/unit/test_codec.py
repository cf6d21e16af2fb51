"""Bytes to records: what is not a record of its topic says what is wrong with it, whatever the bytes are."""

from __future__ import annotations

import contextlib
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import BadRecordError, decode, encode
from schemas.control import ClockReached, ProducerActivated
from schemas.deltas import Cause, EventChanged, Validity
from schemas.edges import Edge, EdgesInferred, Relation, UpdateKind
from schemas.events import Anchor, Event, EventsDistilled, EventType, Source, Stated
from schemas.ids import digest
from schemas.messages import MessagePosted, MessageRetracted, Role
from schemas.record import Record
from schemas.times import MAX_US, MIN_US, Precision
from schemas.topics import TOPICS
from tests.golden.samples import SAMPLES

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
instant = st.integers(MIN_US, MAX_US)
offset = st.integers(0, 2**63 - 1)
share = st.floats(0, 1)
source = st.builds(Source, conversation_id=text, message_id=text, start=offset, end=offset)
where = {"tenant": text, "space": text}

posted = st.builds(
    MessagePosted,
    **where,
    conversation_id=text,
    message_id=text,
    session_id=st.none() | text,
    speaker=text,
    speaker_id=st.none() | text,
    role=st.sampled_from(get_args(Role)),
    content=text,
    sent_at=instant,
    utc_offset_min=st.integers(-1440, 1440),
    tz=st.none() | text,
    seq=offset,
    received_at=instant,
    time_assumed=st.booleans(),
    ends_session=st.booleans(),
)
event = st.builds(
    Event,
    id=text,
    type=st.sampled_from(get_args(EventType)),
    subject=st.none() | text,
    participants=st.lists(text, max_size=3).map(tuple),
    speaker=st.none() | text,
    text=text,
    sources=st.lists(source, max_size=2).map(tuple),
    stated=st.builds(Stated, instant, offset, text, offset),
    anchor=st.builds(
        Anchor,
        start=instant,
        until=instant,
        precision=st.sampled_from(get_args(Precision)),
        phrase=st.none() | text,
        resolution=st.just("relative"),
    ),
    valid_from=st.none() | instant,
    ends_at=st.none() | instant,
    holds=st.booleans(),
    modality=st.sampled_from(["asserted", "planned"]),
    polarity=st.sampled_from(["affirmed", "negated"]),
    attribute=st.none() | text,
    value=st.none() | text,
    expected_until=st.none() | instant,
    confidence=share,
)
distilled = st.builds(
    EventsDistilled,
    **where,
    conversation_id=text,
    session_id=text,
    producer=text,
    revision=offset,
    events=st.lists(event, max_size=2).map(tuple),
    read=st.lists(text, max_size=3).map(tuple),
    slice=st.lists(text, max_size=3).map(tuple),
    covers=offset,
    learned_at=instant,
)
inferred = st.builds(
    EdgesInferred,
    **where,
    session_id=text,
    producer=text,
    revision=offset,
    edges=st.lists(
        st.builds(
            Edge,
            id=text,
            src=text,
            dst=text,
            relation=st.sampled_from(get_args(Relation)),
            kind=st.none() | st.sampled_from(get_args(UpdateKind)),
            confidence=share,
            justification=text,
            slice=st.lists(text, max_size=2).map(tuple),
            span=st.none() | source,
        ),
        max_size=2,
    ).map(tuple),
    covers=offset,
    learned_at=instant,
)
validity = st.builds(
    Validity,
    valid_from=instant,
    valid_until=st.none() | instant,
    demoted_from=st.none() | instant,
    corrected=st.booleans(),
    withdrawal=st.booleans(),
    superseded_by=st.lists(text, max_size=2).map(tuple),
    contested_by=st.lists(text, max_size=2).map(tuple),
)
changed = st.builds(
    EventChanged,
    **where,
    event_id=text,
    old=st.none() | validity,
    new=st.none() | validity,
    cause=st.builds(Cause, topic=text, partition=offset, offset=offset),
    learned_at=instant,
)
anything = st.one_of(
    st.tuples(st.just("messages"), posted),
    st.tuples(st.just("events"), distilled),
    st.tuples(st.just("edges"), inferred),
    st.tuples(st.just("deltas"), changed),
)


@given(anything)
def test_a_record_survives_the_way_through_bytes(pair):
    topic, record = pair
    assert decode(topic, encode(record)) == record


@given(st.sampled_from(sorted(TOPICS)), st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_bad_record(topic, value):
    with contextlib.suppress(BadRecordError):
        assert isinstance(decode(topic, value), Record)


@given(st.sampled_from(SAMPLES), st.data())
def test_truncated_bytes_are_a_bad_record(sample, data):
    topic, record = sample
    value = encode(record)
    cut = data.draw(st.integers(0, len(value) - 1))
    with pytest.raises(BadRecordError):
        decode(topic, value[:cut])


CLOCK = {"t": "clock_reached", "tenant": "acme", "space": "ilse", "at": 5}


@pytest.mark.parametrize(
    ("topic", "value", "says"),
    [
        ("clock", CLOCK | {"t": "clock_broke"}, "clock_broke.*`\\$.t`"),
        ("messages", CLOCK, "clock_reached.*`\\$.t`"),
        ("messages", {k: v for k, v in CLOCK.items() if k != "t"}, "missing required field `t`"),
        ("clock", {k: v for k, v in CLOCK.items() if k != "at"}, "missing required field `at`"),
        ("clock", CLOCK | {"at": "noon"}, "Expected `int`, got `str`.*`\\$.at`"),
        ("clock", CLOCK | {"at": 1.5}, "Expected `int`, got `float`.*`\\$.at`"),
        ("clock", CLOCK | {"space": None}, "Expected `str`, got `None`.*`\\$.space`"),
        ("clock", [1, 2], "Expected `object`, got `array`"),
    ],
)
def test_a_wrong_record_is_refused_with_the_name_of_what_is_wrong(topic, value, says):
    with pytest.raises(BadRecordError, match=f"^{topic}: .*{says}"):
        decode(topic, msgspec.msgpack.encode(value))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (b"", "truncated"),
        (b"\xc1", "malformed"),
        (msgspec.msgpack.encode(CLOCK) + b"\x00", "trailing characters"),
        (b'{"t":"clock_reached"}', "Expected `object`"),
        (msgspec.msgpack.encode(CLOCK).replace(b"ilse", b"il\xffe"), "UTF-8"),
        (b"\x81\xa1z" + b"\x91" * 100_000 + b"\x01", "nested too deeply"),
    ],
    ids=["empty", "no such opcode", "trailing bytes", "JSON", "not UTF-8", "deep nesting"],
)
def test_bytes_that_are_not_messagepack_are_a_bad_record(value, says):
    with pytest.raises(BadRecordError, match=says):
        decode("clock", value)


def test_a_field_of_a_later_version_is_ignored():
    later = CLOCK | {"zone": "UTC", "why": {"deep": [1]}}
    assert decode("clock", msgspec.msgpack.encode(later)) == ClockReached(tenant="acme", space="ilse", at=5)


def test_the_order_of_fields_does_not_matter_when_reading():
    backwards = dict(reversed(CLOCK.items()))
    assert decode("clock", msgspec.msgpack.encode(backwards)) == ClockReached(tenant="acme", space="ilse", at=5)


def test_equal_records_have_equal_bytes_and_different_ones_do_not():
    one = MessageRetracted(tenant="a", space="b", conversation_id="c", message_id="d", received_at=1)
    same = MessageRetracted(received_at=1, message_id="d", conversation_id="c", space="b", tenant="a")
    assert encode(one) == encode(same)
    assert encode(one) != encode(msgspec.structs.replace(one, received_at=2))


def test_a_record_cannot_be_changed_nor_built_with_a_field_missing():
    record = ClockReached(tenant="acme", space="ilse", at=5)
    with pytest.raises(AttributeError):
        record.at = 6  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match="fallback"):
        ProducerActivated(tenant="a", space="b", stage="link", producer="p", at=1)  # pyright: ignore[reportCallIssue]


@given(st.lists(text, max_size=4), st.lists(text, max_size=4))
def test_ids_differ_when_their_parts_differ(parts, others):
    assert (digest(*parts) == digest(*others)) == (parts == others)
