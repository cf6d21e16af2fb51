"""Open questions as errands: which may be asked now, and how one is asked until there is a reply to record.

The same object serves both runtimes (``streams.worker.errands``): a worker on Kafka runs it beside the desk's runner,
the embedded system in a thread (``ops.llm.asker``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from ops.observing import Observer
from ops.settings import BadConfigError
from query.ports import NoReplyError
from schemas.asking import ModelAsked, ModelReplied
from schemas.ids import SpaceKey
from schemas.times import US_PER_SECOND
from streams.llm.desk import OpenAsk, find_ask, open_asks
from streams.log.protocol import TableReader
from streams.ports import Output
from streams.worker.errands import Errand

from .away import EndpointAwayError
from .bodies import Dialect
from .budget import Budget, DeskRows
from .settings import LlmSettings

if TYPE_CHECKING:
    from .client import ChatClient
    from .completion import Answered

FAILURES_MAX = 3
"""Questions in a row that no endpoint answered before that counts as the endpoint's fault: then they wait, open, for it
to come back, instead of being parked one after another."""


CLOSED = "its question is no longer open"
"""Why a question is not asked again: somebody answered it, or what it quotes was erased, or is otherwise by now."""

REPLY_WITHIN_US = 3 * US_PER_SECOND
"""Who asks for an answer on a broker writes the reply, then the question; but two topics are read in any order. So long
a question for an answer is left alone: it would be asked and paid for twice."""

SPENT = "the budget of today is spent"
"""Why a reader's question is not asked."""


