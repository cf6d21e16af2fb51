"""The runners of one worker: one for each stage and partition whose inputs it was all assigned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from schemas.topics import TopicName

from ..ports import Stage
from .broker import Stored
from .errands import Errands
from .runner import Runner, Surroundings

Place = tuple[TopicName, int]
"""A topic's partition."""

_Key = tuple[str, int]


class Fleet:
    """Starts and stops runners as partitions come and go.

    A runner whose partition is gone ends by itself, after the record or the writing it is at; should another worker be
    at the same partition already, the steps topic lets only one of the two decide. A partition that comes back waits
    for its old runner's end.

    Args:
        makers: by stage name, in the order of the flow; each call makes an instance of its own, for one partition.
        around: what the runners share.
        errands: by stage name, of those stages that have any.
    """

    def __init__(
        self,
        makers: Mapping[str, Callable[[], Stage]],
        around: Surroundings,
        errands: Mapping[str, Errands] | None = None,
    ) -> None:
        self._makers = makers
        self._errands = errands or {}
        self._around = around
        self._inputs = {name: make().inputs for name, make in makers.items()}
        self._runners: dict[_Key, Runner] = {}
        self._tasks: dict[_Key, asyncio.Task[None]] = {}
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def topics(self) -> Sequence[TopicName]:
        """All inputs, each once."""
        return sorted({topic for inputs in self._inputs.values() for topic in inputs})

    @property
    def held(self) -> Sequence[tuple[str, int]]:
        """Stage and partition of every runner."""
        return sorted(self._runners)

    def lags(self) -> Sequence[tuple[str, int, int]]:
        """Stage, partition and records that wait, of every runner."""
        return [(*key, runner.lag) for key, runner in sorted(self._runners.items())]

    def in_flight(self) -> Sequence[tuple[str, int, int]]:
        """Stage, partition, and steps and errands under way, of every runner."""
        return [(*key, runner.in_flight) for key, runner in sorted(self._runners.items())]

    def assign(self, places: Iterable[Place]) -> None:
        """From now on these partitions are ours, and no others."""
        ours = set(places)
        wanted = [
            (name, partition)
            for name, inputs in self._inputs.items()
            for partition in range(self._around.partitions)
            if all((topic, partition) in ours for topic in inputs)
        ]
        for key in self._runners.keys() - set(wanted):
            self._runners.pop(key).stop()
        for key in wanted:
            if key not in self._runners:
                self._start(key)

    def offer(self, topic: TopicName, partition: int, record: Stored) -> None:
        """A record was delivered, to whoever reads that topic. Returns at once."""
        for name, inputs in self._inputs.items():
            runner = self._runners.get((name, partition))
            if topic in inputs and runner is not None:
                runner.offer(topic, record)

    async def ready(self) -> None:
        """Until every runner knows where its stage stands."""
        for runner in list(self._runners.values()):
            await runner.ready.wait()

    async def stop(self) -> None:
        """Stop all runners; returns when every step that was decided is written."""
        self.assign(())
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _start(self, key: _Key) -> None:
        name, partition = key
        runner = Runner(self._makers[name](), partition, self._around, self._errands.get(name))
        self._runners[key] = runner
        task = asyncio.create_task(_after(self._tasks.get(key), runner), name=f"{name}/{partition}")
        task.add_done_callback(self._ended)
        self._tasks[key] = task

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None and not self.failed.done():
            self.failed.set_exception(error)


async def _after(former: asyncio.Task[None] | None, runner: Runner) -> None:
    if former is not None:
        await asyncio.wait({former})
    await runner.run()
