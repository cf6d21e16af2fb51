"""Puts a stage worker together: which stages there are, what they are made of, and the topics they need."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import msgspec

from ops.kafka.admin import admin, create_topics, read_topics
from ops.kafka.topics import plan, wanted, wanted_steps
from ops.limits import broker_session_limits
from ops.scoring.lazy import LazyClassifier
from ops.settings import Settings
from schemas.topics import TopicName
from streams.ports import Encoder, Stage
from streams.worker.broker import kafka_broker
from streams.worker.errands import Errands
from streams.worker.fleet import Fleet
from streams.worker.late import LateStage
from streams.worker.local import LocalStates
from streams.worker.runner import Ran, Surroundings
from views.refusals import TopicsError

STAGES = ("sessionize", "distil", "themes", "link", "embed", "ask")
"""In the order of the flow."""

NEWEST_ONLY = frozenset({"distil", "themes", "link"})
"""These make of each set what depends on no older set of the same session (``streams.worker.newest``)."""

ACTING = frozenset({"embed"})
"""It writes to an index as time passes (``Surroundings.acting``)."""

TIMELESS = frozenset({"distil", "themes", "link", "ask"})
"""Nothing comes of time alone to these."""

REST = 2.0
"""See ``Surroundings``."""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker does, where. ``stages``: some of ``STAGES``, in that order; ``session_s`` as in ``Group``."""

    bootstrap: str
    prefix: str
    stages: tuple[str, ...]
    store: Path
    session_s: float = 6.0


class Log(msgspec.Struct, frozen=True, kw_only=True):
    """The log a worker reads: its identity, and how many partitions every topic has."""

    identity: str
    partitions: int


def stage_makers(
    stages: Sequence[str], settings: Settings, encoder: Encoder, embed: Callable[[], Stage] | None = None
) -> Mapping[str, Callable[[], Stage]]:
    """By name, what makes an instance. ``embed`` makes those of the stage of that name: it needs an index."""
    limits = broker_session_limits(settings)
    classifier = LazyClassifier(settings.model, encoder)

    def sessionize() -> Stage:
        from streams.sessions.stage import Sessionize

        return Sessionize(limits)

    def distil() -> Stage:
        from ops.llm.stages import distil_stage

        return distil_stage(settings)

    def themes() -> Stage:
        from streams.themes.stage import ThemesStage

        return ThemesStage(encoder)

    def link() -> Stage:
        from ops.llm.stages import link_stage

        return link_stage(settings, encoder, classifier)

    def ask() -> Stage:
        from streams.llm.desk import Desk

        return Desk()

    known = {"sessionize": sessionize, "distil": distil, "themes": themes, "link": link, "ask": ask}
    inputs = stage_inputs(settings)
    makers: dict[str, Callable[[], Stage]] = {
        name: partial(LateStage, name, inputs[name], known[name]) for name in known
    }
    if embed is not None:
        makers["embed"] = embed
    return {name: makers[name] for name in stages}


def stage_inputs(settings: Settings) -> Mapping[str, tuple[TopicName, ...]]:
    """What each stage reads, without loading any: a worker joins its group before it loads them."""
    asks = settings.llm.asked_model() is not None
    distil: tuple[TopicName, ...] = ("sessions", "replies") if asks and settings.llm.distil else ("sessions",)
    link: tuple[TopicName, ...] = ("events", "producers", "adjudications")
    return {
        "sessionize": ("messages",),
        "distil": distil,
        "themes": ("sessions",),
        "link": (*link, "replies") if asks and settings.llm.link else link,
        "ask": ("asks", "replies"),
    }


async def prepare_log(work: Work) -> Log:
    """Check the topics, and make the steps topics of our stages where they are missing.

    They belong to the stages alone, as Kafka Streams makes its own changelog topics, so a stage that is new brings its
    own; ``topics create`` makes those of all stages.

    Raises:
        TopicsError: topics are missing, or not as they should be.
        RefusedByBrokerError: no right to create topics.
    """
    async with admin(work.bootstrap) as client:
        found = await read_topics(client, wanted(work.prefix, 1, 1))
        if not found:
            raise TopicsError("no topics; run ./stilltrue topics create")
        partitions, replication = found[0].partitions, found[0].replication
        wants = wanted(work.prefix, partitions, replication)
        problems = plan(wants, found).problems
        steps = wanted_steps(work.prefix, work.stages, partitions, replication)
        missing = plan(steps, await read_topics(client, steps))
        if problems or missing.differences:
            raise TopicsError(
                "topics are not as they should be (./stilltrue topics): " + "; ".join((*problems, *missing.differences))
            )
        await create_topics(client, missing.create)
        cluster = (await client.describe_cluster())["cluster_id"]
    return Log(identity=f"{cluster}/{work.prefix}", partitions=partitions)


async def run_worker(
    work: Work,
    makers: Mapping[str, Callable[[], Stage]],
    *,
    stop: asyncio.Event,
    clock: Callable[[], int],
    observe: Callable[[Ran], None],
    on_assigned: Callable[[Fleet], None],
    errands: Mapping[str, Errands] | None = None,
) -> None:
    """Run the stages until ``stop``; beside them the errands of those that have any, by stage name.

    Raises:
        TopicsError, RefusedByBrokerError: see ``prepare_log``.
        StoreError: the store is in use or of another log, or the broker lost what a stage needs.
        GroupLostError, KafkaError: the broker was away for too long.
    """
    from streams.faust_app import Group, run_group

    log = await prepare_log(work)
    states = LocalStates(work.store / "stages", log=log.identity, partitions=log.partitions)
    # More threads than processors fold no faster, and keep the loop waiting; those that wait for an index come on top.
    waiting = log.partitions if "embed" in makers else 0
    threads = ThreadPoolExecutor(max_workers=(os.cpu_count() or 1) + waiting, thread_name_prefix="stage")
    try:
        async with kafka_broker(work.bootstrap) as broker:
            around = Surroundings(
                broker=broker, states=states, partitions=log.partitions, threads=threads, clock=clock,
                observe=observe, prefix=work.prefix, newest_only=NEWEST_ONLY, timeless=TIMELESS,
                acting=ACTING, rest=REST,
            )  # fmt: skip
            fleet = Fleet(makers, around, errands)
            group = Group(
                bootstrap=work.bootstrap, prefix=work.prefix, stages=work.stages, partitions=log.partitions,
                member=states.member(lambda: uuid.uuid4().hex), directory=work.store / "group",
                session_s=work.session_s,
            )  # fmt: skip
            await run_group(group, fleet, stop, lambda: on_assigned(fleet))
    finally:
        threads.shutdown()
        states.close()