class ModelErrands:
    """``streams.worker.errands.Errands``: asks a model. Of one event loop.

    Attributes:
        away: why nothing is asked just now; None while the endpoint answers. For people.
        held_back: whether a question waits for tomorrow's budget.

    Args:
        settings: with an endpoint.
        clock: microseconds UTC.
        observer: told of calls and replies.
        dialect: how the endpoint is known to be spoken to.
        learned: told when that was found out.

    Raises:
        BadConfigError: what talks to an endpoint is not installed.
    """

    def __init__(
        self,
        settings: LlmSettings,
        *,
        clock: Callable[[], int],
        observer: Observer,
        dialect: Dialect | None = None,
        learned: Callable[[Dialect], None] = lambda _: None,
    ) -> None:
        if find_spec("openai") is None:
            raise BadConfigError("[llm] endpoint: asking it needs pip install -r requirements-llm.txt", "llm")
        self._settings = settings
        self._clock = clock
        self._observer = observer
        self._dialect = dialect
        self._learned = learned
        self._client: ChatClient | None = None
        self._failures = 0
        self._budget = Budget(settings, clock)
        self._desks: dict[int, DeskRows] = {}
        self.away: str | None = None
        self.held_back = False

    @property
    def limit(self) -> int:
        """How many questions are on the way at once."""
        return self._settings.concurrency

    def open(self, tables: TableReader, table: str, prefix: bytes) -> Iterator[Errand]:
        """The open questions to our model, of spaces whose budget of the day is not spent, oldest first."""
        spent: dict[SpaceKey, bool] = {}
        held, desk = False, DeskRows(tables, table, prefix)
        self._budget.look(desk)
        for item in open_asks(*desk):
            self._desks[item.partition] = desk
            space = item.ask.key
            if item.ask.prompt.model != self._settings.model:
                continue  # another model's: somebody else asks it, or a batch does
            if item.ask.stage == "answer" and 0 <= self._clock() - item.ask.learned_at < REPLY_WITHIN_US:
                continue
            if space not in spent:
                spent[space] = self._budget.is_spent(desk, space)
            if spent[space]:
                held = self._hold(held=True)
                continue
            yield _errand(item)
        self._hold(held=held)

    def begin(self, errand: Errand) -> bool:
        """Whether the budget has room for it beside what is on the way; then it is on the way as well."""
        ask = msgspec.msgpack.decode(errand.data, type=ModelAsked)
        if not self._budget.has_room(self._desk_of(errand.id), ask.key):
            return False
        self._budget.reserve(errand.id, ask)
        return True

    def end(self, errand_id: str) -> None:
        """What it took is known, or nothing."""
        self._budget.release(errand_id)

    async def run(self, errand: Errand) -> Output:
        """Ask until there is a reply, or enough calls failed.

        An endpoint that is away is waited for; a question that is not open any more then is not asked again.
        """
        ask = msgspec.msgpack.decode(errand.data, type=ModelAsked)
        calls = 0
        with self._under_way():
            while True:
                try:
                    got = await self._connected().ask(ask.prompt)
                except EndpointAwayError as away:
                    calls += away.calls
                    await self._wait_for_endpoint(str(away), away.wait_s)
                else:
                    calls += got.calls
                    if got.outcome != "failed" or not self._is_outage():
                        break
                    await self._wait_for_endpoint(got.error, self._settings.retry_wait_max_s)
                if not self._is_open(errand, ask):
                    return Output(topic="replies", record=self._closed(ask, calls))
            self._note(answered=got.outcome != "failed")
            reply = self._replied(ask, got, calls)
            self._budget.expect(self._desk_of(errand.id), reply)
            return Output(topic="replies", record=reply)

    async def ask_now(self, ask: ModelAsked) -> ModelReplied:
        """A reply for somebody who waits: asked once, whatever else is under way and whatever was spent.

        Raises:
            NoReplyError: the endpoint is away, or it does not answer.
        """
        try:
            with self._under_way():
                got = await self._connected().ask(ask.prompt, tries=1)
        except EndpointAwayError as away:
            raise NoReplyError(f"the endpoint does not answer: {away}") from away
        if got.outcome == "failed":
            raise NoReplyError(f"the endpoint does not answer: {got.error}")
        return self._replied(ask, got, got.calls)

    async def ask_within_budget(self, ask: ModelAsked, desk: DeskRows) -> ModelReplied:
        """The same where the budget has room for it. Its reply is to be recorded with the question, on that desk.

        Raises:
            NoReplyError: also: the budget is spent, or on its way.
        """
        name = f"answer/{ask.ask_id}"
        if not self._budget.has_room(desk, ask.key):
            raise NoReplyError(SPENT)
        self._budget.reserve(name, ask)
        try:
            reply = await self.ask_now(ask)
            self._budget.expect(desk, reply)
        finally:
            self._budget.release(name)
        return reply

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.close()

    def _is_open(self, errand: Errand, ask: ModelAsked) -> bool:
        """Whether the desk that the errand came from still has the question."""
        return isinstance(find_ask(*self._desk_of(errand.id), ask.ask_id), OpenAsk)

    def _desk_of(self, errand_id: str) -> DeskRows:
        return self._desks[int(errand_id.partition("/")[0])]

    def _closed(self, ask: ModelAsked, calls: int) -> ModelReplied:
        """Tells what a question took for which nobody waits any more."""
        from .client import failed

        return self._record(ask, failed(CLOSED, calls), calls)

    def _connected(self) -> ChatClient:
        """The client; it is loaded when there is something to ask."""
        from .client import ChatClient

        if self._client is None:
            self._client = ChatClient(
                self._settings, dialect=self._dialect, learned=self._learned, wait=asyncio.sleep,
                told=self._observer.model_called,
            )  # fmt: skip
        return self._client

    def _hold(self, *, held: bool) -> bool:
        if held != self.held_back:
            self.held_back = held
            self._observer.model_waits("budget", waits=held)
        return held

    def _is_outage(self) -> bool:
        """Whether this failure is one too many in a row."""
        self._failures += 1
        return self._failures > FAILURES_MAX

    def _note(self, *, answered: bool) -> None:
        if answered:
            self._failures = 0
            self._told_away(None)

    async def _wait_for_endpoint(self, problem: str, seconds: float) -> None:
        self._told_away(problem)
        await asyncio.sleep(seconds)

    def _told_away(self, problem: str | None) -> None:
        if (problem is None) != (self.away is None):
            self._observer.model_waits("endpoint", waits=problem is not None)
        self.away = problem

    @contextmanager
    def _under_way(self) -> Generator[None]:
        self._observer.model_asked(open=True)
        try:
            yield
        finally:
            self._observer.model_asked(open=False)

    def _replied(self, ask: ModelAsked, got: Answered, calls: int) -> ModelReplied:
        reply = self._record(ask, got, calls)
        self._observer.model_replied(reply)
        return reply

    def _record(self, ask: ModelAsked, got: Answered, calls: int) -> ModelReplied:
        got = got if got.outcome == "failed" else got.counted(ask.prompt)
        return ModelReplied(
            tenant=ask.tenant,
            space=ask.space,
            stage=ask.stage,
            ask_id=ask.ask_id,
            session_id=ask.session_id,
            about=ask.about,
            outcome=got.outcome,
            text=got.text,
            error=got.error,
            model=got.model or ask.prompt.model,
            via="live",
            calls=calls,
            prompt_tokens=got.prompt_tokens,
            completion_tokens=got.completion_tokens,
            cost_usd=self._settings.cost_usd(got.prompt_tokens, got.completion_tokens),
            at=self._clock(),
        )


def _errand(item: OpenAsk) -> Errand:
    return Errand(id=f"{item.partition}/{item.offset}", lane=item.ask.session_id, data=msgspec.msgpack.encode(item.ask))
