"""The distil stage: one set per session revision, one activation per space."""

from __future__ import annotations

import pytest

from schemas.codec import BadRecordError
from schemas.control import ClockReached, ProducerActivated
from schemas.events import EventsDistilled
from schemas.record import Record
from schemas.sessions import SessionRevised
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.ports import Entry, Output
from streams.state import MemoryState
from tests.kit.sessions import revised, said


def talk(*contents: str, space: str = "s", revision: int = 4) -> SessionRevised:
    messages = [said(i, 1_700_000_000_000_000 + i, content, "Ruth") for i, content in enumerate(contents)]
    return revised(messages, space=space, revision=revision, open=True, covers=7, learned_at=1_700_000_000_000_500)


def apply(stage: DistilStage, state: MemoryState, record: Record) -> tuple[Output, ...]:
    return tuple(stage.apply(Entry(topic="sessions", partition=0, offset=0, record=record), state, now=0))


def test_a_session_becomes_one_set_with_its_revision_coverage_and_slice() -> None:
    outputs = apply(DistilStage(OfflineDistiller()), MemoryState(), talk("I keep bees.", "ok"))
    (record,) = [o.record for o in outputs if o.topic == "events"]
    assert isinstance(record, EventsDistilled)
    assert (record.revision, record.covers, record.learned_at) == (4, 7, 1_700_000_000_000_500)
    assert (record.read, record.slice, record.producer) == (("m0", "m1"), ("c",), OfflineDistiller.producer)
    assert [e.text for e in record.events] == ["I keep bees"]


@pytest.mark.parametrize("contents", [(), ("thanks!",)])
def test_a_session_without_statements_still_becomes_an_empty_set(contents: tuple[str, ...]) -> None:
    outputs = apply(DistilStage(OfflineDistiller()), MemoryState(), talk(*contents))
    (record,) = [o.record for o in outputs if o.topic == "events"]
    assert isinstance(record, EventsDistilled)
    assert record.events == ()


def test_the_producer_is_activated_before_the_first_set_of_a_space_and_once_only() -> None:
    stage, state = DistilStage(OfflineDistiller()), MemoryState()
    first = apply(stage, state, talk("I keep bees."))
    again = apply(stage, state, talk("I keep bees.", revision=6))
    other = apply(stage, state, talk("I keep bees.", space="other"))
    assert [o.topic for o in first] == ["producers", "events"]
    assert [o.topic for o in again] == ["events"]
    assert [o.topic for o in other] == ["producers", "events"]
    activated = first[0].record
    assert isinstance(activated, ProducerActivated)
    assert (activated.stage, activated.producer, activated.fallback) == ("distil", OfflineDistiller.producer, None)
    assert activated.at == 1_700_000_000_000_500


def test_other_rules_are_another_producer_and_the_former_one_becomes_the_fallback() -> None:
    """What the former rules said of sessions that the new ones have not read still counts."""
    state = MemoryState()
    first = apply(DistilStage(OfflineDistiller()), state, talk("I keep bees."))
    newer = OfflineDistiller()
    newer.producer = "offline-next"
    second = apply(DistilStage(newer), state, talk("I keep bees.", revision=6))
    records = [o.record for o in (first[0], second[0])]
    assert [(r.producer, r.fallback) for r in records if isinstance(r, ProducerActivated)] == [
        (OfflineDistiller.producer, None),
        ("offline-next", OfflineDistiller.producer),
    ]
    at = [r.at for r in records if isinstance(r, ProducerActivated)]
    assert at[0] < at[1]
    third = apply(DistilStage(newer), state, talk("I keep bees.", revision=8))
    assert [o.topic for o in third] == ["events"]


def test_a_step_repeated_from_the_same_state_gives_the_same_outputs() -> None:
    record = talk("I keep bees.", "My sister sold her van yesterday.")
    stage = DistilStage(OfflineDistiller())
    assert apply(stage, MemoryState(), record) == apply(stage, MemoryState(), record)


def test_another_record_is_parked() -> None:
    with pytest.raises(BadRecordError):
        apply(DistilStage(OfflineDistiller()), MemoryState(), ClockReached(tenant="t", space="s", at=1))
