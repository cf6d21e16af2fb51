"""What a producer may assert, the ids it gets, and how a bad batch is refused."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from schemas.codec import decode
from schemas.edges import EdgesAsserted
from schemas.events import Event, EventsAsserted, Stated
from schemas.ids import SpaceKey, asserted_event_id, edge_id
from schemas.times import US_PER_DAY, parse_time
from schemas.wire import AssertedOut, AssertionsIn
from streams.assertions import assert_events
from streams.checks import RefusedError
from streams.ingest import Ingest
from streams.log import MemoryLog

SPACE = SpaceKey("t", "s")
NOW = parse_time("2030-01-01T00:00:00Z")[0]


class Desk:
    """A log with three messages in it, and a producer."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.ingest = Ingest(self.log)
        bodies = [
            {"message_id": name, "conversation_id": "c", "speaker": "Ada", "content": "I moved north.", "sent_at": at}
            for name, at in [
                ("m1", "2026-03-02T23:30:00+05:00"),
                ("m2", "2026-03-03T01:00:00+05:00"),
                ("gone", "2026-03-04T00:00:00Z"),
            ]
        ]
        self.ingest.post(SPACE, [json.dumps(body).encode() for body in bodies], now=NOW)
        self.ingest.retract(SPACE, "c", "gone", now=NOW)

    def send(self, **batch: Any) -> AssertedOut:
        base = {"batch_id": "b1", "producer": "crm", "asserted_at": "2026-05-01T10:00:00Z"}
        wire = msgspec.convert({**base, **batch}, AssertionsIn)
        return assert_events(self.log, self.ingest, SPACE, wire, now=NOW)

    def events(self) -> list[EventsAsserted]:
        found = [decode("events", entry.value) for entry in self.log.read("events", 0, 0, 100)]
        return [record for record in found if isinstance(record, EventsAsserted)]

    def edges(self) -> list[EdgesAsserted]:
        found = [decode("edges", entry.value) for entry in self.log.read("edges", 0, 0, 100)]
        return [record for record in found if isinstance(record, EdgesAsserted)]

    def event(self, **event: Any) -> Event:
        self.send(events=[fact("k", **event)])
        return self.events()[-1].events[0]


def fact(key: str, **changes: Any) -> dict[str, Any]:
    return {"key": key, "type": "state_change", "text": "Ada lives up north.", **changes}


def source(message_id: str, **span: int) -> dict[str, Any]:
    return {"conversation_id": "c", "message_id": message_id, **span}


def test_ids_come_from_the_producer_and_its_key() -> None:
    desk = Desk()
    out = desk.send(events=[fact("a"), fact("b")], edges=[{"src": "b", "dst": "a", "relation": "causes"}])
    a, b = asserted_event_id(SPACE, "crm", "a"), asserted_event_id(SPACE, "crm", "b")
    assert out.event_ids == {"a": a, "b": b}
    assert out.edge_ids == (edge_id(SPACE, b, "causes", a),)
    assert out.wait_for == 4
    assert [event.id for event in desk.events()[0].events] == [a, b]


def test_an_event_with_sources_is_stated_with_its_last_span() -> None:
    event = Desk().event(sources=[source("m2", start=2, end=7), source("m1")])
    assert event.stated == Stated(parse_time("2026-03-02T20:00:00Z")[0], 1, "m2", 2)
    assert [(s.message_id, s.start, s.end) for s in event.sources] == [("m2", 2, 7), ("m1", 0, 14)]
    assert event.speaker == "Ada"


def test_an_event_without_sources_is_stated_when_asserted() -> None:
    desk = Desk()
    desk.send(events=[fact("a"), fact("b", speaker="Bo")])
    at = parse_time("2026-05-01T10:00:00Z")[0]
    assert [e.stated for e in desk.events()[0].events] == [Stated(at, 0, "b1", 0), Stated(at, 1, "b1", 0)]
    assert [e.speaker for e in desk.events()[0].events] == [None, "Bo"]


def test_the_anchor_defaults_to_the_local_day_of_the_message() -> None:
    anchor = Desk().event(sources=[source("m1")]).anchor
    start = parse_time("2026-03-02T00:00:00+05:00")[0]
    assert (anchor.start, anchor.until, anchor.precision) == (start, start + US_PER_DAY, "day")
    assert (anchor.phrase, anchor.resolution) == (None, "message_time")


def test_a_given_anchor_and_times_are_kept() -> None:
    event = Desk().event(
        type="plan",
        anchor={"start": "2026-06-01T00:00:00Z", "until": "2026-07-01T00:00:00Z", "precision": "month"},
        valid_from="2026-06-01T00:00:00Z",
        ends_at="2026-06-02T00:00:00Z",
        expected_until="2026-08-01T00:00:00Z",
        participants=["Bo", "Ada", "Bo"],
    )
    assert (event.anchor.precision, event.anchor.resolution) == ("month", "explicit")
    assert event.valid_from == parse_time("2026-06-01T00:00:00Z")[0]
    assert event.expected_until == parse_time("2026-08-01T00:00:00Z")[0]
    assert event.participants == ("Ada", "Bo")


