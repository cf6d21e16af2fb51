"""A set in parts is the set: whatever a session said before, and however often its records come."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.pipeline import StageRunner
from ops.viewing import LiveView
from schemas.codec import decode, encode
from schemas.edges import EdgesInferred
from schemas.events import Event, EventsDistilled
from schemas.ids import SpaceKey
from schemas.parts import part_name, whole_of
from schemas.sessions import SessionRevised
from schemas.times import US_PER_DAY
from schemas.verdicts import PairsJudged
from streams.classify.offline import OfflineClassifier
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage, capped
from streams.link.stage import LinkStage
from streams.log.memory import MemoryLog
from streams.parts import PartLimits, split
from tests.kit.encoders import HashingEncoder
from tests.kit.sessions import revised, said
from views.checksum import first_difference
from views.spec import View, recompute
from views.tables import MemoryTables

SPACE = SpaceKey("acme", "harbour")
WORDS = ("I live in Malmo.", "I live in Oslo now.", "I work at the mill.", "I sold my boat.", "I like plums.", "Hm.")
SMALL = PartLimits(size=2_500, events=3, statements=4)
LARGE = PartLimits(size=2**30, events=2**30, statements=4)
SMALL_LINKS = PartLimits(size=700)

contents = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join).filter(bool)
sessions = st.sampled_from(["one", "two"])
revisions = st.lists(st.tuples(sessions, st.lists(contents, max_size=5)), min_size=1, max_size=5)
Said = Sequence[tuple[str, Sequence[str]]]


def talk(session_id: str, number: int, contents: Sequence[str]) -> SessionRevised:
    """A session that says something else each time, as one that is edited does."""
    messages = [
        said(n, number * US_PER_DAY + n, content, message_id=f"{session_id}-{n}") for n, content in enumerate(contents)
    ]
    return revised(
        messages, tenant=SPACE.tenant, space=SPACE.space, session_id=session_id, revision=2 * number + 1,
        covers=number + 1, learned_at=number + 1,
    )  # fmt: skip


class Flow:
    """Distil, link and the view, on a log, with limits."""

    def __init__(self, events: PartLimits, links: PartLimits) -> None:
        self.log = MemoryLog(partitions=1)
        self.view = LiveView(self.log, MemoryTables(), 4)
        self._stages = (
            StageRunner(self.log, DistilStage(OfflineDistiller(), limits=events), 2),
            StageRunner(self.log, LinkStage(OfflineClassifier(), HashingEncoder(), links), 3),
        )

    def take(self, records: Sequence[SessionRevised]) -> None:
        """Work them off."""
        with self.log.batch() as batch:
            for record in records:
                batch.append("sessions", SPACE, encode(record), 0)
        while sum(stage.step(0) for stage in self._stages) + self.view.step(0):
            pass

    def rows(self) -> View:
        """The view, which is its definition."""
        view = self.view.snapshot(SPACE).view
        assert first_difference(recompute(self.view.entries(SPACE)), view) is None
        return view

    def sizes(self) -> list[int]:
        """Of every record that holds more than one event, edge or verdict."""
        found: list[int] = []
        for topic in ("events", "edges", "verdicts"):
            for entry in self.log.read_space(topic, SPACE):
                match decode(topic, entry.value):
                    case EventsDistilled(events=held) | EdgesInferred(edges=held) | PairsJudged(verdicts=held):
                        found += [len(msgspec.msgpack.encode(held))] if len(held) > 1 else []
                    case _:
                        pass
        return found


@settings(deadline=None, max_examples=40)
@given(revisions)
def test_the_events_of_a_space_are_those_of_its_sessions_last_revisions(told: Said) -> None:
    flow = Flow(SMALL, SMALL)
    records = [talk(session_id, number, texts) for number, (session_id, texts) in enumerate(told)]
    last = {record.session_id: record for record in records}
    for record in records:
        flow.take([record])
        assert flow.view.account(SPACE).accepted == 0  # their messages were never posted: only sessions are
        flow.rows()
    flow.take(records)  # and all of it once more
    stated = [capped(OfflineDistiller().distil(record), SMALL.statements) for record in last.values()]
    expected: dict[str, Event] = {event.id: event for events in stated for event in events}
    assert {name: row.event for name, row in flow.rows().events.items()} == expected
    assert max(flow.sizes(), default=0) <= SMALL.size + 8


@settings(deadline=None, max_examples=40)
@given(revisions)
def test_links_in_parts_are_the_same_links(told: Said) -> None:
    small, large = Flow(LARGE, SMALL_LINKS), Flow(LARGE, LARGE)
    for number, (session_id, texts) in enumerate(told):
        for flow in (small, large):
            flow.take([talk(session_id, number, texts)])
        assert first_difference(large.rows(), small.rows()) is None
    assert small.view.basis(SPACE).messages == large.view.basis(SPACE).messages


@given(st.lists(st.binary(max_size=9), max_size=12), st.integers(1, 20), st.none() | st.integers(1, 4))
def test_parts_hold_everything_once_and_in_order_and_no_more_than_they_may(
    items: list[bytes], size: int, most: int | None
) -> None:
    parts = split(items, size, most)
    assert [item for part in parts for item in part] == items
    assert all(part for part in parts[1:])
    for part in parts:
        assert len(part) <= (most or len(items))
        assert len(part) < 2 or sum(len(msgspec.msgpack.encode(item)) for item in part) <= size


@given(st.text(), st.integers(0, 3), st.integers(0, 3))
def test_a_parts_name_tells_its_session(name: str, events: int, links: int) -> None:
    part = part_name("links", part_name("events", f"s{name}", events), links)
    assert whole_of(part) == f"s{name}"
    assert (part == f"s{name}") == (events == links == 0)
