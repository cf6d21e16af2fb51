"""A node's own desk: what readers ask of a model is asked once, recorded, and bounded by the day's budget."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import msgspec
import pytest

from ops.llm.errands import ModelErrands
from ops.llm.settings import LlmSettings
from ops.node import answering
from ops.node.answering import NodeDesk
from ops.node.loop import BrokerLoop
from ops.node.reading import AwayError
from ops.node.writing import Item, Outlet
from query.ports import NoReplyError
from schemas.asking import ModelAsked, ModelReplied
from schemas.codec import decode
from schemas.ids import SpaceKey
from schemas.times import US_PER_DAY
from schemas.topics import TopicName
from tests.kit.asking import Distilling, said, session

SPACE = SpaceKey("t", "s")


class Endpoint:
    """Stands for ``ModelErrands``: 10 tokens a reply, when it is let go."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.free = threading.Event()
        self.free.set()

    async def ask_now(self, ask: ModelAsked) -> ModelReplied:
        self.asked.append(ask.ask_id)
        await asyncio.to_thread(self.free.wait)
        return ModelReplied(
            tenant=ask.tenant, space=ask.space, stage="answer", ask_id=ask.ask_id, session_id="", about=(),
            outcome="stop", text="{}", error="", model="m", via="live", calls=1, prompt_tokens=6, completion_tokens=4,
            cost_usd=0.0, at=1,
        )  # fmt: skip

    async def close(self) -> None:
        return


class Topics:
    """Stands for ``Outlet``: keeps what is sent, or is away."""

    def __init__(self) -> None:
        self.sent: list[tuple[TopicName, int, Item]] = []
        self.away = False

    async def send(self, topic: TopicName, partition: int, records: Sequence[Item]) -> None:
        if self.away:
            raise AwayError("no broker")
        self.sent += [(topic, partition, record) for record in records]


class Home:
    """A desk with its surroundings."""

    def __init__(self, **llm: Any) -> None:
        self.loop, self.endpoint, self.topics, self.now = BrokerLoop(), Endpoint(), Topics(), 1
        settings = LlmSettings(model="m", **({"endpoint": "http://x", "answer_timeout_s": 5.0} | llm))
        self.desk = NodeDesk(
            cast("ModelErrands", self.endpoint), settings, self.loop, cast("Outlet", self.topics), lambda _: 3,
            lambda: self.now,
        )  # fmt: skip


@pytest.fixture
def homes() -> Iterator[list[Home]]:
    """Their loops end with the test."""
    made: list[Home] = []
    yield made
    for home in made:
        home.endpoint.free.set()
        home.desk.close()
        home.loop.close()


def home_with(homes: list[Home], **llm: Any) -> Home:
    homes.append(Home(**llm))
    return homes[-1]


def question(what: str, space: SpaceKey = SPACE) -> ModelAsked:
    """Any question; its id says what is asked."""
    (asked,) = Distilling().ask(session(said(what)))
    return msgspec.structs.replace(asked, tenant=space.tenant, space=space.space, stage="answer", ask_id=what)


def test_a_reply_is_recorded_before_its_question_and_found_again(homes: list[Home]) -> None:
    home = home_with(homes)
    assert home.desk.find("who") is None
    reply = home.desk.ask(question("who"))
    assert home.desk.find("who") == reply
    assert [(topic, partition) for topic, partition, _ in home.topics.sent] == [("replies", 3), ("asks", 3)]
    assert [decode(topic, value) for topic, _, (_, value) in home.topics.sent] == [reply, question("who")]


def test_who_asks_the_same_at_once_waits_for_one_call(homes: list[Home]) -> None:
    home = home_with(homes)
    home.endpoint.free.clear()
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(home.desk.ask, question("who")) for _ in range(4)]
        while not home.endpoint.asked:
            pass
        home.endpoint.free.set()
        replies = [each.result(10) for each in waiting]
    assert len({reply.ask_id for reply in replies}) == 1
    assert len(home.topics.sent) == 2 * len(home.endpoint.asked)


