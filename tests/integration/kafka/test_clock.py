"""What time alone changes, on a broker: the view worker tells it once, whoever restarts or starts anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import msgspec

from schemas.codec import decode, encode
from schemas.control import ClockReached
from schemas.deltas import EventChanged
from schemas.record import Record
from schemas.topics import TopicName
from tests.integration.kafka.test_workers import until as look_until
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Client
from tests.kit.kafkaread import read_all
from tests.kit.records import DAY, SPACE, distilled, event
from views.checksum import checksum
from views.snapshot import read_space
from views.source import Source
from views.tables import MemoryTables, Tables
from views.worker import Worker

LAPSES = 20 * DAY


class Telling:
    """View workers of one system, on a clock that is set by hand."""

    def __init__(self, broker: Broker, prefix: str) -> None:
        self.now = LAPSES - 1
        self.source = Source(bootstrap=broker.bootstrap, prefix=prefix)

    @asynccontextmanager
    async def worker(self, tables: Tables) -> AsyncGenerator[Worker]:
        """One that runs; it is stopped at the end."""
        stop, ready = asyncio.Event(), asyncio.Event()
        made = Worker(tables, self.source, clock=lambda: self.now, observe=lambda _: None)
        running = asyncio.create_task(made.run(stop, ready=lambda _: ready.set()))
        await asyncio.wait({running, asyncio.create_task(ready.wait())}, return_when=asyncio.FIRST_COMPLETED)
        try:
            yield made
        finally:
            stop.set()
            await running

    def told(self, topic: TopicName) -> list[Record]:
        """What a topic holds."""
        read = read_all(self.source.bootstrap, self.source.prefix, topic)
        return [decode(topic, message.value() or b"") for message in read]


async def until(done: Callable[[], bool], what: str) -> None:
    """Look again and again, while the loop goes on."""
    await asyncio.to_thread(look_until, done, what)


async def test_a_plan_that_lapses_is_told_once_by_whoever_is_there(full_kafka: Broker, prefix: str) -> None:
    full_kafka.make_topics(prefix)
    system, tables = Telling(full_kafka, prefix), MemoryTables()
    plan = event("e1", said=10, type="plan", modality="planned", expected_until=LAPSES)
    client = Client(full_kafka.bootstrap, prefix)
    told = msgspec.structs.replace(distilled(plan), learned_at=11 * DAY)
    client.put("events", str(SPACE).encode(), encode(told))
    client.flush()
    async with system.worker(tables) as worker:
        await until(lambda: read_space(worker.maintainer, SPACE).event("e1") is not None, "it was not applied")
        await asyncio.sleep(0.5)  # some looks at the clock
        assert system.told("clock") == []
        system.now = LAPSES
        await until(lambda: len(system.told("deltas")) == 2, "it was not told")
        first, second = system.told("deltas")
        assert isinstance(first, EventChanged)
        assert isinstance(second, EventChanged)
        assert (first.new is not None, second.cause.topic) == (True, "clock")
    reached = ClockReached(tenant=SPACE.tenant, space=SPACE.space, at=LAPSES)
    assert system.told("clock") == [reached]
    system.now = LAPSES + DAY
    anew = MemoryTables()
    async with system.worker(tables) as again, system.worker(anew) as other:
        await until(lambda: other.maintainer.position("clock", other.partition_of(SPACE)) == 1, "it reads no clock")
        await asyncio.sleep(0.5)
        views = [checksum(read_space(one.maintainer, SPACE).view) for one in (again, other)]
    assert views[0] == views[1]
    assert system.told("clock") == [reached]
