"""Reads and creates topics over the broker's admin interface."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from .topics import BrokerTopic

KNOWN_TRIES, KNOWN_PAUSE_S = 300, 0.1
"""How often to look whether a broker has heard of a new topic; it takes some milliseconds."""


class NotToldError(RuntimeError):
    """The broker does not tell the configuration of topics: an emulation, or an access list that forbids asking.

    Compare them by other means with ``ops/kafka/topics.py``.
    """


class RefusedByBrokerError(RuntimeError):
    """The broker would not create a topic; the message holds its reason (rights, replication without brokers)."""


@asynccontextmanager
async def admin(bootstrap: str) -> AsyncGenerator[AIOKafkaAdminClient]:
    """A connection for administration.

    Raises:
        KafkaConnectionError: no broker at the address.
    """
    client = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        await client.start()
        yield client
    finally:
        await client.close()


async def read_topics(client: AIOKafkaAdminClient, wants: Sequence[BrokerTopic]) -> list[BrokerTopic]:
    """Those of the wanted topics that exist, as they are.

    Raises:
        NotToldError: they exist, but their configuration cannot be had.
    """
    names = [want.name for want in wants]
    described = [topic for topic in await client.describe_topics(names) if topic["error_code"] == 0]
    configs = await _configs(client, [topic["topic"] for topic in described])
    return [
        BrokerTopic(
            name=topic["topic"],
            partitions=len(topic["partitions"]),
            replication=min(len(partition["replicas"]) for partition in topic["partitions"]),
            config=configs[topic["topic"]],
        )
        for topic in described
    ]


async def _configs(client: AIOKafkaAdminClient, names: Sequence[str]) -> dict[str, dict[str, str]]:
    if not names:
        return {}
    try:
        replies = await client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name) for name in names])
    except KafkaError as error:
        raise NotToldError(f"the broker does not tell the configuration of topics: {error!r}") from error
    configs: dict[str, dict[str, str]] = {}
    for reply in replies:
        for told in reply.to_object()["resources"]:
            if told["error_code"] != 0:
                raise NotToldError(f"{told['resource_name']}: {for_code(told['error_code']).__name__}")
            configs[told["resource_name"]] = {e["config_names"]: e["config_value"] for e in told["config_entries"]}
    return configs


async def create_topics(client: AIOKafkaAdminClient, topics: Iterable[BrokerTopic]) -> None:
    """Create them, and wait until the broker we talk to knows them: the controller answers before the others have
    heard of it. One that somebody else made meanwhile is left as it is (compare again afterwards).

    Raises:
        RefusedByBrokerError: one could not be made, or is not heard of in time.
    """
    new = [NewTopic(t.name, t.partitions, t.replication, topic_configs=dict(t.config)) for t in topics]
    if not new:
        return
    reply = await client.create_topics(new)
    for told in reply.to_object()["topic_errors"]:
        if told["error_code"] not in {0, TopicAlreadyExistsError.errno}:
            reason = for_code(told["error_code"]).__name__
            raise RefusedByBrokerError(f"{told['topic']}: {reason}: {told['error_message']}")
    await _until_known(client, [topic.name for topic in new])


async def _until_known(client: AIOKafkaAdminClient, names: list[str]) -> None:
    for _ in range(KNOWN_TRIES):
        if all(topic["error_code"] == 0 for topic in await client.describe_topics(names)):
            return
        await asyncio.sleep(KNOWN_PAUSE_S)
    raise RefusedByBrokerError(
        f"after {KNOWN_TRIES * KNOWN_PAUSE_S:.0f} s a broker does not know topics that were made"
    )
