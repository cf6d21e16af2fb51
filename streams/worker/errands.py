"""Slow work beside a stage: calls of a model, a few at a time, that hold up neither its steps nor its consumer group.

A stage never waits. What it wants from outside it puts into its rows, as open errands; the result comes back as a
record of one of its inputs, which takes the errand off again (``streams.llm.desk`` is such a stage). In between, the
runner of the partition that has the rows runs them here. Both ends are records: whoever takes the partition over
reads the results that are there and runs only what has none, so nothing is asked twice but what nobody had
answered, or had been told to the one that died, before it could write it down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol

import msgspec

from ..log.protocol import TableReader
from ..ports import Output

STOP_S = 5.0
"""How long errands may take to give up when the runner stops."""


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """One call.

    Attributes:
        id: its own for ever: what is opened anew after it was closed is another errand.
        lane: errands of one lane (a session) run one after another, in the order they are open.
        data: for whoever runs it.
    """

    id: str
    lane: str
    data: bytes


class Errands(Protocol):
    """A stage's errands, and how they are run. One object for all partitions of a worker."""

    @property
    def limit(self) -> int:
        """How many run at once, for each partition."""
        ...

    def open(self, tables: TableReader, table: str, prefix: bytes) -> Iterator[Errand]:
        """What is open, in a fixed order, as committed: the stage's rows of one partition are those of the prefix."""
        ...

    def begin(self, errand: Errand) -> bool:
        """Whether it may run now; then it is run at once, and ``end`` is called for it, however it ends."""
        ...

    def end(self, errand_id: str) -> None:
        """It runs no more, or never began after all. Called once at least."""
        ...

    async def run(self, errand: Errand) -> Output:
        """Do it; returns the record that closes it, of the space that it is for.

        A failure that is final is a result as well. Whatever is raised is a bug, and ends the worker: what can be
        tried again is tried in here, with what pauses it takes. Cancelled when the worker stops or the partition
        goes elsewhere: give up within a second, and leave nothing behind.
        """
        ...


class Running:
    """The errands of one partition that are under way. Everything happens on the loop; nothing blocks it.

    Args:
        errands: what is run.
        look: what is open now.
        write: writes a result to its topic; returns when the broker has it, however long that takes.
        changed: called whenever one ends.
    """

    def __init__(
        self,
        errands: Errands,
        look: Callable[[], Iterator[Errand]],
        write: Callable[[Output], Awaitable[None]],
        changed: Callable[[], None],
    ) -> None:
        self._errands = errands
        self._look = look
        self._write = write
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._lanes: set[str] = set()
        self._answered: set[str] = set()

    @property
    def in_flight(self) -> int:
        """How many are under way."""
        return len(self._tasks)

    def start(self) -> None:
        """Start what is open, up to the limit. Call it after every step; costs by what is under way or answered.

        Raises:
            Exception: what ended one of them.
        """
        for name in [name for name, task in self._tasks.items() if task.done()]:
            self._tasks.pop(name).result()
        passed, all_seen = set[str](), True
        lanes = set(self._lanes)
        for errand in self._look():
            if len(self._tasks) >= self._errands.limit:
                all_seen = False
                break
            passed.add(errand.id)
            if errand.id in self._answered or errand.lane in lanes:
                lanes.add(errand.lane)
                continue
            lanes.add(errand.lane)
            if not self._errands.begin(errand):
                continue
            self._lanes.add(errand.lane)
            self._tasks[errand.id] = asyncio.create_task(self._run(errand), name=f"errand {errand.id}")
        if all_seen:
            self._answered &= passed  # the others were taken off by their results

    async def stop(self) -> None:
        """Cancel what is under way: it is open still, for whoever comes next."""
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=STOP_S)
        for name in self._tasks:
            self._errands.end(name)
        self._tasks.clear()
        self._lanes.clear()

    async def _run(self, errand: Errand) -> None:
        try:
            await self._write(await self._errands.run(errand))
            self._answered.add(errand.id)
        finally:
            self._errands.end(errand.id)
            self._lanes.discard(errand.lane)
            self._changed()
