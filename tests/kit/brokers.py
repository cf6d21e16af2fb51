"""What tests ask of any broker: whether it answers, its topics, their configuration."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from ops.distributed import STAGES
from ops.kafka.admin import admin, create_topics
from ops.kafka.topics import wanted, wanted_steps

READY_S = 180.0

PARTITIONS = 4
"""Of every topic, as the emulation has it: enough to be shared by two workers and a third."""


class NoBrokerError(RuntimeError):
    """No broker could be had. The message says what was tried."""


def wait_ready(bootstrap: str, check_alive: Callable[[], None]) -> None:
    """Until the broker answers an admin call, and leads all partitions it has."""
    deadline = time.monotonic() + READY_S
    while True:
        check_alive()
        try:
            if _answers(bootstrap):
                return
        except KafkaException as error:
            if time.monotonic() > deadline:
                raise NoBrokerError(f"no answer from {bootstrap} within {READY_S:.0f} s: {error}") from error
        if time.monotonic() > deadline:
            raise NoBrokerError(f"no answer from {bootstrap} within {READY_S:.0f} s")
        time.sleep(0.1)


def _answers(bootstrap: str) -> bool:
    host, port = bootstrap.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    options: dict[str, Any] = {"bootstrap.servers": bootstrap, "logger": silent()}
    told = AdminClient(options).list_topics(timeout=5)
    led = all(partition.leader >= 0 for topic in told.topics.values() for partition in topic.partitions.values())
    return bool(told.brokers) and led


def silent() -> logging.Logger:
    """Takes what librdkafka says about lost connections, which tests cause on purpose."""
    logger = logging.getLogger("tests.kafka")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger


def alter(bootstrap: str, topic: str, **config: str) -> None:
    """Change a topic's configuration (``_`` for ``.``); returns when the broker tells the new values."""
    client = AdminClient({"bootstrap.servers": bootstrap, "logger": silent()})
    values = {name.replace("_", "."): value for name, value in config.items()}
    changes = [ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in values.items()]
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=changes)
    client.incremental_alter_configs([resource])[resource].result(30)
    asked = ConfigResource(ResourceType.TOPIC, topic)
    deadline = time.monotonic() + READY_S
    while True:
        told = client.describe_configs([asked])[asked].result(30)
        if all(told[name].value == value for name, value in values.items()):
            return
        assert time.monotonic() < deadline, f"{topic} was not altered"
        time.sleep(0.1)


def create(bootstrap: str, prefix: str) -> int:
    """All topics, as ``topics create`` makes them; in a thread, since the test may run a loop."""

    async def make() -> None:
        async with admin(bootstrap) as client:
            topics = (*wanted(prefix, PARTITIONS, 1), *wanted_steps(prefix, STAGES, PARTITIONS, 1))
            await create_topics(client, topics)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, make()).result(120)
    return PARTITIONS


def drop(bootstrap: str, prefix: str) -> None:
    """Delete all topics under the prefix."""
    client = AdminClient({"bootstrap.servers": bootstrap, "logger": silent()})
    names = [name for name in client.list_topics(timeout=30).topics if name.startswith(prefix)]
    for done in client.delete_topics(names).values() if names else ():
        done.result(30)
