"""The log that the view worker reads, and whether it is the one the view was made from."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import msgspec
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.partitioner import murmur2

from schemas.ids import SpaceKey
from schemas.topics import TopicName
from schemas.transport import broker_topic, space_key

from .maintain import VIEW_TOPICS
from .origin import claim, origin_on_broker
from .refusals import common_partitions
from .tables import Tables

BATCH_RECORDS = 1_000
"""Most records of a batch: some tenths of a second of work, so that stopping and being fresh need no more. Larger ones
were no faster."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where the view is read from, and whether it writes back.

    ``emits`` is False for a second instance (a replica, a rebuild beside the live view): it reads and maintains its own
    store, and leaves deltas and dead letters to the one that emits. Two that emit would write old deltas over new ones.
    ``batch_records``: most records of a batch; readers of the same view wait for one at most.
    """

    bootstrap: str
    prefix: str = ""
    emits: bool = True
    batch_records: int = BATCH_RECORDS


async def check_log(source: Source, tables: Tables) -> int:
    """Whether this is the log the view was made from; returns its number of partitions.

    Raises:
        ViewRefusedError: it is not; the subclass says how.
        KafkaError: no broker, or one that refuses us.
    """
    admin = AIOKafkaAdminClient(bootstrap_servers=source.bootstrap)
    await admin.start()
    try:
        cluster = await admin.describe_cluster()
        names: dict[str, TopicName] = {broker_topic(source.prefix, t): t for t in (*VIEW_TOPICS, "deltas")}
        described = await admin.describe_topics(list(names))
    finally:
        await admin.close()
    partitions = common_partitions({names[topic["topic"]]: len(topic["partitions"]) for topic in described})
    claim(tables, origin_on_broker(cluster["cluster_id"], source.prefix, partitions))
    return partitions


def partitioner(partitions: int) -> Callable[[SpaceKey], int]:
    """Where a space's records go, remembered."""
    return lru_cache(maxsize=100_000)(lambda space: (murmur2(space_key(space)) & 0x7FFFFFFF) % partitions)
