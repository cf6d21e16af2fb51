"""Stage workers and the view worker on a broker end in the view of the embedded system, whoever comes and goes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random

import msgspec
import pytest

from ops.importers import open_source
from ops.model import load_encoder
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from schemas.codec import decode
from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.sessions import SessionRevised
from schemas.topics import TopicName
from streams.log import LogEntry, MemoryLog
from tests.kit.decided import Chain, check_decided, effective, effective_of
from tests.kit.kafka import Broker
from tests.kit.kafkalog import NOW, TENANT, Client, checksums, stored_view
from tests.kit.kafkaread import read_all
from tests.kit.simchat import saying
from tests.kit.viewprocess import ViewProcess
from tests.kit.workerprocess import WorkerProcess
from views.encoder.resolve import ModelUnavailableError
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

SETTINGS = "session_max_messages = 12\nopen_revision_messages = 4\n"
LONG_S = 180.0


LOCOMO = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "locomo" / "conversations.json"
"""Beside the repository, and no part of it."""

SETS: tuple[TopicName, ...] = ("sessions", "events", "edges")


class Import(msgspec.Struct, frozen=True, kw_only=True):
    """Records of ``messages``, and what must come of them: of the view by space, and of the topics of sets."""

    messages: tuple[LogEntry, ...]
    checksums: Mapping[SpaceKey, str]
    effective: Mapping[TopicName, Chain]


def make_import(seed: int, *, spaces: int, messages: int, partitions: int) -> Import:
    """Chats that arrive out of order, with edits and a retraction, through the embedded system, with its encoder."""
    rng = Random(seed)
    chats: dict[SpaceKey, list[bytes]] = {}
    for n in range(spaces):
        order = [n + rng.uniform(0, 15) for n in range(messages)]
        late = sorted(range(messages), key=order.__getitem__)
        chats[SpaceKey(TENANT, f"bed-{n}")] = [said(rng, n) for n in late]

    def change(system: Embedded, key: SpaceKey) -> None:
        for n in rng.sample(range(messages), k=3):
            system.edit(key, "c", f"m{n}", saying(rng))
        system.retract(key, "c", f"m{messages // 2}")

    return imported(rng, chats, partitions, change)


def four_conversations(seed: int, *, messages: int, partitions: int) -> Import:
    """The beginnings of four real conversations where they are at hand, else of four made ones."""
    if not LOCOMO.exists():
        return make_import(seed, spaces=4, messages=messages, partitions=partitions)
    chats: dict[SpaceKey, list[bytes]] = {}
    for number in range(4):
        items = islice(open_source(LOCOMO, conversation=number).items(), messages)
        chats[SpaceKey(TENANT, f"talk-{number}")] = [item.message for item in items if item.message is not None]
    return imported(Random(seed), chats, partitions, lambda _system, _key: None)


def imported(
    rng: Random,
    chats: Mapping[SpaceKey, Sequence[bytes]],
    partitions: int,
    change: Callable[[Embedded, SpaceKey], None],
) -> Import:
    """Through the embedded system, undisturbed."""
    try:
        encoder = load_encoder()
    except ModelUnavailableError as error:
        pytest.skip(str(error))
    log = MemoryLog(partitions=partitions)
    parts = Parts(
        log=log, tables=MemoryTables(), encoder=lambda: encoder, index=lambda _: MemoryIndex(encoder.dimension),
        clock=lambda: NOW,
    )  # fmt: skip
    system = Embedded(parts, Settings(session_max_messages=12, open_revision_messages=4))
    for key, chat in chats.items():
        system.post(key, chat, received_at="sent_at", default_tz="UTC")
        change(system, key)
    system.flush()
    verified = {key: system.verify(key) for key in chats}
    assert all(found.equal and found.events > 0 and found.edges > 0 for found in verified.values())
    whole = {
        topic: [e for p in range(partitions) for e in log.read(topic, p, 0, log.end(topic, p))]
        for topic in ("messages", *SETS)
    }
    return Import(
        messages=tuple(_mixed(rng, whole["messages"])), checksums={key: verified[key].checksum for key in chats},
        effective={topic: effective_of(topic, [entry.value for entry in whole[topic]]) for topic in SETS},
    )  # fmt: skip


def said(rng: Random, n: int) -> bytes:
    """The n-th message as a producer sends it."""
    at = datetime(2031, 3, 3, 9, tzinfo=UTC) + timedelta(minutes=37 * n)
    return json.dumps(
        {
            "message_id": f"m{n}", "conversation_id": "c", "speaker": rng.choice(("Ewout", "Fenna")),
            "content": saying(rng), "sent_at": at.isoformat(), "seq": n,
        }
    ).encode()  # fmt: skip


def _mixed(rng: Random, entries: Sequence[LogEntry]) -> Iterator[LogEntry]:
    """The partitions mixed, each in order."""
    queues: dict[int, list[LogEntry]] = {}
    for entry in reversed(entries):
        queues.setdefault(entry.partition, []).append(entry)
    while queues:
        partition = rng.choice(sorted(queues))
        yield queues[partition].pop()
        if not queues[partition]:
            del queues[partition]


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


def until(done: Callable[[], bool], what: str) -> None:
    """Look again and again."""
    deadline = time.monotonic() + LONG_S
    while not done():
        assert time.monotonic() < deadline, what
        time.sleep(0.3)


def test_messages_of_an_independent_client_end_in_the_embedded_view(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    made = make_import(11, spaces=4, messages=60, partitions=full_kafka.make_topics(prefix))
    cluster = Cluster(full_kafka, prefix, tmp_path, started)
    worker = cluster.worker("one")
    until(lambda: worker.running, "no partitions were assigned")
    Client(full_kafka.bootstrap, prefix).publish(made.messages)
    until(lambda: cluster.view(made.checksums) == made.checksums, "the view is another one")
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
    until(lambda: cluster.view(made.checksums) == made.checksums, "the view is another one")
    assert sum(total["records"] for total in did.values()) > 0, "the added worker had nothing to do"
    first.stop()
    second.stop()
    cluster.check(made)


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
    until(lambda: cluster.view(made.checksums) == made.checksums, "the view is another one")
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
    until(lambda: cluster.view(made.checksums) == made.checksums, "the view is another one")
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
