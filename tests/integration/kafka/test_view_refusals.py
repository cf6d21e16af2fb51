"""When log and view do not fit together the worker says so, ends with 3, and leaves the view as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.kit.brokers import alter, silent
from tests.kit.kafka import Broker, Mock, fresh_prefix
from tests.kit.kafkalog import Chat, Client, checksums, stored_view
from tests.kit.viewprocess import ViewProcess


@pytest.fixture
def made(full_kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path) -> Chat:
    """A view of the whole log, and its worker gone."""
    made = chat(full_kafka.make_topics(prefix))
    Client(full_kafka.bootstrap, prefix).publish(made.entries)
    ViewProcess(tmp_path, full_kafka.bootstrap, prefix, "--once").finished()
    return made


@pytest.fixture
def admin(full_kafka: Broker) -> AdminClient:
    """Somebody with all rights."""
    return AdminClient({"bootstrap.servers": full_kafka.bootstrap, "logger": silent()})


def assert_untouched(store: Path, made: Chat) -> None:
    assert checksums(stored_view(store), list(made.checksums)) == made.checksums


def test_a_log_that_ends_before_the_view_is_refused(
    full_kafka: Broker, admin: AdminClient, made: Chat, prefix: str, tmp_path: Path
) -> None:
    name = prefix + "events"
    admin.delete_topics([name])[name].result(30)
    settings = {"retention.ms": "-1", "retention.bytes": "-1", "max.message.bytes": str(8 * 1024 * 1024)}
    settings |= {"message.timestamp.type": "LogAppendTime", "unclean.leader.election.enable": "false"}
    new = NewTopic(name, made.partitions, 1, config=settings)
    admin.create_topics([new], operation_timeout=30)[name].result(30)
    why = ViewProcess(tmp_path, full_kafka.bootstrap, prefix).refused()
    assert "events/" in why
    assert "but the log ends at 0" in why
    assert_untouched(tmp_path, made)


def test_a_log_that_starts_after_the_view_is_refused(
    full_kafka: Broker, admin: AdminClient, made: Chat, prefix: str, tmp_path: Path
) -> None:
    busiest = max(range(made.partitions), key=lambda p: sum(e.partition == p for e in made.entries))
    place = TopicPartition(prefix + "messages", busiest, 5)
    admin.delete_records([place])[place].result(30)
    ViewProcess(tmp_path, full_kafka.bootstrap, prefix, "--once").finished()  # the view is ahead of the deletion
    why = ViewProcess(tmp_path / "new", full_kafka.bootstrap, prefix).refused()
    assert f"messages/{busiest}: the view must go on at offset 0, but the log starts at 5" in why
    assert_untouched(tmp_path, made)


def test_another_prefix_and_another_cluster_are_refused(
    full_kafka: Broker, made: Chat, prefix: str, tmp_path: Path
) -> None:
    other_prefix = fresh_prefix()
    full_kafka.make_topics(other_prefix)
    assert "this view is of log" in ViewProcess(tmp_path, full_kafka.bootstrap, other_prefix).refused()
    other = Mock()
    other.make_topics(prefix)
    assert "the broker offers log mockCluster" in ViewProcess(tmp_path, other.bootstrap, prefix).refused()
    assert_untouched(tmp_path, made)


def test_a_gap_in_the_offsets_is_refused(full_kafka: Broker, made: Chat, prefix: str, tmp_path: Path) -> None:
    """Transactions leave markers that take offsets; our topics have none, so a gap means something is wrong."""
    client = Client(full_kafka.bootstrap, prefix, **{"transactional.id": prefix})
    key = str(next(iter(made.checksums))).encode()
    client.in_transaction("themes", key, b"\xc1")
    client.in_transaction("themes", key, b"\xc1")
    why = ViewProcess(tmp_path, full_kafka.bootstrap, prefix).refused()
    assert "themes/" in why
    assert "rebuild the view" in why
    assert_untouched(tmp_path, made)


def test_missing_topics_are_refused(
    full_kafka: Broker, admin: AdminClient, made: Chat, prefix: str, tmp_path: Path
) -> None:
    assert "run ./stilltrue topics create" in ViewProcess(tmp_path, full_kafka.bootstrap, "nobodys.").refused()
    name = prefix + "clock"
    admin.delete_topics([name])[name].result(30)
    why = ViewProcess(tmp_path, full_kafka.bootstrap, prefix).refused()
    assert "clock: missing" in why
    assert_untouched(tmp_path, made)


def test_a_topic_that_would_lose_records_is_refused(
    full_kafka: Broker, made: Chat, prefix: str, tmp_path: Path
) -> None:
    name = prefix + "messages"
    alter(full_kafka.bootstrap, name, retention_ms="604800000")
    why = ViewProcess(tmp_path, full_kafka.bootstrap, prefix).refused()
    assert f"{name}: retention.ms is 604800000, should be -1" in why
    assert_untouched(tmp_path, made)


def test_a_second_worker_on_the_same_store_is_refused(
    full_kafka: Broker, made: Chat, prefix: str, tmp_path: Path
) -> None:
    first = ViewProcess(tmp_path, full_kafka.bootstrap, prefix)
    assert first.wait_ready()
    assert "another process writes" in ViewProcess(tmp_path, full_kafka.bootstrap, prefix).refused()
    assert first.stop()["records"] == 0
    assert_untouched(tmp_path, made)