def test_late_replies_are_there_for_whoever_asks_next(homes: list[Home]) -> None:
    home = home_with(homes, answer_timeout_s=0.05)
    home.endpoint.free.clear()
    with pytest.raises(NoReplyError, match="took longer"):
        home.desk.ask(question("who"))
    home.endpoint.free.set()
    while home.desk.find("who") is None:
        pass
    assert home.endpoint.asked == ["who"]


@pytest.mark.parametrize("limit", ["space_tokens_per_day", "tokens_per_day"])
def test_a_spent_budget_ends_with_the_day(homes: list[Home], limit: str) -> None:
    home = home_with(homes, **{limit: 20})
    for what in ("one", "two"):
        home.desk.ask(question(what))
    with pytest.raises(NoReplyError, match="budget"):
        home.desk.ask(question("three"))
    other = SpaceKey("t", "other")
    if limit == "space_tokens_per_day":
        home.desk.ask(question("theirs", other))
    else:
        with pytest.raises(NoReplyError, match="budget"):
            home.desk.ask(question("theirs", other))
    home.now += US_PER_DAY
    home.desk.ask(question("three"))


def test_readers_who_ask_at_once_do_not_overspend_together(homes: list[Home]) -> None:
    home = home_with(homes, space_tokens_per_day=20)
    home.endpoint.free.clear()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(home.desk.ask, question("one"))
        while not home.endpoint.asked:
            pass
        with pytest.raises(NoReplyError, match="budget"):
            home.desk.ask(question("two"))
        home.endpoint.free.set()
        waiting.result(10)
    home.desk.ask(question("two"))
    assert home.endpoint.asked == ["one", "two"]


def test_what_cannot_be_recorded_is_not_told(homes: list[Home]) -> None:
    home = home_with(homes)
    home.topics.away = True
    with pytest.raises(NoReplyError, match="could not be recorded"):
        home.desk.ask(question("who"))
    assert home.desk.find("who") is None


def test_an_erasure_leaves_no_reply_of_its_space(homes: list[Home]) -> None:
    home, other = home_with(homes), SpaceKey("t", "other")
    home.desk.ask(question("who"))
    kept = home.desk.ask(question("theirs", other))
    home.desk.forget(SPACE)
    assert home.desk.find("who") is None
    assert home.desk.find("theirs") == kept


def test_what_was_on_its_way_when_something_was_erased_is_neither_told_nor_recorded(homes: list[Home]) -> None:
    home = home_with(homes)
    home.endpoint.free.clear()
    with ThreadPoolExecutor(2) as threads:
        erased = threads.submit(home.desk.ask, question("who"))
        other = threads.submit(home.desk.ask, question("else", SpaceKey("t", "other")))
        while len(home.endpoint.asked) < 2:
            pass
        home.desk.forget(SPACE)
        home.endpoint.free.set()
        with pytest.raises(NoReplyError, match="erased"):
            erased.result(10)
        assert other.result(10).ask_id == "else"
    assert [topic for topic, _, _ in home.topics.sent] == ["replies", "asks"]
    assert home.desk.find("who") is None
    assert home.desk.ask(question("who")).ask_id == "who", "it may be asked anew"


def test_only_the_latest_used_replies_are_kept(homes: list[Home], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "KEPT", 2)
    home = home_with(homes)
    for what in ("one", "two"):
        home.desk.ask(question(what))
    home.desk.find("one")
    home.desk.ask(question("three"))
    assert [home.desk.find(what) is not None for what in ("one", "two", "three")] == [True, False, True]


def test_without_an_endpoint_nobody_is_asked(homes: list[Home]) -> None:
    home = home_with(homes, endpoint=None)
    with pytest.raises(NoReplyError, match="no endpoint"):
        home.desk.ask(question("who"))
