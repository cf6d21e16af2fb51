"""The view worker on a broker: the same view as the embedded system's, whatever dies meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random

import pytest

from schemas.codec import decode, encode
from schemas.dead_letters import DeadLetter
from schemas.deltas import EdgeChanged, EventChanged, Validity
from schemas.ids import SpaceKey
from schemas.messages import MessageRetracted
from streams.log import LogEntry
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Chat, Client, checksums, stored_view
from tests.kit.kafkaread import read_all
from tests.kit.records import SPACE, distilled, event, posted
from tests.kit.viewprocess import ViewProcess
from views.deltas import validity_of
from views.maintain import VIEW_TOPICS, Maintainer
from views.source import Source
from views.state import space_prefix
from views.tables import MemoryTables, Write
from views.worker import Applied, Worker

KILLS = 20


def assert_same_view(store: Path, chat: Chat) -> None:
    """The worker's view is the embedded one, and it has applied exactly the log."""
    view = stored_view(store)
    assert checksums(view, list(chat.checksums)) == chat.checksums
    ends = {(topic, p): 0 for topic in VIEW_TOPICS for p in range(chat.partitions)}
    for entry in chat.entries:
        ends[entry.topic, entry.partition] = entry.offset + 1
    assert {place: view.position(*place) for place in ends} == ends


def assert_deltas_tell_the_view(bootstrap: str, prefix: str, view: Maintainer | Path, chat: Chat) -> None:
    """From nothing to what the view holds, every key has an unbroken chain of deltas, and ends with the view's row.

    After a crash deltas may come again, or others that start from the same committed state; the chain goes on from any
    state the key was in.
    """
    events: dict[tuple[SpaceKey, str], set[Validity | None]] = {}
    ends: dict[tuple[SpaceKey, str], Validity | None] = {}
    edges: dict[tuple[SpaceKey, str], tuple[bool, int | None]] = {}
    for message in read_all(bootstrap, prefix, "deltas"):
        delta = decode("deltas", message.value() or b"")
        match delta:
            case EventChanged(event_id=event_id):
                assert message.key() == f"{delta.key}/{event_id}".encode()
                was = events.setdefault((delta.key, event_id), {None})
                assert delta.old in was, "a delta is missing"
                was.add(delta.new)
                ends[delta.key, event_id] = delta.new
            case EdgeChanged(edge_id=edge_id):
                edges[delta.key, edge_id] = (delta.live, delta.invalid_from)
            case _:
                raise AssertionError(delta)
    view = stored_view(view) if isinstance(view, Path) else view
    for space in chat.checksums:
        prefixed = space_prefix(space)
        rows = {key.removeprefix(prefixed).decode(): state.row for key, state in view.state.events.scan(prefixed)}
        told = {event_id: new for (of, event_id), new in ends.items() if of == space}
        live = {event_id: validity_of(row) for event_id, row in rows.items() if row is not None}
        assert {event_id: new for event_id, new in told.items() if new is not None} == live
        kept = {key.removeprefix(prefixed).decode(): state.row for key, state in view.state.edges.scan(prefixed)}
        live_edges = {edge_id: (True, row.invalid_from) for edge_id, row in kept.items() if row is not None}
        assert {edge_id: end for (of, edge_id), end in edges.items() if of == space and end[0]} == live_edges


def test_an_independent_clients_log_gives_the_embedded_view_and_a_replica_that_writes_nothing(
    kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path
) -> None:
    made = chat(kafka.make_topics(prefix))
    Client(kafka.bootstrap, prefix).publish(made.entries)
    ViewProcess(tmp_path / "replica", kafka.bootstrap, prefix, "--once", "--replica").finished()
    assert_same_view(tmp_path / "replica", made)
    assert read_all(kafka.bootstrap, prefix, "deltas") == []
    done = ViewProcess(tmp_path / "view", kafka.bootstrap, prefix, "--once").finished()
    assert done["records"] == len(made.entries)
    assert done["parked"] == 0
    assert_same_view(tmp_path / "view", made)
    assert_deltas_tell_the_view(kafka.bootstrap, prefix, tmp_path / "view", made)


