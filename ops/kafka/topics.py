"""The topics as a broker must hold them: what is wanted, what is there, and what differs. Nothing here does I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from schemas.topics import TOPICS, Topic
from schemas.transport import DEAD_LETTER_MAX_BYTES, RECORD_MAX_BYTES, broker_topic
from streams.worker.step import steps_topic

PARTITIONS = 6
"""The default. Chosen once: with another number the spaces would land elsewhere."""

FOREVER = "-1"


class BrokerTopic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic on a broker: wanted, or found. ``config`` of a found one holds at least the keys we ask for."""

    name: str
    partitions: int
    replication: int
    config: Mapping[str, str]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to create, and in what the topics that are there differ, a line each."""

    create: tuple[BrokerTopic, ...]
    differences: tuple[str, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that keeps the broker from being as wanted, missing topics included."""
        return tuple(f"{topic.name}: missing" for topic in self.create) + self.differences


def wanted(prefix: str, partitions: int, replication: int) -> tuple[BrokerTopic, ...]:
    """All topics, in the order of ``schemas.topics``.

    Args:
        prefix: stands before every name.
        partitions: the same for all, so that a space is in the same partition of each.
        replication: copies of each partition. One less must be in sync for a write to be acknowledged, and none that is
            not in sync may ever lead: it would lose acknowledged records.
    """
    return tuple(
        BrokerTopic(
            name=broker_topic(prefix, topic.name),
            partitions=partitions,
            replication=replication,
            config=_config(topic, replication),
        )
        for topic in TOPICS.values()
    )


def wanted_steps(prefix: str, stages: Iterable[str], partitions: int, replication: int) -> tuple[BrokerTopic, ...]:
    """The topics of the stages' own steps (ADR 0018): as ``messages``, kept for ever and never compacted, for they are
    the stages' only state once a worker comes without its disk."""
    config = _config(TOPICS["messages"], replication)
    return tuple(
        BrokerTopic(name=steps_topic(prefix, stage), partitions=partitions, replication=replication, config=config)
        for stage in stages
    )


def _config(topic: Topic, replication: int) -> dict[str, str]:
    size = DEAD_LETTER_MAX_BYTES if topic.name == "dead-letters" else RECORD_MAX_BYTES
    return {
        "cleanup.policy": "compact" if topic.cleanup == "compact" else "delete",
        "retention.ms": FOREVER,
        "retention.bytes": FOREVER,
        "max.message.bytes": str(size),
        "message.timestamp.type": "LogAppendTime",
        "min.insync.replicas": str(max(1, replication - 1)),
        "unclean.leader.election.enable": "false",
    }


def plan(wants: Iterable[BrokerTopic], found: Iterable[BrokerTopic]) -> Plan:
    """Compare. Topics of other names on the broker are nobody's business here."""
    there = {topic.name: topic for topic in found}
    create: list[BrokerTopic] = []
    differences: list[str] = []
    for want in wants:
        have = there.get(want.name)
        if have is None:
            create.append(want)
        else:
            differences += _differences(want, have)
    return Plan(create=tuple(create), differences=tuple(differences))


_WHY = {
    "partitions": "spaces would lie in other partitions; cannot be changed, make the topics anew under another prefix",
    "replication": "more copies: kafka-reassign-partitions; fewer do no harm that this program can see",
    "cleanup.policy": "compacted where it should not be, records are lost; not where it should, it grows for ever",
    "retention.ms": "old records would be deleted",
    "retention.bytes": "old records would be deleted",
    "max.message.bytes": "a large record would be refused, or a larger one than any reader takes be let in",
    "message.timestamp.type": "times would be those of the writers' clocks",
    "min.insync.replicas": "a write would be acknowledged by too few copies, or by none",
    "unclean.leader.election.enable": "acknowledged records could be lost",
}
"""What a difference does. Configurations are set right with ``kafka-configs --alter --entity-type topics``."""


def _differences(want: BrokerTopic, have: BrokerTopic) -> list[str]:
    pairs = [("partitions", str(want.partitions), str(have.partitions))]
    pairs += [("replication", str(want.replication), str(have.replication))]
    pairs += [(key, value, have.config.get(key, "not told")) for key, value in want.config.items()]
    return [
        f"{want.name}: {key} is {is_}, should be {should} ({_WHY[key]})" for key, should, is_ in pairs if should != is_
    ]
