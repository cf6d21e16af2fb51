"""Stage workers and the view worker on a broker end in the view of the embedded system, whoever comes and goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from schemas.codec import decode
from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.sessions import SessionRevised
from tests.kit.brokers import PARTITIONS
from tests.kit.conversations import SETS, SETTINGS, Import, four_conversations, make_import
from tests.kit.decided import all_taken, check_decided, effective
from tests.kit.kafka import Broker
from tests.kit.kafkalog import TENANT, Client, checksums, stored_view
from tests.kit.kafkaread import read_all
from tests.kit.viewprocess import ViewProcess
from tests.kit.workerprocess import WorkerProcess

REST_S = 3.0
"""Longer than an open session waits before it is published once more."""

LONG_S = 180.0


@pytest.fixture
def started() -> Iterator[ExitStack]:
    """What was started here is killed at the end."""
    with ExitStack() as stack:
        yield stack


class Cluster:
    """The workers of one test."""

    def __init__(self, broker: Broker, prefix: str, directory: Path, stack: ExitStack) -> None:
        self.bootstrap, self.prefix = broker.bootstrap, prefix
        self.directory = directory
        self._stack = stack

    def worker(self, name: str, *options: str) -> WorkerProcess:
        """Start a stage worker with a store of that name."""
        made = WorkerProcess(self.directory / name, self.bootstrap, self.prefix, *options, settings=SETTINGS)
        self._stack.callback(made.kill)
        return made

    def view(self, expected: Mapping[SpaceKey, str]) -> Mapping[SpaceKey, str]:
        """Apply what the log holds now; the checksums."""
        ViewProcess(self.directory / "view", self.bootstrap, self.prefix, "--once").finished()
        return checksums(stored_view(self.directory / "view"), list(expected))

    def settle(self, made: Import) -> None:
        """Until the stages have nothing left to take, and the view is the undisturbed one."""

        def at_rest() -> bool:
            before = all_taken(self.bootstrap, self.prefix)
            if before is not None:
                time.sleep(REST_S)
            return before is not None and all_taken(self.bootstrap, self.prefix) == before

        until(at_rest, "a stage did not take everything")
        until(lambda: self.view(made.checksums) == made.checksums, lambda: f"another view, of other {self.other(made)}")

    def other(self, made: Import) -> list[str]:
        """Topics whose sets say something else than in the embedded run.

        All of them where the code was changed while the test ran: the processes were started after this one.
        """
        return [topic for topic in SETS if effective(self.bootstrap, self.prefix, topic) != made.effective[topic]]

    def check(self, made: Import) -> None:
        """The view is the undisturbed one; nothing was lost, nothing was done twice."""
        assert self.view(made.checksums) == made.checksums
        assert self.count("messages") == len(made.messages)
        assert self.count("dead-letters") == 0
        check_decided(self.bootstrap, self.prefix)
        assert {topic: effective(self.bootstrap, self.prefix, topic) for topic in SETS} == made.effective

    def count(self, topic: str) -> int:
        """Records of a topic."""
        return len(read_all(self.bootstrap, self.prefix, topic))  # pyright: ignore[reportArgumentType]


def until(done: Callable[[], bool], what: str | Callable[[], str]) -> None:
    """Look again and again. ``what``: is said when it does not come, or makes what is said."""
    deadline = time.monotonic() + LONG_S
    while not done():
        assert time.monotonic() < deadline, what if isinstance(what, str) else what()
        time.sleep(0.3)


def test_messages_of_an_independent_client_end_in_the_embedded_view(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    made = make_import(11, spaces=4, messages=60, partitions=full_kafka.make_topics(prefix))
    cluster = Cluster(full_kafka, prefix, tmp_path, started)
    worker = cluster.worker("one")
    until(lambda: worker.running, "no partitions were assigned")
    Client(full_kafka.bootstrap, prefix).publish(made.messages)
    cluster.settle(made)
    did = worker.stop()
    assert did["sessionize"]["records"] == len(made.messages)
    assert all(total["parked"] == 0 for total in did.values())
    assert cluster.view(made.checksums) == made.checksums
    assert cluster.count("dead-letters") == 0


def test_workers_that_die_come_and_go_change_nothing(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    """Four conversations, two workers; one is killed and comes back later, a third comes and goes in between."""
    made = four_conversations(12, messages=60, partitions=full_kafka.make_topics(prefix))
    third = len(made.messages) // 3
    cluster, client = Cluster(full_kafka, prefix, tmp_path, started), Client(full_kafka.bootstrap, prefix)
    first, second = cluster.worker("first"), cluster.worker("second")
    until(lambda: first.running and second.running, "no partitions were assigned")
    client.publish(made.messages[:third])
    until(lambda: cluster.count("edges") > 0, "nothing was linked")
    second.kill()
    added = cluster.worker("added")
    client.publish(made.messages[third : 2 * third])
    before = cluster.count("edges")
    until(lambda: added.running and cluster.count("edges") > before, "nothing more was linked")
    second = cluster.worker("second")
    until(lambda: second.running, "the killed one got no partitions")
    did = added.stop()
    client.publish(made.messages[2 * third :])
    cluster.settle(made)
    assert sum(total["records"] for total in did.values()) > 0, "the added worker had nothing to do"
    first.stop()
    second.stop()
    cluster.check(made)


def test_who_comes_back_disturbs_nobody_and_who_leaves_is_replaced_at_once(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    full_kafka.make_topics(prefix)
    cluster = Cluster(full_kafka, prefix, tmp_path, started)
    options = ("--stages", "sessionize", "--session", "60")
    one, other = cluster.worker("one", *options), cluster.worker("other", *options)
    until(lambda: len(one.held) == len(other.held) == PARTITIONS // 2, "the partitions were not shared")
    held, told = one.held, other.assignments
    begun = time.monotonic()
    one.kill()
    one = cluster.worker("one", *options)
    until(lambda: one.held == held, "it did not get its partitions back")
    assert other.assignments == told
    other.stop()
    until(lambda: len(one.held) == PARTITIONS, "the partitions of the one that left stayed free")
    assert time.monotonic() - begun < 60, "waited for sessions to run out"
    one.stop()


def test_a_poison_record_on_every_input_is_parked_once(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    made = make_import(13, spaces=2, messages=30, partitions=full_kafka.make_topics(prefix))
    cluster, client = Cluster(full_kafka, prefix, tmp_path, started), Client(full_kafka.bootstrap, prefix)
    key, poison = f"{TENANT}/bed-0".encode(), b"\xc1poison"
    worker = cluster.worker("one")
    until(lambda: worker.running, "no partitions were assigned")
    for topic in ("messages", "sessions", "events", "producers", "steps-sessionize", "steps-link"):
        client.put(topic, key, poison, headers=[("from", b"a test")])  # pyright: ignore[reportArgumentType]
    client.publish(made.messages)
    cluster.settle(made)
    worker.stop()
    letters: list[tuple[str, str]] = []
    for message in read_all(cluster.bootstrap, prefix, "dead-letters"):
        letter = decode("dead-letters", message.value() or b"")
        assert isinstance(letter, DeadLetter)
        assert letter.payload == poison
        assert ("from", b"a test") in (message.headers() or [])
        letters.append((letter.stage, letter.topic))
    assert sorted(letter for letter in letters if letter[0] != "view") == [
        ("distil", "sessions"), ("link", "events"), ("link", "producers"), ("sessionize", "messages"),
        ("themes", "sessions"),
    ]  # fmt: skip


def test_a_broker_that_dies_and_comes_back_changes_nothing(
    mortal_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    made = make_import(14, spaces=4, messages=40, partitions=mortal_kafka.make_topics(prefix))
    cluster, client = Cluster(mortal_kafka, prefix, tmp_path, started), Client(mortal_kafka.bootstrap, prefix)
    worker = cluster.worker("one")
    until(lambda: worker.running, "no partitions were assigned")
    half = len(made.messages) // 2
    client.publish(made.messages[:half])
    until(lambda: cluster.count("events") > 0, "nothing was distilled")
    mortal_kafka.kill()
    mortal_kafka.start()
    client.publish(made.messages[half:])
    cluster.settle(made)
    worker.stop()
    cluster.check(made)


def test_an_open_session_is_published_when_it_falls_silent(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    made = make_import(15, spaces=1, messages=20, partitions=full_kafka.make_topics(prefix))
    cluster = Cluster(full_kafka, prefix, tmp_path, started)
    worker = cluster.worker("one", "--stages", "sessionize")
    until(lambda: worker.running, "no partitions were assigned")
    Client(full_kafka.bootstrap, prefix).publish(made.messages[:1])
    until(lambda: cluster.count("sessions") > 0, "it was not published")
    worker.stop()
    session = decode("sessions", read_all(cluster.bootstrap, prefix, "sessions")[0].value() or b"")
    assert isinstance(session, SessionRevised)
    assert session.open
