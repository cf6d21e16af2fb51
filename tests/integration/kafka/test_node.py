"""The query node on a broker: answers as the embedded system does, takes messages, and survives what may happen."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

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
from streams.log.database import Database
from tests.kit.kafka import ROOT, Broker
from tests.kit.kafkalog import NOW, TENANT, Chat, Client, checksums
from tests.kit.kafkaread import read_all
from tests.kit.nodeprocess import NodeProcess
from tests.kit.workerprocess import WorkerProcess
from views.maintain import Maintainer
from views.reader import Basis
from views.snapshot import Snapshot, read_space
from views.tables import MemoryTables

SPACE = "/v1/spaces/weir"
LONG_S = 120.0


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


def test_what_is_posted_becomes_state_and_edits_and_retractions_follow_from_any_node(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    full_kafka.make_topics(prefix)
    worker = WorkerProcess(tmp_path / "worker", full_kafka.bootstrap, prefix)
    started.callback(worker.kill)
    one = start(full_kafka, prefix, tmp_path / "one", started)
    two = start(full_kafka, prefix, tmp_path / "two", started)
    one.wait_ready()
    two.wait_ready()

    def holds(node: NodeProcess, wait_for: int) -> list[str]:
        deadline = time.monotonic() + LONG_S
        while True:
            reply = node.ask("GET", f"{SPACE}/state?as_of=2032-01-01T00:00:00Z&wait_for={wait_for}")
            if reply.status == 200:
                break
            assert reply.status == 504, reply
            assert time.monotonic() < deadline, "a cold worker on a busy machine takes its time, but not so long"
        assert reply.body["basis"]["messages"] >= wait_for
        return sorted(entry["event"]["text"] for entry in reply.body["entries"])

    first = post(one, said(1, "I live in Lecce."), said(2, "I work at the mill."))
    assert (first["accepted"], first["wait_for"]) == (2, 2)
    assert holds(one, 2) == holds(two, 2) == ["I live in Lecce", "I work at the mill"]
    again = post(one, said(1, "I live in Lecce."), said(2, "I work elsewhere."))
    assert [m["status"] for m in again["messages"]] == ["duplicate", "refused"]
    assert again["messages"][1]["error"]["code"] == "conflict"
    edited = two.ask("PUT", f"{SPACE}/messages/m2", {"conversation_id": "c", "content": "I work at the quay."})
    assert edited.body["wait_for"] == 3
    assert holds(one, 3) == ["I live in Lecce", "I work at the quay"]
    withdrawn = one.ask("DELETE", f"{SPACE}/messages/m2?conversation_id=c")
    assert withdrawn.body["wait_for"] == 4
    assert holds(two, 4) == ["I live in Lecce"]
    assert one.ask("DELETE", f"{SPACE}/messages/m9?conversation_id=c").status == 404
    answer = one.ask(
        "POST", f"{SPACE}/query", {"question": "Where does Jorun live?", "asked_at": "2032-01-01T00:00:00Z"}
    )
    assert "Lecce" in answer.body["answer"]["text"]


def test_an_edit_of_what_another_node_has_just_accepted_finds_it(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    full_kafka.make_topics(prefix)
    one, two = (start(full_kafka, prefix, tmp_path / name, started) for name in ("one", "two"))
    one.wait_ready()
    two.wait_ready()
    for n in range(10):
        post(one, said(n, "I keep bees."))
        edit = two.ask("PUT", f"{SPACE}/messages/m{n}", {"conversation_id": "c", "content": "I keep geese."})
        assert edit.status == 200, edit
    records = [decode("messages", m.value() or b"") for m in read_all(full_kafka.bootstrap, prefix, "messages")]
    assert [type(record) for record in records] == [MessagePosted, MessageEdited] * 10


def test_killed_while_it_takes_messages_it_has_lost_none_that_it_answered_for(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    full_kafka.make_topics(prefix)
    answered: list[int] = []
    for kill in range(3):
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
    assert "of 10 spaces 1 differ" in done.stdout
    assert served_checksums(tmp_path, made) == made.checksums
