"""``topics create|check`` on a broker."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ops.distributed import STAGES
from schemas.topics import TOPICS
from tests.kit.brokers import alter
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Client
from tests.kit.kafkaread import read_all

NAMES = [*TOPICS, *(f"steps-{stage}" for stage in STAGES)]
ROOT = Path(__file__).resolve().parents[3]


def topics(broker: Broker, prefix: str, *arguments: str) -> tuple[int, list[str]]:
    command = [str(ROOT / "stilltrue"), "topics", *arguments, "--bootstrap", broker.bootstrap, "--prefix", prefix]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout.splitlines()


def test_creating_twice_makes_them_once(full_kafka: Broker, prefix: str) -> None:
    assert topics(full_kafka, prefix, "check") == (1, [f"{prefix}{name}: missing" for name in NAMES])
    code, lines = topics(full_kafka, prefix, "create", "--partitions", "3")
    assert code == 0
    assert lines[:-1] == [f"created {prefix}{name}" for name in NAMES]
    assert topics(full_kafka, prefix, "create", "--partitions", "3") == (0, lines[-1:])
    assert topics(full_kafka, prefix, "check", "--partitions", "3") == (0, lines[-1:])


def test_check_lists_every_difference_and_create_alters_nothing(full_kafka: Broker, prefix: str) -> None:
    topics(full_kafka, prefix, "create")
    altered = {"cleanup_policy": "delete", "message_timestamp_type": "CreateTime"}
    alter(full_kafka.bootstrap, prefix + "deltas", **altered)
    alter(full_kafka.bootstrap, prefix + "steps-link", cleanup_policy="compact")
    expected = [
        f"{prefix}deltas: cleanup.policy is delete, should be compact",
        f"{prefix}deltas: message.timestamp.type is CreateTime, should be LogAppendTime",
        f"{prefix}steps-link: cleanup.policy is compact, should be delete",
    ]
    for action in ("check", "create", "check"):
        code, lines = topics(full_kafka, prefix, action)
        assert (code, [line.partition(" (")[0] for line in lines]) == (1, expected)


def test_the_largest_session_fits_into_a_record(full_kafka: Broker, prefix: str) -> None:
    topics(full_kafka, prefix, "create")
    client = Client(full_kafka.bootstrap, prefix, **{"message.max.bytes": 9 * 1024 * 1024})
    session = b"x" * (100 * 65_536 + 200_000)
    client.put("sessions", b"t/s", session)
    client.flush()
    (message,) = read_all(full_kafka.bootstrap, prefix, "sessions")
    assert message.value() == session