@contextmanager
def trickling(client: Client, entries: Sequence[LogEntry], *, pieces: int, pause_s: float) -> Iterator[None]:
    """Publish records bit by bit meanwhile; leaves when all are acknowledged, and fails when they could not be."""
    size = max(1, -(-len(entries) // pieces))

    def publish() -> None:
        for start in range(0, len(entries), size):
            client.publish(entries[start : start + size])
            time.sleep(pause_s)

    with ThreadPoolExecutor(1) as pool:
        published = pool.submit(publish)
        yield
        published.result()


def parts(chat: Chat, count: int) -> list[Sequence[LogEntry]]:
    """The chat's records in so many runs."""
    size = -(-len(chat.entries) // count)
    return [chat.entries[start : start + size] for start in range(0, len(chat.entries), size)]


def test_killed_again_and_again_while_records_come_in_the_view_is_the_same(
    kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path
) -> None:
    made = chat(kafka.make_topics(prefix))
    rng = Random(11)
    client = Client(kafka.bootstrap, prefix)
    for kill, entries in enumerate(parts(made, KILLS)):
        worker = ViewProcess(tmp_path, kafka.bootstrap, prefix)
        if kill % 5:  # every fifth dies while it starts
            assert worker.wait_ready()
        with trickling(client, entries, pieces=40, pause_s=0.01):
            worker.kill_after(rng.uniform(0.0, 0.8))
    ViewProcess(tmp_path, kafka.bootstrap, prefix, "--once").finished()
    assert_same_view(tmp_path, made)
    assert_deltas_tell_the_view(kafka.bootstrap, prefix, tmp_path, made)


class DiedBeforeCommitError(Exception):
    """The worker died with its deltas acknowledged and nothing committed."""


class MortalTables(MemoryTables):
    """Dies instead of a commit, when told to; what is noted before deltas are written is one row."""

    deaths = 0

    def commit(self, writes: Iterable[Write]) -> None:
        """Or not."""
        rows = list(writes)
        if self.deaths and len(rows) > 1:
            self.deaths -= 1
            raise DiedBeforeCommitError
        super().commit(rows)


async def test_dead_between_the_brokers_word_and_the_commit_it_tells_the_same_deltas_again(
    kafka: Broker, prefix: str, chat: Callable[[int], Chat]
) -> None:
    made = chat(kafka.make_topics(prefix))
    client = Client(kafka.bootstrap, prefix)
    tables = MortalTables()
    source = Source(bootstrap=kafka.bootstrap, prefix=prefix)
    for entries in parts(made, 4):
        client.publish(entries)
        for deaths in (1, 0):

            def ready(_: int, deaths: int = deaths) -> None:
                tables.deaths = deaths  # the origin is noted by now

            worker = Worker(tables, source, clock=lambda: 0, observe=lambda _: None)
            with pytest.raises(DiedBeforeCommitError) if deaths else nullcontext():
                await worker.run(asyncio.Event(), until_end=True, ready=ready)
    view = Maintainer(tables)
    assert checksums(view, list(made.checksums)) == made.checksums
    keys = [(message.key(), message.value()) for message in read_all(kafka.bootstrap, prefix, "deltas")]
    assert len(set(keys)) < len(keys), "no death came after deltas were written"
    assert_deltas_tell_the_view(kafka.bootstrap, prefix, view, made)


async def test_what_was_told_before_a_death_is_told_to_its_end_whatever_came_meanwhile(
    full_kafka: Broker, prefix: str
) -> None:
    """Folded together with a retraction that came meanwhile, the statement would never have been, and nothing told."""
    full_kafka.make_topics(prefix)
    client, tables = Client(full_kafka.bootstrap, prefix), MortalTables()
    key, source = str(SPACE).encode(), Source(bootstrap=full_kafka.bootstrap, prefix=prefix)
    said = event("e1", said=10)

    batches: list[int] = []

    async def run(deaths: int) -> None:
        def ready(_: int) -> None:
            tables.deaths = deaths

        def observe(applied: Applied) -> None:
            batches.append(applied.records)

        await Worker(tables, source, clock=lambda: 0, observe=observe).run(asyncio.Event(), until_end=True, ready=ready)

    client.put("events", key, encode(distilled(said)))
    client.flush()
    with pytest.raises(DiedBeforeCommitError):
        await run(1)
    about = posted(said.sources[0].conversation_id, said.sources[0].message_id)
    gone = MessageRetracted(
        tenant=SPACE.tenant, space=SPACE.space, conversation_id=about.conversation_id, message_id=about.message_id,
        received_at=0,
    )  # fmt: skip
    client.put("messages", key, encode(about))
    client.put("messages", key, encode(gone))
    client.flush()
    await run(0)
    told = [decode("deltas", message.value() or b"") for message in read_all(full_kafka.bootstrap, prefix, "deltas")]
    assert [one.new is not None for one in told if isinstance(one, EventChanged)] == [True, True, False]
    assert (batches[0], sum(batches)) == (1, 3), "the batch that was told was not repeated as it was"


def test_a_broker_killed_and_started_again_changes_nothing(
    mortal_kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path
) -> None:
    made = chat(mortal_kafka.make_topics(prefix))
    client = Client(mortal_kafka.bootstrap, prefix)
    worker = ViewProcess(tmp_path, mortal_kafka.bootstrap, prefix)
    assert worker.wait_ready()
    for entries in parts(made, 2):
        with trickling(client, entries, pieces=20, pause_s=0.01):
            mortal_kafka.kill()
            mortal_kafka.start()
    assert worker.stop()["records"] > 0
    ViewProcess(tmp_path, mortal_kafka.bootstrap, prefix, "--once").finished()
    assert_same_view(tmp_path, made)
    assert_deltas_tell_the_view(mortal_kafka.bootstrap, prefix, tmp_path, made)


def test_sigterm_ends_the_worker_with_everything_committed(
    kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path
) -> None:
    made = chat(kafka.make_topics(prefix))
    Client(kafka.bootstrap, prefix).publish(made.entries)
    worker = ViewProcess(tmp_path, kafka.bootstrap, prefix)
    assert worker.wait_ready()
    first = worker.stop()["records"]
    rest = ViewProcess(tmp_path, kafka.bootstrap, prefix, "--once").finished()["records"]
    assert first + rest == len(made.entries)
    assert_same_view(tmp_path, made)


POISON = [b"\xc1", b"", b"\x81\xa1t\xa4nope", b"\x91" * 3_000 + b"\xc0", "not a record".encode("utf-16")]


def test_poison_on_every_topic_is_parked_once_and_the_view_goes_on(
    kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path
) -> None:
    made = chat(kafka.make_topics(prefix))
    client = Client(kafka.bootstrap, prefix)
    key = str(next(iter(made.checksums))).encode()
    client.publish([entry for entry in made.entries if entry.topic == "messages"])  # others name their offsets
    for topic in VIEW_TOPICS:
        for value in POISON:
            client.put(topic, key, value, headers=[("traceparent", b"00-\xff")])
    client.publish([entry for entry in made.entries if entry.topic != "messages"])
    total = len(VIEW_TOPICS) * len(POISON)
    assert ViewProcess(tmp_path, kafka.bootstrap, prefix, "--once").finished()["parked"] == total
    assert checksums(stored_view(tmp_path), list(made.checksums)) == made.checksums
    assert ViewProcess(tmp_path, kafka.bootstrap, prefix, "--once").finished()["parked"] == 0
    letters: list[DeadLetter] = []
    for message in read_all(kafka.bootstrap, prefix, "dead-letters"):
        if (message.value() or b"") in POISON:
            continue
        letter = decode("dead-letters", message.value() or b"")
        assert isinstance(letter, DeadLetter)
        letters.append(letter)
        headers = dict(message.headers() or [])
        assert headers["traceparent"] == b"00-\xff"
        assert headers["dlq.topic"] == letter.topic.encode()
        assert headers["dlq.offset"] == str(letter.offset).encode()
        assert headers["dlq.key"] == key
    assert len(letters) == total
    assert sorted((le.topic, le.payload) for le in letters) == sorted((t, v) for t in VIEW_TOPICS for v in POISON)


def test_poison_under_keys_that_name_no_space_is_parked_too(kafka: Broker, prefix: str, tmp_path: Path) -> None:
    kafka.make_topics(prefix)
    client = Client(kafka.bootstrap, prefix)
    keys = (None, b"\xff\xfe", b"no slash")
    for key in keys:
        client.put("messages", key, None if key == b"no slash" else b"\xc1")
    client.flush()
    assert ViewProcess(tmp_path, kafka.bootstrap, prefix, "--once").finished()["parked"] == len(keys)
    letters = read_all(kafka.bootstrap, prefix, "dead-letters")
    assert all(letter.headers() is not None for letter in letters)
    told = [dict(letter.headers() or []).get("dlq.key") for letter in letters]
    assert sorted(told, key=str) == sorted(keys, key=str)
