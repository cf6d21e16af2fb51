"""The query node on a broker: answers as the embedded system does, takes messages, and survives what may happen."""

from __future__ import annotations

import re
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from ops.node.generations import Generations
from ops.node.marks import FAMILIES
from ops.node.rebuilding import Former
from query.api import StateRequest
from query.service.rendering import to_json
from query.state import state
from schemas.codec import decode
from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted
from schemas.parking import decoded
from schemas.topics import TOPICS
from streams.log.database import Database
from streams.log.partition import partition_of
from tests.kit.apache import ROOT
from tests.kit.conversations import SETTINGS, one_conversation
from tests.kit.kafka import Broker, fresh_prefix
from tests.kit.kafkalog import NOW, TENANT, Chat, Client, checksums, make_chat
from tests.kit.kafkaread import read_all, watermarks
from tests.kit.nodeprocess import NodeProcess
from tests.kit.viewprocess import ViewProcess
from tests.kit.workerprocess import WorkerProcess
from views.maintain import Maintainer
from views.reader import Basis
from views.snapshot import Snapshot, read_space
from views.store import RocksTables
from views.tables import TABLES, MemoryTables

SPACE = "/v1/spaces/weir"
LONG_S = 180.0

MADE = 60
"""Messages of the conversation that is compared where no real one is at hand."""


@pytest.fixture(scope="module")
def chat() -> Callable[[int], Chat]:
    """A small one: every node here encodes all of it for its own index."""
    return cache(lambda partitions: make_chat(7, spaces=5, messages=16, partitions=partitions))


@pytest.fixture
def started() -> Iterator[ExitStack]:
    """What was started here is killed at the end."""
    with ExitStack() as stack:
        yield stack


def start(broker: Broker, prefix: str, store: Path, stack: ExitStack, *options: str) -> NodeProcess:
    """A node, killed at the end of the test."""
    node = NodeProcess(store, broker.bootstrap, prefix, *options)
    stack.callback(node.kill)
    return node


def said(n: int, content: str, **changes: object) -> dict[str, object]:
    """A message."""
    at = datetime(2031, 3, 3, 9, tzinfo=UTC) + timedelta(minutes=7 * n)
    return {
        "message_id": f"m{n}", "conversation_id": "c", "speaker": "Jorun", "content": content,
        "sent_at": at.isoformat(), **changes,
    }  # fmt: skip


def post(node: NodeProcess, *messages: dict[str, object]) -> Any:
    """Send messages; all must be taken or known."""
    reply = node.ask("POST", f"{SPACE}/messages", {"messages": list(messages)})
    assert reply.status == 200, reply
    return reply.body


def folded(chat: Chat) -> Maintainer:
    """The view of a chat's records, in memory."""
    view = Maintainer(MemoryTables())
    for entry in chat.entries:
        view.fold([decoded(entry)])
    return view


def served_checksums(store: Path, chat: Chat) -> dict[SpaceKey, str]:
    """Of what a node that has ended left in its store."""
    former = Former(Generations(store).current)
    try:
        return dict(checksums(former.maintainer, list(chat.checksums)))
    finally:
        former.close()


def expected_state(cut: Snapshot, space: SpaceKey, as_of: int, known_at: int | None = None) -> Any:
    """Entries as HTTP shows them."""
    request = StateRequest(
        space=space, as_of=as_of, known_at=known_at, participant=None, attribute=None, include_all=True
    )
    basis = Basis(partition=0, messages=0, waiting=0, parked=0)
    return to_json(state(cut, cut, request, basis))["entries"]


def test_a_node_answers_what_the_embedded_system_would(
    full_kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path, started: ExitStack
) -> None:
    made = chat(full_kafka.make_topics(prefix))
    Client(full_kafka.bootstrap, prefix).publish(made.entries)
    node = start(full_kafka, prefix, tmp_path, started)
    node.wait_ready()
    view, at = folded(made), datetime.fromtimestamp(NOW / 1_000_000, UTC)
    for n, space in enumerate(made.checksums):
        path = f"/v1/spaces/{space.space}/state?include=all&as_of={at:%Y-%m-%dT%H:%M:%SZ}"
        reply = node.ask("GET", path, tenant=TENANT)
        assert reply.body["entries"] == expected_state(read_space(view, space), space, NOW)
        assert reply.body["basis"]["waiting"] == 0
        if n:
            continue
        past = node.ask("GET", f"{path}&known_at={at - timedelta(seconds=1):%Y-%m-%dT%H:%M:%SZ}", tenant=TENANT)
        assert past.body["entries"] == [], "all was learned at one moment"
        assert node.ask("GET", f"{path}&known_at={at:%Y-%m-%dT%H:%M:%SZ}", tenant=TENANT).body["entries"]
    assert node.ask("GET", "/v1/spaces/nobody/state", tenant=TENANT).body["entries"] == []
    node.stop()
    assert served_checksums(tmp_path, made) == made.checksums


