"""The consumer group of the stage workers. The only module that knows Faust.

Faust gives membership, assignment and the poll loop, and nothing else: it keeps no state (its tables count twice after
every crash), writes nothing, and its committed offsets are no truth: they say what was delivered. Where a stage stands
is in its steps (``worker.step``), so a record is acknowledged to the group as soon as its runner knows of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import msgspec

from schemas.topics import TopicName
from schemas.transport import broker_topic

from .worker.broker import Stored
from .worker.fleet import Fleet
from .worker.stand_in import stand_in

with stand_in("aiohttp.client", ClientSession=object):  # which Faust names in types, and takes half its loading time
    import faust
    from faust.tables import TableManager

FETCH_WAIT_MS, FETCH_MIN_BYTES = 50, 64 * 1024
"""Each answer of the broker costs as much for one record as for a hundred. A message passes here three times."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Which consumer group, of which broker.

    Workers of one group must run the same stages: those are part of its name.

    Attributes:
        member: names this worker, always the same and no other's (``group.instance.id``). One that was killed and comes
            back under its name within ``session_s`` has its partitions again at once, and nobody else is disturbed.
        session_s: a worker that is silent for so long has lost its partitions. Brokers take no less than
            ``group.min.session.timeout.ms``, which is 6 s unless they are told otherwise.
        directory: Faust makes one; nothing is kept in it.
    """

    bootstrap: str
    prefix: str
    stages: tuple[str, ...]
    partitions: int
    member: str
    directory: Path
    session_s: float = 6.0

    @property
    def id(self) -> str:
        """Name of the group on the broker."""
        return f"{self.prefix}stilltrue.{'-'.join(self.stages)}"


class GroupLostError(RuntimeError):
    """The consumer group ended by itself: the broker was away for too long. Start again; nothing was lost."""


async def run_group(group: Group, fleet: Fleet, stop: asyncio.Event, on_assigned: Callable[[], None]) -> None:
    """Be a member of the group, and hand the fleet what is delivered, until ``stop``.

    Args:
        group: see there.
        fleet: gets partitions and records. It is stopped before this returns.
        stop: set it from a signal handler.
        on_assigned: called after every assignment.

    Raises:
        GroupLostError: see there.
        Exception: what ended a runner.
    """
    app = _make_app(group)
    topics: dict[str, TopicName] = {broker_topic(group.prefix, topic): topic for topic in fleet.topics}
    for name in topics:
        _deliver(app, name, topics, fleet)

    async def assigned(_: Any, places: Any, *__: Any, **___: Any) -> None:
        ours = cast("set[tuple[str, int]]", places)
        fleet.assign((topics[name], partition) for name, partition in ours if name in topics)
        on_assigned()

    app.on_partitions_assigned.connect(cast(Any, assigned))
    await app.start()
    _fetch_together(app)
    try:
        ended = asyncio.create_task(_ended(app))
        waits: set[asyncio.Future[Any]] = {ended, asyncio.create_task(stop.wait()), fleet.failed}
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if fleet.failed.done():
            await fleet.failed
        if ended.done() and not stop.is_set():
            raise GroupLostError(f"group {group.id} ended: {app.crash_reason!r}")
    finally:
        await fleet.stop()
        _leave_at_stop(app)
        await app.stop()


async def _ended(app: faust.App) -> None:
    await app.wait()


def _leave_at_stop(app: faust.App) -> None:
    """Make the consumer tell the group that it leaves: a stopped worker's partitions are free at once.

    aiokafka 0.14 never tells when the member has a name, and has no means to ask for it: without the name it does.
    """
    consumer = cast(Any, app.consumer)._thread._consumer
    if consumer is not None:
        consumer._coordinator._group_instance_id = None


def _fetch_together(app: faust.App) -> None:
    """Have the broker answer when so much is there, or after so long: Faust has no setting for it."""
    consumer = cast(Any, app.consumer)._thread._consumer
    if consumer is not None:
        consumer._fetcher._fetch_max_wait_ms = FETCH_WAIT_MS
        consumer._fetcher._fetch_min_bytes = FETCH_MIN_BYTES


class _NoTables(TableManager):
    """Faust waits a second for tables to be declared; we have none."""

    async def sleep(self, n: Any) -> None:
        """Only called for that."""


def _make_app(group: Group) -> faust.App:
    return faust.App(
        group.id,
        broker=f"kafka://{group.bootstrap}",
        consumer_group_instance_id=group.member,
        canonical_url=f"http://{group.member}",  # Faust refuses an assignment that was made for another one
        TableManager=_NoTables,
        HttpClient=object,  # the default one loads aiohttp
        datadir=group.directory,
        autodiscover=False,
        web_enabled=False,
        topic_allow_declare=False,
        topic_disable_leader=True,
        topic_partitions=group.partitions,
        consumer_auto_offset_reset="earliest",
        broker_session_timeout=group.session_s,
        broker_heartbeat_interval=group.session_s / 6,
        stream_wait_empty=False,
        stream_recovery_delay=0.0,
        key_serializer="raw",
        value_serializer="raw",
    )


def _deliver(app: faust.App, name: str, topics: dict[str, TopicName], fleet: Fleet) -> None:
    """An agent that passes on what comes from one topic."""
    topic = app.topic(name, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw")

    @app.agent(topic, name=f"deliver.{name}")
    async def deliver(stream: Any) -> None:
        async for event in stream.events():
            message = event.message
            stored = Stored(message.offset, message.key, message.value or b"", list(message.headers or ()))
            fleet.offer(topics[message.topic], message.partition, stored)

    del deliver  # the app holds it
