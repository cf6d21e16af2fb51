"""A stage of a worker that fails, or makes more than a record holds: parked, in a step any worker can go on from."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from schemas.codec import BadRecordError, decode, encode
from schemas.dead_letters import DeadLetter
from schemas.entry import Entry
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.messages import MessageRetracted
from schemas.topics import TopicName
from schemas.transport import RECORD_MAX_BYTES, own_of
from streams.log import MemoryLog
from streams.ports import Output, StageState
from streams.worker.fold import STATE, Decided, Folder

SPACE = SpaceKey("orchard", "row")
NOW = 1_900_000_000_000_000


class Counting:
    """Copies what it reads, counts it, and fails or swells where it is told to."""

    name = "counting"
    inputs: tuple[TopicName, ...] = ("messages",)

    def __init__(self, *, fails: bool = True, error: Exception | None = None, size: int = 0) -> None:
        self._fails, self._error, self._size = fails, error or KeyError("no such thing"), size

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        state.put(b"count", (int.from_bytes(state.get(b"count") or b"") + 1).to_bytes(8))
        record = entry.record
        assert isinstance(record, MessageRetracted)
        if record.message_id == "bad" and self._fails:
            raise self._error
        if record.message_id == "large":
            record = msgspec.structs.replace(record, message_id="x" * self._size)
        return [Output(topic="messages", record=record)]

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        return ()


def fetched(offset: int, message_id: str, value: bytes | None = None, **more: object) -> Fetched:
    record = MessageRetracted(
        tenant=SPACE.tenant, space=SPACE.space, conversation_id="c", message_id=message_id, received_at=NOW
    )
    raw = Fetched(
        topic="messages", partition=0, offset=offset, tenant=SPACE.tenant, space=SPACE.space, key=b"orchard/row",
        value=encode(record) if value is None else value, headers=[("h", b"v")],
    )  # fmt: skip
    return msgspec.structs.replace(raw, **more)


class Place:
    """The steps of one stage and partition; workers come and go."""

    def __init__(self) -> None:
        self.tables = MemoryLog(partitions=1)
        self.position = 0

    def work(self, stage: Counting, names: Sequence[str]) -> Decided:
        """A worker that knows the steps so far folds what follows."""
        folder = Folder(stage, self.tables, b"p/", 0, 1)
        batch = [fetched(offset, name) for offset, name in enumerate(names)][self.position :]
        decided = folder.fold(batch, {"messages": self.position}, NOW)
        with self.tables.batch() as written:
            for key, value in decided.step.changes:
                assert value is not None
                written.put(STATE, b"p/" + key, value)
        self.position = decided.step.positions["messages"]
        return decided

    def count(self) -> int:
        """What the stage counted."""
        return int.from_bytes(self.tables.get(STATE, b"p/count") or b"")


def letters(decided: Decided) -> list[DeadLetter]:
    found = [decode(out.topic, out.value) for out in decided.step.outputs if out.topic == "dead-letters"]
    assert all(isinstance(one, DeadLetter) for one in found)
    return [one for one in found if isinstance(one, DeadLetter)]


def test_a_step_ends_before_the_record_at_which_the_stage_fails_first() -> None:
    place = Place()
    decided = place.work(Counting(), ["a", "b", "bad", "c"])
    assert isinstance(decided.fault, KeyError)
    assert (place.position, place.count(), decided.records, decided.parked) == (2, 2, 2, 0)
    assert len(decided.step.outputs) == 2


def test_whichever_worker_goes_on_parks_it_with_the_traceback() -> None:
    place = Place()
    place.work(Counting(), ["a", "bad", "c"])
    decided = place.work(Counting(), ["a", "bad", "c"])
    assert decided.fault is None
    assert (place.position, place.count(), decided.parked, decided.faulted) == (3, 2, 1, 1)
    (letter,) = letters(decided)
    assert (letter.stage, letter.topic, letter.offset) == ("counting", "messages", 1)
    assert "KeyError" in letter.error
    assert "in apply" in letter.error
    (out,) = [out for out in decided.step.outputs if out.topic == "dead-letters"]
    assert own_of(out.headers) == (b"orchard/row", [("h", b"v")])


def test_a_mended_stage_goes_on_as_if_nothing_had_been() -> None:
    place = Place()
    place.work(Counting(), ["a", "bad", "c"])
    decided = place.work(Counting(fails=False), ["a", "bad", "c"])
    assert (place.position, place.count(), decided.parked, decided.fault) == (3, 3, 0, None)


def test_a_known_bug_parks_at_once_and_another_one_is_tried_again() -> None:
    place = Place()
    names = ["bad", "bad", "a", "bad"]
    place.work(Counting(), names)
    decided = place.work(Counting(), names)
    assert (decided.fault, decided.faulted, place.count()) == (None, 3, 1)
    other = Place()
    other.work(Counting(), ["bad"])
    assert other.work(Counting(error=ZeroDivisionError("of another kind")), ["bad"]).faulted == 1


@pytest.mark.parametrize("error", [OSError("disk"), Exception("IO error: while open a file")])
def test_what_no_record_can_cause_gives_the_step_up(error: Exception) -> None:
    place = Place()
    for _ in range(3):
        with pytest.raises(type(error)):
            place.work(Counting(error=error), ["a", "bad"])
    assert (place.position, place.count()) == (0, 0)


def test_a_bad_record_is_parked_at_once() -> None:
    decided = Place().work(Counting(error=BadRecordError("not for me")), ["a", "bad", "c"])
    assert (decided.parked, decided.faulted, decided.fault) == (1, 0, None)


def test_what_leads_to_more_than_a_record_holds_is_parked() -> None:
    place = Place()
    decided = place.work(Counting(size=RECORD_MAX_BYTES), ["a", "large", "c"])
    (letter,) = letters(decided)
    assert "the limit is" in letter.error
    assert (place.position, place.count(), decided.parked) == (3, 2, 1)
    assert max(len(out.value) for out in decided.step.outputs) < 1_000
    assert Place().work(Counting(size=RECORD_MAX_BYTES - 16_384), ["large"]).parked == 0


@pytest.mark.parametrize("more", [{"value": b"\xc1" * (RECORD_MAX_BYTES + 1)}, {"headers": [("h", b"v" * 2**23)]}])
def test_a_record_larger_than_a_letter_goes_by_reference(more: dict[str, object]) -> None:
    raw = msgspec.structs.replace(fetched(0, "a", b"\xc1"), **more)
    decided = Folder(Counting(), MemoryLog(partitions=1), b"p/", 0, 1).fold([raw], {"messages": 0}, NOW)
    (letter,) = letters(decided)
    assert (letter.payload, letter.left_bytes) == (b"", len(raw.value))
    (out,) = decided.step.outputs
    assert len(out.value) + sum(len(value) for _, value in out.headers) < 10_000


def test_a_key_that_is_no_name_makes_no_letter_larger_than_its_topic_takes() -> None:
    key = b"k" * (4 * 1024 * 1024)
    raw = fetched(0, "a", b"\xc1" * (4 * 1024 * 1024 - 8192), key=key, tenant="", space="")
    decided = Folder(Counting(), MemoryLog(partitions=1), b"p/", 0, 1).fold([raw], {"messages": 0}, NOW)
    (out,) = decided.step.outputs
    assert own_of(out.headers)[0] == key
    assert len(out.key) + len(out.value) + sum(len(n) + len(v) for n, v in out.headers) < RECORD_MAX_BYTES + 64 * 1024
