"""A view made from a broker's log after the fact tells the past like one that was there when it was written."""

from __future__ import annotations

import asyncio

from schemas.parking import decoded
from tests.kit.embedded import SPACE, side_by_side
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Client
from views.known import known_by, transaction_time
from views.maintain import VIEW_TOPICS, Maintainer
from views.snapshot import read_space_at
from views.source import Source
from views.spec import recompute
from views.tables import MemoryTables
from views.worker import Worker

APART_S = 0.002
"""Between what was written at different times: a broker tells times in milliseconds."""


async def test_a_view_that_was_behind_tells_all_of_the_past(full_kafka: Broker, prefix: str) -> None:
    """All topics are there before it starts, so it could read any of them far ahead of the others."""
    full_kafka.make_topics(prefix)
    home, client = side_by_side(messages=40, conversations=3), Client(full_kafka.bootstrap, prefix)
    written = [raw for topic in VIEW_TOPICS for raw in home.log.read(topic, 0, 0, home.log.end(topic, 0))]
    for at in sorted({raw.time_us for raw in written}):
        client.publish([raw for raw in written if raw.time_us == at])
        await asyncio.sleep(APART_S)
    tables = MemoryTables()
    source = Source(bootstrap=full_kafka.bootstrap, prefix=prefix, emits=False, batch_records=7)
    worker = Worker(tables, source, clock=lambda: 0, observe=lambda _: None)
    await worker.run(asyncio.Event(), until_end=True, ready=lambda _: None)
    view, log = Maintainer(tables), [decoded(raw) for raw in written]
    for known_at in sorted({transaction_time(entry.record) for entry in log})[::5]:
        told = read_space_at(view, SPACE, known_at)
        assert told is not None, "not told"
        assert told.view == recompute(entry for entry in log if known_by(entry.record, known_at))
