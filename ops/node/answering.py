"""Replies of a model to readers of a query node: asked from here, recorded on the broker, kept in memory meanwhile.

The desk's rows are with the workers of stage ``ask``, so a node knows only what it asked itself. Another node, or this
one after a restart, asks the same question once more, which costs a call and changes nothing; and a day's budget is
each node's own.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections import Counter, OrderedDict
from collections.abc import Callable

from ops.llm.budget import tokens_at_most
from ops.llm.errands import SPENT, ModelErrands
from ops.llm.settings import LlmSettings
from query.ports import NoReplyError
from schemas.asking import ModelAsked, ModelReplied
from schemas.ids import SpaceKey
from schemas.times import US_PER_DAY
from streams.llm.desk import EVERYWHERE

from .loop import BrokerLoop
from .reading import AwayError
from .writing import Outlet, TooLargeError, item

KEPT = 1_000
"""Replies in memory, the latest used: some 2 kB each."""


class NodeDesk:
    """``ops.llm.answers.AnswerDesk`` of one node. Thread-safe: what it keeps is touched in the broker's loop only.

    Args:
        errands: asks the endpoint, in the loop.
        settings: with a model.
        loop: the broker's.
        outlet: where records are written.
        partition: of a space.
        clock: microseconds UTC.
    """

    def __init__(
        self,
        errands: ModelErrands,
        settings: LlmSettings,
        loop: BrokerLoop,
        outlet: Outlet,
        partition: Callable[[SpaceKey], int],
        clock: Callable[[], int],
    ) -> None:
        self._errands = errands
        self._settings = settings
        self._loop = loop
        self._outlet = outlet
        self._partition = partition
        self._now = clock
        self._kept: OrderedDict[str, ModelReplied] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[ModelReplied]] = {}
        self._forgotten: Counter[SpaceKey] = Counter()
        self._day = 0
        self._tokens: Counter[SpaceKey] = Counter()
        self._reserved: Counter[SpaceKey] = Counter()

    def find(self, ask_id: str) -> ModelReplied | None:
        """A reply this node had, if it is among the latest."""
        return self._loop.call(self._find(ask_id))

    def ask(self, asked: ModelAsked) -> ModelReplied:
        """Ask once. After the time it goes on all the same, and whoever asks the same later has the reply.

        Raises:
            NoReplyError: the budget is spent, no reply in time, or the broker takes no record of it.
        """
        if self._settings.endpoint is None:
            raise NoReplyError("no endpoint is set")
        waiting = self._loop.spawn(self._shared(asked))
        try:
            return waiting.result(self._settings.answer_timeout_s)
        except concurrent.futures.TimeoutError as late:
            waiting.cancel()
            raise NoReplyError(f"the model took longer than {self._settings.answer_timeout_s:g} s") from late
        except concurrent.futures.CancelledError as stopped:
            raise NoReplyError("the service is stopping") from stopped

    def forget(self, space: SpaceKey) -> None:
        """Nothing that quotes the space's messages is kept, nor will be what is on its way."""
        self._loop.call(self._forget(space))

    def close(self) -> None:
        """Let go of the endpoint."""
        self._loop.call(self._errands.close())

    # --- in the loop ------------------------------------------------------------------------------------------------

    async def _find(self, ask_id: str) -> ModelReplied | None:
        reply = self._kept.get(ask_id)
        if reply is not None:
            self._kept.move_to_end(ask_id)
        return reply

    async def _forget(self, space: SpaceKey) -> None:
        self._forgotten[space] += 1
        for ask_id in [ask_id for ask_id, reply in self._kept.items() if reply.key == space]:
            del self._kept[ask_id]

    async def _shared(self, ask: ModelAsked) -> ModelReplied:
        """One call for all who ask the same at once."""
        task = self._under_way.get(ask.ask_id)
        if task is None:
            task = asyncio.create_task(self._answer(ask), name=f"answer {ask.ask_id}")
            self._under_way[ask.ask_id] = task
            task.add_done_callback(lambda _: self._under_way.pop(ask.ask_id, None))
        return await asyncio.shield(task)

    async def _answer(self, ask: ModelAsked) -> ModelReplied:
        """The reply is written before the question: the desk would ask a question that lies there without one."""
        if self._is_spent(ask.key):
            raise NoReplyError(SPENT)
        forgotten, most = self._forgotten[ask.key], tokens_at_most(ask.prompt)
        self._count(self._reserved, ask.key, most)
        try:
            reply = await self._errands.ask_now(ask)
        finally:
            self._count(self._reserved, ask.key, -most)
        self._count(self._tokens, ask.key, reply.prompt_tokens + reply.completion_tokens)
        if self._forgotten[ask.key] != forgotten:
            raise NoReplyError("something of this space was erased meanwhile")
        try:
            await self._outlet.send("replies", self._partition(ask.key), [item(reply)])
            await self._outlet.send("asks", self._partition(ask.key), [item(ask)])
        except (AwayError, TooLargeError) as error:
            raise NoReplyError(f"the reply could not be recorded: {error}") from error
        self._kept[ask.ask_id] = reply
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return reply

    def _is_spent(self, space: SpaceKey) -> bool:
        day = self._now() // US_PER_DAY
        if day != self._day:
            self._day = day
            self._tokens.clear()
        own, every = self._settings.space_tokens_per_day, self._settings.tokens_per_day
        taken = {name: self._tokens[name] + self._reserved[name] for name in (space, EVERYWHERE)}
        return (own is not None and taken[space] >= own) or (every is not None and taken[EVERYWHERE] >= every)

    @staticmethod
    def _count(what: Counter[SpaceKey], space: SpaceKey, tokens: int) -> None:
        for name in (space, EVERYWHERE):
            what[name] += tokens