def test_a_span_lies_in_the_content_as_last_edited() -> None:
    desk = Desk()
    desk.ingest.edit(SPACE, "c", "m1", "Yes.", now=NOW)
    assert desk.event(sources=[source("m1")]).sources[0].end == 4
    with pytest.raises(RefusedError, match=r"events\[0\]\.sources\[0\]\.end"):
        desk.event(sources=[source("m1", start=0, end=5)])


def test_every_batch_writes_both_records_with_a_higher_revision_each_time() -> None:
    desk = Desk()
    desk.send(events=[fact("a")], slice=["c"])
    desk.send()
    assert [(r.revision, len(r.events), r.slice, r.covers) for r in desk.events()] == [(0, 1, ("c",), 4), (1, 0, (), 4)]
    assert [(r.revision, len(r.edges), r.learned_at) for r in desk.edges()] == [(0, 0, NOW), (1, 0, NOW)]


def test_edges_name_events_by_key_of_any_batch_or_by_id() -> None:
    desk = Desk()
    other = "e" + "0" * 24
    desk.send(
        edges=[
            {"src": "earlier", "dst": other, "relation": "updates", "kind": "change", "justification": "told so"},
        ],
        slice=["c", "d"],
    )
    [edge] = desk.edges()[0].edges
    assert (edge.src, edge.dst) == (asserted_event_id(SPACE, "crm", "earlier"), other)
    assert (edge.kind, edge.slice, edge.confidence, edge.justification) == ("change", ("c", "d"), 1.0, "told so")


EDGE = {"src": "a", "dst": "b", "relation": "before"}


@pytest.mark.parametrize(
    ("batch", "code", "field"),
    [
        ({"batch_id": ""}, "empty", "batch_id"),
        ({"producer": "a/b"}, "bad_name", "producer"),
        ({"producer": "a\n"}, "bad_text", "producer"),
        ({"slice": ["c", ""]}, "empty", "slice[1]"),
        ({"asserted_at": "2026-05-01T10:00:00"}, "naive_time", "asserted_at"),
        ({"events": [fact("a"), fact("a")]}, "duplicate_key", "events[1].key"),
        ({"events": [fact("e" + "a" * 24)]}, "bad_name", "events[0].key"),
        ({"events": [fact("a", text=" ")]}, "empty", "events[0].text"),
        ({"events": [fact("a", text="\ud83d")]}, "bad_text", "events[0].text"),
        ({"events": [fact("a", participants=["x", "y\0"])]}, "bad_text", "events[0].participants[1]"),
        ({"events": [fact("a", confidence=1.01)]}, "bad_confidence", "events[0].confidence"),
        ({"events": [fact("a", confidence=float("nan"))]}, "bad_confidence", "events[0].confidence"),
        ({"events": [fact("a", sources=[source("nope")])]}, "not_found", "events[0].sources[0].message_id"),
        ({"events": [fact("a", sources=[source("gone")])]}, "not_found", "events[0].sources[0].message_id"),
        ({"events": [fact("a", sources=[source("m1", start=14)])]}, "bad_span", "events[0].sources[0].start"),
        ({"events": [fact("a", sources=[source("m1", start=-1)])]}, "bad_span", "events[0].sources[0].start"),
        ({"events": [fact("a", sources=[source("m1", start=3, end=3)])]}, "bad_span", "events[0].sources[0].end"),
        (
            {"events": [fact("a", valid_from="2026-06-02T00:00:00Z", ends_at="2026-06-02T00:00:00Z")]},
            "bad_interval",
            "events[0].ends_at",
        ),
        (
            {
                "events": [
                    fact("a", anchor={"start": "2026-06-02T00:00Z", "until": "2026-06-01T00:00Z", "precision": "day"})
                ]
            },
            "bad_interval",
            "events[0].anchor.until",
        ),
        (
            {"events": [fact("a", expected_until="2026-06-02T00:00:00Z")]},
            "bad_interval",
            "events[0].expected_until",
        ),
        ({"edges": [{**EDGE, "dst": "a"}]}, "bad_edge", "edges[0].dst"),
        ({"edges": [{**EDGE, "kind": "change"}]}, "bad_kind", "edges[0].kind"),
        ({"edges": [{**EDGE, "relation": "updates"}]}, "bad_kind", "edges[0].kind"),
        ({"edges": [{**EDGE, "confidence": -0.1}]}, "bad_confidence", "edges[0].confidence"),
        ({"edges": [EDGE, EDGE]}, "duplicate_key", "edges[1]"),
        ({"edges": [{**EDGE, "src": ""}]}, "empty", "edges[0].src"),
    ],
)
def test_a_bad_batch_is_refused_whole_naming_the_field(batch: dict[str, Any], code: str, field: str) -> None:
    desk = Desk()
    with pytest.raises(RefusedError) as refused:
        desk.send(**batch)
    assert (refused.value.problem.code, refused.value.problem.field) == (code, field)
    assert desk.events() == []
    assert desk.edges() == []
