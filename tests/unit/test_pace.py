"""A step that takes long ends early: what was folded is kept, the rest is folded by the next one."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from ops.pipeline import StageRunner, read_position
from schemas.codec import encode
from schemas.entry import Entry
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.log.memory import MemoryLog
from streams.ports import Output, StageState
from streams.worker.fold import Folder, GivenUpError, Pace
from streams.worker.inbox import Inbox
from tests.kit.sessions import revised

SPACE = SpaceKey("orchard", "row")


class Slow:
    """Copies sessions, and takes its time."""

    name = "slow"
    inputs: tuple[TopicName, ...] = ("sessions",)

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self.folded: list[int] = []

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        until = time.perf_counter() + self._seconds
        while time.perf_counter() < until:
            pass
        self.folded.append(entry.offset)
        return [Output(topic="sessions", record=entry.record)]

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        return ()


def session(revision: int, name: str = "x") -> bytes:
    return encode(revised((), tenant=SPACE.tenant, space=SPACE.space, session_id=name, revision=revision, open=True))


def fetched(values: Sequence[bytes]) -> list[Fetched]:
    return [
        Fetched(
            topic="sessions", partition=0, offset=offset, tenant=SPACE.tenant, space=SPACE.space,
            key=str(SPACE).encode(), value=value, headers=[],
        )
        for offset, value in enumerate(values)
    ]  # fmt: skip


def after(records: int, stage: Slow) -> Pace:
    """Enough once so many were folded."""
    return Pace(lambda: False, lambda: len(stage.folded) >= records)


def test_a_step_ends_where_it_took_long_enough() -> None:
    stage = Slow()
    batch = fetched([session(n, f"s{n}") for n in range(5)])
    decided = Folder(stage, MemoryLog(partitions=1), b"p/", 0, 1).fold(batch, {"sessions": 0}, 0, after(2, stage))
    assert (decided.records, decided.step.positions, len(decided.step.outputs)) == (2, {"sessions": 2}, 2)


def test_it_goes_on_to_the_set_for_which_another_was_passed_over() -> None:
    stage = Slow()
    batch = fetched([session(1), session(1, "y"), session(2), session(1, "z")])
    folder = Folder(stage, MemoryLog(partitions=1), b"p/", 0, 1, newest_only=True)
    decided = folder.fold(batch, {"sessions": 0}, 0, after(1, stage))
    assert (stage.folded, decided.step.positions) == ([1, 2], {"sessions": 3})


def test_a_step_that_is_told_to_stop_decides_nothing() -> None:
    stage = Slow()
    folder = Folder(stage, MemoryLog(partitions=1), b"p/", 0, 1)
    with pytest.raises(GivenUpError):
        folder.fold(fetched([session(1), session(2)]), {"sessions": 0}, 0, Pace(lambda: True, lambda: False))
    assert stage.folded == [0]


def test_what_is_put_back_is_taken_next_and_in_order() -> None:
    inbox = Inbox(("sessions", "events"))
    records = fetched([session(n) for n in range(6)])
    for record in records[:4]:
        inbox.offer(record)
    taken = inbox.take({"sessions": 0, "events": 0}, 256)
    inbox.offer(records[4])
    inbox.put_back(taken[1:])
    assert inbox.take({"sessions": 1, "events": 0}, 256) == records[1:5]
    assert inbox.missing({"sessions": 5, "events": 0}) is None


def test_an_embedded_stage_gives_the_lock_up_between_slow_records_and_loses_none() -> None:
    log, stage = MemoryLog(partitions=1), Slow(seconds=0.01)
    with log.batch() as batch:
        for n in range(3):
            batch.append("sessions", SPACE, session(n, f"s{n}"), 0)
    runner = StageRunner(log, stage, 64, step_s=0.0)
    positions: list[int] = []
    while len(positions) < 3:
        assert runner.step(0) == 1
        positions.append(read_position(log, "slow", "sessions", 0))
    assert positions == [1, 2, 3]
    assert stage.folded[:3] == [0, 1, 2]