class Line:
    """All of a deployment, each a process of its own: a worker with every stage, the view, two nodes."""

    def __init__(self, broker: Broker, prefix: str, directory: Path, stack: ExitStack) -> None:
        self.partitions = broker.make_topics(prefix)
        self.bootstrap, self.prefix, self.directory = broker.bootstrap, prefix, directory
        worker = WorkerProcess(directory / "worker", broker.bootstrap, prefix, settings=SETTINGS)
        stack.callback(worker.kill)
        view = ViewProcess(directory / "view", broker.bootstrap, prefix)
        stack.callback(view.kill)
        self.one, self.two = (start(broker, prefix, directory / name, stack) for name in ("one", "two"))
        self.stores = {"one": directory / "one/node/g1", "two": directory / "two/node/g1", "view": directory / "view"}
        self.one.wait_ready()
        self.two.wait_ready()

    def end(self, space: SpaceKey) -> int:
        """Where the space's partition of messages ends, as another client is told."""
        client = Consumer({"bootstrap.servers": self.bootstrap, "group.id": "unused"})
        try:
            place = TopicPartition(f"{self.prefix}messages", partition_of(space, self.partitions))
            return watermarks(client, place)[1]
        finally:
            client.close()

    def entries(self, node: NodeProcess, space: SpaceKey, known_at: str | None = None) -> Any:
        """Everything a node holds of a space once it has applied all messages there are."""
        path = f"/v1/spaces/{space.space}/state?include=all&as_of=2034-01-01T00:00:00Z&wait_for={self.end(space)}"
        deadline = time.monotonic() + LONG_S
        while True:
            reply = node.ask("GET", path + (f"&known_at={known_at}" if known_at else ""), tenant=space.tenant)
            if reply.status == 200:
                return reply.body["entries"]
            assert reply.status == 504, reply
            assert time.monotonic() < deadline, "a cold worker on a busy machine takes its time, but not so long"

    def told(self, node: NodeProcess, space: str) -> list[str]:
        """What the deltas of a space say, from the first to the last there is: as many as the topic holds."""
        key = f"default/{space}/".encode()
        held = [m for m in read_all(self.bootstrap, self.prefix, "deltas") if (m.key() or b"").startswith(key)]
        request = urllib.request.Request(f"{node.url}/v1/spaces/{space}/deltas?after=-1")
        with urllib.request.urlopen(request, timeout=60) as stream:
            lines: list[str] = []
            while len(lines) < len(held):
                line = stream.readline().decode()
                if line.startswith("data:"):
                    lines.append(line)
            return lines


