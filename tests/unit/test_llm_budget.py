"""The budget of a day counts what was booked, what was answered and not booked yet, and the most that is on the way."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ops.llm.budget import Budget, DeskRows, tokens_at_most
from ops.llm.errands import REPLY_WITHIN_US, ModelErrands
from ops.llm.settings import LlmSettings
from ops.observing import SILENT
from schemas.asking import ModelAsked, ModelReplied
from schemas.entry import Entry
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.times import US_PER_DAY
from schemas.topics import TopicName
from streams.llm.desk import Desk
from streams.state import MemoryState
from tests.kit.asking import SENT, Distilling, replied, said, session

SPACE, OTHER = SpaceKey("t", "s"), SpaceKey("t", "other")


class Rows:
    """The rows of a desk in memory."""

    def __init__(self) -> None:
        self.state = MemoryState()
        self._offset = 0

    def take(self, record: Record, topic: TopicName) -> None:
        self._offset += 1
        Desk().apply(Entry(topic=topic, partition=0, offset=self._offset, record=record), self.state, now=0)

    def get(self, table: str, key: bytes) -> bytes | None:
        return self.state.get(key)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Any:
        return self.state.scan(start, stop, reverse=reverse)


def budget(now: int = SENT, **limits: int) -> Budget:
    return Budget(LlmSettings(model="m", **limits), lambda: now)


def asked(content: str = "I keep bees.", space: SpaceKey = SPACE) -> ModelAsked:
    return Distilling().ask(session(said(content), session_id=content, space=space))[0]


def reply(ask: ModelAsked, tokens: int) -> ModelReplied:
    return replied(ask, "{}", prompt_tokens=tokens - 10, completion_tokens=10)


def desk_of(rows: Rows) -> DeskRows:
    return DeskRows(rows, "", b"")


def test_without_a_limit_there_is_always_room() -> None:
    desk, one = desk_of(Rows()), asked()
    free = budget()
    free.reserve("a", one)
    assert free.has_room(desk, SPACE)
    assert not free.is_spent(desk, SPACE)


def test_one_question_on_the_way_fills_a_budget_that_it_could_use_up() -> None:
    desk, one = desk_of(Rows()), asked()
    small, large = budget(space_tokens_per_day=200), budget(space_tokens_per_day=tokens_at_most(one.prompt) + 1)
    for limited, room in ((small, False), (large, True)):
        assert limited.has_room(desk, SPACE)
        limited.reserve("a", one)
        assert limited.has_room(desk, SPACE) == room
        assert not limited.is_spent(desk, SPACE), "what is on the way is not spent"
        limited.release("a")
        limited.release("a")
        assert limited.has_room(desk, SPACE)


def test_a_reply_counts_from_when_it_is_there_and_once_when_the_desk_has_booked_it() -> None:
    rows, one = Rows(), asked()
    rows.take(one, "asks")
    limited = budget(space_tokens_per_day=101)
    limited.expect(desk_of(rows), reply(one, 100))
    limited.look(desk_of(rows))
    assert limited.has_room(desk_of(rows), SPACE)
    rows.take(reply(one, 100), "replies")
    limited.look(desk_of(rows))
    assert limited.has_room(desk_of(rows), SPACE), "counted twice"
    limited.expect(desk_of(rows), reply(asked("I keep hens."), 1 + 10))
    assert limited.is_spent(desk_of(rows), SPACE)


@pytest.mark.parametrize(("limit", "spent"), [("space_tokens_per_day", False), ("tokens_per_day", True)])
def test_what_a_space_spends_counts_for_itself_or_for_all(limit: str, spent: bool) -> None:
    rows, one = Rows(), asked()
    rows.take(one, "asks")
    rows.take(reply(one, 500), "replies")
    limited = budget(**{limit: 500})
    assert limited.is_spent(desk_of(rows), SPACE)
    assert limited.is_spent(desk_of(rows), OTHER) == spent
    limited = budget(**{limit: 500})
    limited.reserve("a", one)
    assert limited.has_room(desk_of(Rows()), OTHER) != spent


def test_the_budget_of_all_spaces_is_of_all_partitions_a_process_has() -> None:
    here, there, one = Rows(), Rows(), asked()
    there.take(one, "asks")
    there.take(reply(one, 500), "replies")
    limited = budget(tokens_per_day=500)
    assert limited.has_room(DeskRows(here, "", b"0/"), OTHER)
    limited.look(DeskRows(_Under(b"1/", there), "", b"1/"))
    assert limited.is_spent(DeskRows(_Under(b"0/", here), "", b"0/"), OTHER)


def test_looking_at_one_partition_forgets_no_reply_of_another() -> None:
    here, there, one = Rows(), Rows(), asked()
    there.take(one, "asks")
    limited = budget(tokens_per_day=100)
    theirs = DeskRows(_Under(b"1/", there), "", b"1/")
    limited.look(theirs)
    limited.expect(theirs, reply(one, 100))
    limited.look(DeskRows(_Under(b"0/", here), "", b"0/"))
    assert limited.is_spent(theirs, SPACE)


def test_a_new_day_has_its_own_budget() -> None:
    rows, one = Rows(), asked()
    rows.take(one, "asks")
    rows.take(reply(one, 500), "replies")
    assert budget(space_tokens_per_day=500).is_spent(desk_of(rows), SPACE)
    assert not budget(SENT + US_PER_DAY, space_tokens_per_day=500).is_spent(desk_of(rows), SPACE)


def test_the_most_a_question_takes_is_what_is_asked_and_the_longest_reply() -> None:
    prompt = asked().prompt
    longer = msgspec.structs.replace(prompt, reply_max_tokens=prompt.reply_max_tokens + 7)
    assert tokens_at_most(longer) == tokens_at_most(prompt) + 7
    assert tokens_at_most(prompt) > prompt.reply_max_tokens


class _Under:
    """Rows that are read under a prefix, as those of a partition are."""

    def __init__(self, prefix: bytes, rows: Rows) -> None:
        self._prefix = prefix
        self._rows = rows

    def get(self, table: str, key: bytes) -> bytes | None:
        return self._rows.get(table, key.removeprefix(self._prefix))

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Any:
        return self._rows.scan(table, start.removeprefix(self._prefix), stop.removeprefix(self._prefix))


def test_a_question_whose_answer_is_on_its_way_is_left_alone_for_a_while() -> None:
    rows = Rows()
    ask = msgspec.structs.replace(asked(), stage="answer")
    model = LlmSettings(model=ask.prompt.model, endpoint="http://127.0.0.1:9/v1")
    rows.take(ask, "asks")
    since = ask.learned_at

    def open_at(now: int) -> int:
        return len(list(ModelErrands(model, clock=lambda: now, observer=SILENT).open(rows, "", b"")))

    assert [open_at(since), open_at(since + REPLY_WITHIN_US - 1), open_at(since + REPLY_WITHIN_US)] == [0, 0, 1]
    assert open_at(since - US_PER_DAY) == 1, "another machine's clock is ahead"
