"""Asks the open questions of the embedded system, in a thread beside the processors: no step ever waits for a model.

Questions are rows of the desk, replies are appended to the log; a kill loses nothing but the replies that were on the
way. What a killed process had asked is asked again.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable

import msgspec

from ops.erasing.work import Mark, may_write
from query.ports import NoReplyError
from schemas.asking import ModelAsked, ModelReplied
from schemas.codec import encode
from schemas.record import Record
from streams.llm.desk import find_ask
from streams.log import Log
from streams.ports import Output
from streams.worker.errands import Running

from .bodies import Dialect
from .budget import DeskRows
from .errands import ModelErrands
from .questions import DESK_PREFIX, DESK_TABLE

_DIALECTS = "dialects"

LOOK_S = 1.0
"""How often it is looked anew for what may be asked, when nobody calls: a new day brings a new budget."""

Learned = Callable[[Dialect], None]


class Asker:
    """The thread. It starts when it is first poked and ends with ``close``. Thread-safe.

    Args:
        log: where the desk's rows are and the replies go.
        make: makes the errands, given what is known of the endpoint's dialect and whom to tell when it is learned.
        endpoint: names endpoint and model, to remember the dialect by.
        clock: microseconds UTC.
    """

    def __init__(
        self,
        log: Log,
        make: Callable[[Dialect | None, Learned], ModelErrands],
        endpoint: str,
        clock: Callable[[], int],
    ) -> None:
        self._log = log
        self._now = clock
        self._dialect_key = f"{_DIALECTS}/{endpoint}".encode()
        self._errands = make(self._dialect(), self._remember)
        self._changed = threading.Condition()
        self._asked = self._looked = self._ended = 0
        self._in_flight = 0
        self._fault: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._stop = False
        self._waited_for: dict[str, asyncio.Task[ModelReplied]] = {}
        self._given: dict[str, ModelReplied] = {}
        self._thread = threading.Thread(target=self._work, name="asker", daemon=True)

    @property
    def away(self) -> str | None:
        """Why the endpoint is not asked just now; None while it answers."""
        return self._errands.away

    @property
    def held_back(self) -> bool:
        """Whether questions wait for tomorrow's budget."""
        return self._errands.held_back

    def poke(self) -> None:
        """There may be something to ask. Returns at once; raises what ended the thread, which is a bug."""
        with self._changed:
            if self._fault is not None:
                raise self._fault
            self._asked += 1
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread.start()
            self._loop.call_soon_threadsafe(self._wake.set)

    @property
    def replies(self) -> int:
        """How many replies were recorded so far."""
        with self._changed:
            return self._ended

    def settle(self, seen: int) -> int:
        """Wait until there are more than ``seen`` replies, or none is to be expected; returns how many there are."""
        self.poke()
        with self._changed:
            asked = self._asked
            self._changed.wait_for(
                lambda: (
                    self._fault is not None
                    or self._ended > seen
                    or (self._looked >= asked and (self._in_flight == 0 or self.away is not None))
                )
            )
            return self._ended

    def ask_now(self, ask: ModelAsked, timeout_s: float, since: Mark) -> ModelReplied:
        """Ask a question that somebody waits for, beside the others: neither their number nor their order matters.

        It is called once, not tried again. After the time it goes on all the same, and its reply is recorded: whoever
        asks the same later has it.

        Raises:
            NoReplyError: there is none now, and why.
        """
        self.poke()
        assert self._loop is not None
        waiting = asyncio.run_coroutine_threadsafe(self._shared(ask, since), self._loop)
        try:
            return waiting.result(timeout_s)
        except concurrent.futures.TimeoutError as late:
            waiting.cancel()
            raise NoReplyError(f"the model took longer than {timeout_s:g} s") from late
        except concurrent.futures.CancelledError as stopped:
            raise NoReplyError("the service is stopping") from stopped

    def close(self) -> None:
        """Give up what is on the way; it stays open."""
        with self._changed:
            self._stop = True
            loop = self._loop
        if loop is not None and self._thread.is_alive():
            loop.call_soon_threadsafe(self._wake.set)
            self._thread.join()

    # --- the thread -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        assert self._loop is not None
        try:
            self._loop.run_until_complete(self._run())
        except BaseException as fault:  # noqa: BLE001 - carried to whoever pokes next
            with self._changed:
                self._fault = fault
                self._changed.notify_all()
        finally:
            self._loop.close()

    async def _run(self) -> None:
        running = Running(
            self._errands,
            look=lambda: self._errands.open(self._log, DESK_TABLE, DESK_PREFIX),
            write=self._write,
            changed=self._wake.set,
        )
        try:
            while not self._stop:
                self._wake.clear()
                with self._changed:
                    asked = self._asked
                running.start()
                with self._changed:
                    self._looked, self._in_flight = asked, running.in_flight
                    self._changed.notify_all()
                await _unless(self._wake, LOOK_S)
        finally:
            for task in self._waited_for.values():
                task.cancel()
            await asyncio.gather(*self._waited_for.values(), return_exceptions=True)
            await running.stop()
            await self._errands.close()

    async def _write(self, output: Output) -> None:
        """Append a reply; not one to a question that was taken off the desk meanwhile, for what it quotes is erased."""
        with self._log.batch() as batch:
            if not self._is_settled(output.record):
                batch.append(output.topic, output.record.key, encode(output.record), self._now())
        with self._changed:
            self._ended += 1

    def _is_settled(self, record: Record) -> bool:
        """Whether it replies to what has its answer, or is not to have any."""
        if not isinstance(record, ModelReplied):
            return False
        return find_ask(self._log, DESK_TABLE, DESK_PREFIX, record.ask_id) == "answered"

    # --- questions that somebody waits for --------------------------------------------------------------------------

    async def _shared(self, ask: ModelAsked, since: Mark) -> ModelReplied:
        """One call for all who ask the same at once."""
        task = self._waited_for.get(ask.ask_id)
        if task is None:
            task = asyncio.create_task(self._answer(ask, since), name=f"answer {ask.ask_id}")
            self._waited_for[ask.ask_id] = task
            task.add_done_callback(lambda _: self._waited_for.pop(ask.ask_id, None))
        return await asyncio.shield(task)

    async def _answer(self, ask: ModelAsked, since: Mark) -> ModelReplied:
        """A reply that the desk has yet to read is given again, not asked for again."""
        self._given = {
            name: reply
            for name, reply in self._given.items()
            if find_ask(self._log, DESK_TABLE, DESK_PREFIX, name) != "answered"
        }
        if ask.ask_id not in self._given:
            desk = DeskRows(self._log, DESK_TABLE, DESK_PREFIX)
            reply = await self._errands.ask_within_budget(ask, desk)
            with self._log.batch() as batch:
                if not may_write(self._log, ask.key, since):
                    return reply
                batch.append("asks", ask.key, encode(ask), self._now())
                batch.append("replies", reply.key, encode(reply), self._now())
            self._given[ask.ask_id] = reply
        return self._given[ask.ask_id]

    # --- the endpoint's dialect -------------------------------------------------------------------------------------

    def _dialect(self) -> Dialect | None:
        raw = self._log.get(DESK_TABLE, self._dialect_key)
        return None if raw is None else msgspec.msgpack.decode(raw, type=Dialect)

    def _remember(self, dialect: Dialect) -> None:
        with self._log.batch() as batch:
            batch.put(DESK_TABLE, self._dialect_key, msgspec.msgpack.encode(dialect))


async def _unless(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