@pytest.fixture(scope="module")
def line(kafka: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """One for the tests of this file that disturb nothing."""
    if not kafka.full:
        pytest.skip("the mock cluster cannot do this")
    prefix = fresh_prefix()
    with ExitStack() as stack:
        yield Line(kafka, prefix, tmp_path_factory.mktemp("line"), stack)
    kafka.drop_topics(prefix)


def until(done: Callable[[], bool], what: str) -> None:
    """Look again and again."""
    deadline = time.monotonic() + LONG_S
    while not done():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def test_what_is_posted_becomes_state_and_edits_and_retractions_follow_from_any_node(line: Line) -> None:
    one, two, space = line.one, line.two, SpaceKey("default", "weir")

    def holds(node: NodeProcess) -> list[str]:
        return sorted(entry["event"]["text"] for entry in line.entries(node, space))

    first = post(one, said(1, "I live in Lecce."), said(2, "I work at the mill."))
    assert (first["accepted"], first["wait_for"]) == (2, line.end(space))
    assert holds(one) == holds(two) == ["I live in Lecce", "I work at the mill"]
    again = post(one, said(1, "I live in Lecce."), said(2, "I work elsewhere."))
    assert [m["status"] for m in again["messages"]] == ["duplicate", "refused"]
    assert again["messages"][1]["error"]["code"] == "conflict"
    edited = two.ask("PUT", f"{SPACE}/messages/m2", {"conversation_id": "c", "content": "I work at the quay."})
    assert edited.body["wait_for"] == line.end(space)
    assert holds(one) == ["I live in Lecce", "I work at the quay"]
    withdrawn = one.ask("DELETE", f"{SPACE}/messages/m2?conversation_id=c")
    assert withdrawn.body["wait_for"] == line.end(space)
    assert holds(two) == ["I live in Lecce"]
    assert one.ask("DELETE", f"{SPACE}/messages/m9?conversation_id=c").status == 404
    answer = one.ask(
        "POST", f"{SPACE}/query", {"question": "Where does Jorun live?", "asked_at": "2032-01-01T00:00:00Z"}
    )
    assert "Lecce" in answer.body["answer"]["text"]


def test_an_edit_of_what_another_node_has_just_accepted_finds_it(line: Line) -> None:
    for n in range(5):
        taken = line.one.ask("POST", "/v1/spaces/loom/messages", {"messages": [said(n, "I keep bees.")]})
        assert taken.status == 200, taken
        edit = {"conversation_id": "c", "content": "I keep geese."}
        assert line.two.ask("PUT", f"/v1/spaces/loom/messages/m{n}", edit).status == 200
    read = read_all(line.bootstrap, line.prefix, "messages")
    records = [decode("messages", m.value() or b"") for m in read if m.key() == b"default/loom"]
    assert [type(record) for record in records] == [MessagePosted, MessageEdited] * 5


def test_a_conversation_of_another_client_ends_in_the_embedded_view_on_view_and_node(line: Line) -> None:
    made = one_conversation(16, made=MADE, partitions=line.partitions)
    [(space, expected)] = made.checksums.items()
    Client(line.bootstrap, line.prefix).publish(made.messages)
    entries = line.entries(line.one, space)
    until(lambda: line_checksum(line.stores["view"], space) == expected, "the view is another one")
    assert line_checksum(line.stores["one"], space) == expected
    with opened_view(line.stores["view"]) as view:
        as_of = round(datetime(2034, 1, 1, tzinfo=UTC).timestamp() * 1_000_000)
        assert entries == expected_state(read_space(view, space), space, as_of)
    assert len(entries) > 10


WORD = "Quillmark"


def test_what_is_erased_is_nowhere_but_where_the_receipt_says(line: Line, started: ExitStack) -> None:
    one, two, space, path = line.one, line.two, SpaceKey("default", "quill"), "/v1/spaces/quill"
    texts = ["I live in Lecce.", f"I moved to {WORD} last month.", "I work at the mill.", "I sold the boat."]
    chat = [said(n, text) | {"conversation_id": "c" if n < 3 else "d"} for n, text in enumerate(texts)]
    assert one.ask("POST", f"{path}/messages", {"messages": chat}).status == 200
    batch = {
        "producer": "crm", "batch_id": "b1", "asserted_at": "2031-03-04T09:00:00Z",
        "events": [{
            "key": "k", "type": "state_change", "text": f"Jorun has a key in {WORD}", "participants": ["Jorun"],
            "sources": [{"conversation_id": "c", "message_id": "m1"}],
        }],
    }  # fmt: skip
    batch_reply = one.ask("POST", f"{path}/events", batch)
    assert batch_reply.status == 200, batch_reply
    assert all(WORD in str(line.entries(node, space)) for node in (one, two))
    before = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    until(lambda: len(line.told(one, "quill")) > 0, "no deltas")

    asked = {"scope": "message", "conversation_id": "c", "message_id": "m1"}
    receipt = two.ask("POST", f"{path}/erasures", asked).body
    until(
        lambda: two.ask("GET", f"{path}/erasures/{receipt['id']}").body["finished_at"] is not None, "it never finishes"
    )
    receipt = two.ask("GET", f"{path}/erasures/{receipt['id']}").body
    assert two.ask("POST", f"{path}/erasures", asked).body == receipt, "the same again is the same"
    assert one.ask("GET", f"{path}/erasures/{receipt['id']}").body["messages"] == receipt["messages"] == 1
    assert one.ask("POST", f"{path}/erasures", asked | {"message_id": "m9"}).status == 404

    for node in (one, two):
        question = {"question": "Where does Jorun live?", "asked_at": "2032-01-01T00:00:00Z"}
        shown = [
            line.entries(node, space), line.entries(node, space, before), line.told(node, "quill"),
            node.ask("POST", f"{path}/query", question).body, node.ask("GET", f"{path}/edges").body,
        ]  # fmt: skip
        assert WORD not in str(shown)
        assert "Lecce" in str(shown)
    late = start_on(line, "late", started)
    line.stores["late"] = line.directory / "late/node/g1"
    for store in line.stores.values():
        until(lambda store=store: not kept(store, WORD), f"{store} keeps it")
    assert WORD not in str(line.entries(late, space))

    named = {place for left in receipt["remains"] for place in places_in(left)}
    held = {
        (topic, m.partition(), m.offset())
        for topic in TOPICS for m in read_all(line.bootstrap, line.prefix, topic) if WORD.encode() in (m.value() or b"")
    }  # fmt: skip
    assert {topic for topic, _, _ in held} >= {"messages", "sessions", "events"}
    assert held <= named
    kafka = [left for left in receipt["remains"] if left["where"].startswith("Kafka") and "partition" in left["where"]]
    assert all(left["until"] is None for left in kafka), "our topics keep for ever"
    assert any("kafka-delete-records" in left["why"] for left in kafka)
    assert {"steps-sessionize", "steps-distil"} <= set(re.findall(r"steps-\w+", str(receipt)))

    again = one.ask("POST", f"{path}/messages", {"messages": [chat[1] | {"content": "I moved to Tarvisio."}]})
    assert again.body["accepted"] == 1, "its id is free"
    assert all("Tarvisio" in str(line.entries(node, space)) for node in (one, two, late))


def start_on(line: Line, name: str, stack: ExitStack) -> NodeProcess:
    """Another node, which reads the log from its beginning."""
    node = NodeProcess(line.directory / name, line.bootstrap, line.prefix)
    stack.callback(node.kill)
    node.wait_ready()
    return node


def places_in(left: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    """Topic, partition and offsets a line of a receipt names."""
    found = re.search(r"topic ([\w-]+), partition (\d+)", left["where"])
    if found is not None:
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", left["what"].partition("offsets ")[2]):
            for offset in range(int(first), int(last or first) + 1):
                yield found[1], int(found[2]), offset


def kept(store: Path, word: str) -> list[str]:
    """Where a store holds a word: rows, and files that are not compressed."""
    families = FAMILIES if store.name == "g1" else TABLES
    database = Database(store / "view", families=families, read_only=True)
    try:
        rows = [f for f in families for key, value in database.everything(f) if word.encode() in key + value]
    finally:
        database.close()
    files = [file for pattern in ("view/*.log", "vectors/**/*") for file in store.glob(pattern) if file.is_file()]
    return rows + [file.name for file in files if word.encode() in file.read_bytes()]


@contextmanager
def opened_view(store: Path) -> Generator[Maintainer]:
    """A view beside the process that maintains it."""
    database = Database(store / "view", families=FAMILIES if store.name == "g1" else TABLES, read_only=True)
    try:
        yield Maintainer(RocksTables(database))
    finally:
        database.close()


def line_checksum(store: Path, space: SpaceKey) -> str:
    """Of one space, as it is stored now."""
    with opened_view(store) as view:
        return checksums(view, [space])[space]


def test_killed_while_it_takes_messages_it_has_lost_none_that_it_answered_for(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    full_kafka.make_topics(prefix)
    answered: list[int] = []
    for kill in range(2):
        node = start(full_kafka, prefix, tmp_path, started)
        node.wait_ready()
        timer = threading.Timer(0.3, node.kill)
        timer.start()
        for n in range(kill * 1_000, kill * 1_000 + 1_000):
            try:
                post(node, said(n, "I keep bees."))
            except OSError:
                break
            answered.append(n)
        timer.join()
    node = start(full_kafka, prefix, tmp_path, started)
    node.wait_ready()
    again = post(node, *(said(n, "I keep bees.") for n in answered))
    assert again["duplicate"] == len(answered) > 0
    records = [decode("messages", m.value() or b"") for m in read_all(full_kafka.bootstrap, prefix, "messages")]
    there = [record.message_id for record in records if isinstance(record, MessagePosted)]
    assert {f"m{n}" for n in answered} <= set(there)
    assert len(there) == len(set(there)), "a message was accepted twice"
    assert len(there) <= len(answered) + 3, "more than what was in flight"


def test_with_the_broker_away_reads_go_on_and_writes_say_when_to_try_again(
    mortal_kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path, started: ExitStack
) -> None:
    made = chat(mortal_kafka.make_topics(prefix))
    Client(mortal_kafka.bootstrap, prefix).publish(made.entries)
    node = start(mortal_kafka, prefix, tmp_path, started)
    node.wait_ready()
    path = f"/v1/spaces/{next(iter(made.checksums)).space}/state?include=all&as_of=2034-01-01T00:00:00Z"
    before = node.ask("GET", path, tenant=TENANT).body
    assert before["entries"]
    mortal_kafka.kill()
    try:
        refused = node.ask("POST", f"{SPACE}/messages", {"messages": [said(1, "I keep bees.")]})
        assert refused.status == 503, refused
        assert refused.body["error"]["code"] == "unavailable"
        assert int(refused.headers["Retry-After"]) > 0
        assert node.ask("GET", path, tenant=TENANT).body == before
        past = node.ask("GET", f"{path}&known_at=2034-01-01T00:00:00Z", tenant=TENANT)
        assert past.body["entries"] == before["entries"], "the past is in the view"
        node.kill()
        node = start(mortal_kafka, prefix, tmp_path, started)
        node.wait_listening()
        assert node.ask("GET", path, tenant=TENANT).body == before, "a node that starts now has its own view"
        assert node.ask("GET", "/readyz").status == 503
        assert node.ask("POST", f"{SPACE}/messages", {"messages": [said(1, "I keep bees.")]}).status == 503
    finally:
        mortal_kafka.start()
    node.wait_ready()
    deadline = time.monotonic() + LONG_S
    while node.ask("POST", f"{SPACE}/messages", {"messages": [said(1, "I keep bees.")]}).status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert post(node, said(1, "I keep bees."))["duplicate"] == 1
    node.stop()
    assert served_checksums(tmp_path, made) == made.checksums


def test_while_a_view_is_rebuilt_and_taken_over_no_query_fails(
    full_kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path, started: ExitStack
) -> None:
    made = chat(full_kafka.make_topics(prefix))
    client = Client(full_kafka.bootstrap, prefix)
    half = len(made.entries) // 2
    client.publish(made.entries[:half])
    node = start(full_kafka, prefix, tmp_path, started)
    node.wait_ready()
    command = [str(ROOT / "stilltrue"), "--store", str(tmp_path), "--json", "rebuild", "--kafka"]
    command += ["--bootstrap", full_kafka.bootstrap, "--prefix", prefix]
    rebuild = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    client.publish(made.entries[half:])
    statuses: list[int] = []
    while rebuild.poll() is None:
        for space in made.checksums:
            statuses.append(node.ask("GET", f"/v1/spaces/{space.space}/state?include=all", tenant=TENANT).status)
    out, err = rebuild.communicate()
    assert rebuild.returncode == 0, (out, err)
    assert '"differing": []' in out
    assert len(statuses) > 10
    assert set(statuses) == {200}
    node.wait_ready()
    for space in made.checksums:
        assert node.ask("GET", f"/v1/spaces/{space.space}/state?include=all", tenant=TENANT).status == 200
    deadline = time.monotonic() + LONG_S
    while (tmp_path / "node" / "g1").exists():
        assert time.monotonic() < deadline, "the former view stays"
        time.sleep(0.1)
    node.stop()
    assert (tmp_path / "node" / "CURRENT").read_text() == "g2"
    assert served_checksums(tmp_path, made) == made.checksums


def test_a_rebuild_finds_a_view_that_is_wrong_and_puts_it_right(
    full_kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path, started: ExitStack
) -> None:
    made = chat(full_kafka.make_topics(prefix))
    Client(full_kafka.bootstrap, prefix).publish(made.entries)
    node = start(full_kafka, prefix, tmp_path, started)
    node.wait_ready()
    node.stop()
    database = Database(tmp_path / "node" / "g1" / "view", families=FAMILIES, read_only=False)
    key = next(database.scan("events", b"", b"\xff" * 64))[0]
    database.write([("events", key, None)], sync=True)
    database.close()
    command = [str(ROOT / "stilltrue"), "--store", str(tmp_path), "rebuild", "--kafka"]
    command += ["--bootstrap", full_kafka.bootstrap, "--prefix", prefix]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "of 5 spaces 1 differ" in done.stdout
    assert served_checksums(tmp_path, made) == made.checksums
