"""More is said in a session than a record of the broker holds: in parts, all of it, and nothing is parked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from schemas.codec import decode, encode
from schemas.edges import EdgesInferred
from schemas.events import EventsDistilled
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.parts import whole_of
from schemas.sessions import SessionRevised
from schemas.topics import TopicName
from schemas.transport import RECORD_MAX_BYTES
from streams.classify.offline import OfflineClassifier
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.link.stage import LinkStage
from streams.log import MemoryLog
from streams.ports import Stage
from streams.worker.fold import STATE, Decided, Folder
from tests.kit.embedded import SPACE as HOME
from tests.kit.embedded import Home
from tests.kit.encoders import HashingEncoder
from tests.kit.sessions import revised, said

SPACE = SpaceKey("orchard", "row")
LONG = "w" * 250
"""Ids are as long as they may be: every event and edge names them again."""


def session(number: int, *contents: str, open_: bool = False) -> SessionRevised:
    """A revision with these messages."""
    messages = [
        said(n, 1_900_000_000_000_000 + n, content, LONG, message_id=f"{n:03}{LONG}")
        for n, content in enumerate(contents)
    ]
    return revised(
        messages, tenant=SPACE.tenant, space=SPACE.space, conversation_id=LONG,
        revision=2 * number + (not open_), open=open_, covers=number + 1, learned_at=number,
    )  # fmt: skip


class Place:
    """A stage of a worker in one partition, step by step."""

    def __init__(self, stage: Stage, topic: TopicName) -> None:
        self._tables = MemoryLog(partitions=1)
        self._folder = Folder(stage, self._tables, b"p/", 0, 1)
        self._positions = dict.fromkeys(stage.inputs, 0)
        self._topic: TopicName = topic

    def fold(self, values: Sequence[bytes]) -> Decided:
        """One step of the next records."""
        first = self._positions[self._topic]
        batch = [
            Fetched(
                topic=self._topic, partition=0, offset=offset, tenant=SPACE.tenant, space=SPACE.space,
                key=str(SPACE).encode(), value=value, headers=[],
            )
            for offset, value in enumerate(values, start=first)
        ]  # fmt: skip
        decided = self._folder.fold(batch, self._positions, 0)
        with self._tables.batch() as written:
            for key, value in decided.step.changes:
                assert value is not None
                written.put(STATE, b"p/" + key, value)
        self._folder.clear()
        self._positions = dict(decided.step.positions)
        return decided


def events(decided: Decided) -> list[EventsDistilled]:
    found = [decode(out.topic, out.value) for out in decided.step.outputs if out.topic == "events"]
    return [one for one in found if isinstance(one, EventsDistilled)]


def test_events_beyond_a_record_are_written_in_parts_and_leave_with_their_messages() -> None:
    place = Place(DistilStage(OfflineDistiller()), "sessions")
    said = "I live in Rome. I sold the boat. " * 100
    decided = place.fold([encode(session(1, *[said] * 24))])
    parts = events(decided)
    assert decided.parked == 0
    assert sum(len(out.value) for out in decided.step.outputs) > RECORD_MAX_BYTES
    assert max(len(out.value) for out in decided.step.outputs) < RECORD_MAX_BYTES / 2
    ids = [event.id for part in parts for event in part.events]
    assert len(ids) == len(set(ids)) == 24 * 200
    assert [part.covers for part in parts] == [0] * (len(parts) - 1) + [2]
    assert {part.read for part in parts} == {tuple(f"{n:03}{LONG}" for n in range(24))}
    after = events(place.fold([encode(session(2, said))]))
    assert [part.session_id for part in after] == [part.session_id for part in parts]
    assert {whole_of(part.session_id) for part in after} == {"x"}
    assert [len(part.events) for part in after] == [200] + [0] * (len(parts) - 1)


@pytest.mark.parametrize(("open_", "told"), [(False, 100), (True, 0)])
def test_of_one_message_so_many_statements_are_kept_and_the_others_told_when_it_closes(open_: bool, told: int) -> None:
    place = Place(DistilStage(OfflineDistiller()), "sessions")
    decided = place.fold([encode(session(1, "I live in Rome. " * 300, "I sold the boat.", open_=open_))])
    (one,) = events(decided)
    assert [event.text for event in one.events[199:]] == ["I live in Rome", "I sold the boat"]
    assert (one.left_out, decided.left_out) == (100, told)


def test_edges_beyond_a_record_are_written_in_parts() -> None:
    distil, link = (
        Place(DistilStage(OfflineDistiller()), "sessions"),
        Place(LinkStage(OfflineClassifier(), HashingEncoder()), "events"),
    )
    said = "I live in Rome. I live in Oslo. " * 80
    (distilled,) = events(distil.fold([encode(session(1, said, said))]))
    decided = link.fold([encode(distilled)])
    assert decided.parked == 0
    found = [decode(out.topic, out.value) for out in decided.step.outputs if out.topic == "edges"]
    sets = [one for one in found if isinstance(one, EdgesInferred)]
    assert sum(len(out.value) for out in decided.step.outputs if out.topic == "edges") > RECORD_MAX_BYTES
    assert max(len(out.value) for out in decided.step.outputs) < RECORD_MAX_BYTES
    assert len({edge.id for one in sets for edge in one.edges}) == sum(len(one.edges) for one in sets)
    assert [one.covers for one in sets] == [0] * (len(sets) - 1) + [2]


def test_what_was_left_out_is_told_in_the_account_until_it_is_said_otherwise() -> None:
    home = Home()
    home.say("m1", "I live in Rome. " * 203, "2031-05-01T10:00:00Z")
    assert home.system.account(HOME).statements_left_out == 3
    home.say("m2", "I sold the boat.", "2031-05-01T10:01:00Z")
    assert home.system.account(HOME).statements_left_out == 3
    home.edit("m1", "I live in Rome.")
    assert home.system.account(HOME).statements_left_out == 0
