"""Embed workers on a broker fill a server's index; one is killed and another takes over, the server goes away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ops.model import load_encoder
from schemas.ids import SpaceKey
from schemas.parking import decoded
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Chat, Client, make_chat
from tests.kit.qdrant import QdrantDouble, qdrant_double
from tests.kit.workerprocess import WorkerProcess
from views.embed import Embed
from views.encoder.protocol import Encoder
from views.encoder.resolve import ModelUnavailableError
from views.maintain import Maintainer
from views.snapshot import read_space
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex
from views.vectors.protocol import PointKind, VectorIndex
from views.vectors.server import Server, connect

KINDS: tuple[PointKind, ...] = ("note", "event")
Contents = dict[tuple[SpaceKey, PointKind, str], bytes]


def contents(index: VectorIndex, spaces: list[SpaceKey]) -> Contents:
    """Every point with its dense vector."""
    found: Contents = {}
    for space in spaces:
        for kind in KINDS:
            vectors = index.dense_vectors(space, kind, index.refs(space, kind))
            found |= {(space, kind, ref): vector.tobytes() for ref, vector in vectors.items()}
    return found


def defined(chat: Chat, encoder: Encoder) -> Contents:
    """What the view of these records says."""
    index, view = MemoryIndex(encoder.dimension), Maintainer(MemoryTables())
    for entry in chat.entries:
        view.fold_anywhere(decoded(entry))
    for space in chat.checksums:
        cut = read_space(view, space)
        keys = {record.message for e in chat.entries if e.topic == "messages" and (record := decoded(e).record)}
        notes = {key: cut.message(key) for key in keys}
        Embed(index, encoder).sync(space, notes, {i: row.event for i, row in cut.view.events.items()})
    return contents(index, list(chat.checksums))


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with qdrant_double() as server:
        yield server


@pytest.fixture
def started() -> Iterator[ExitStack]:
    """Ends processes that a failed test leaves behind."""
    with ExitStack() as stack:
        yield stack


def test_workers_that_die_and_a_server_that_goes_away_leave_the_index_right(
    full_kafka: Broker,
    prefix: str,
    tmp_path: Path,
    double: QdrantDouble,
    started: ExitStack,
) -> None:
    try:
        encoder = load_encoder()
    except ModelUnavailableError as error:
        pytest.skip(str(error))
    made = make_chat(7, spaces=6, messages=16, partitions=full_kafka.make_topics(prefix))
    client = Client(full_kafka.bootstrap, prefix)

    def worker(name: str) -> WorkerProcess:
        options = ("--stages", "embed", "--qdrant", double.url)
        process = WorkerProcess(tmp_path / name, full_kafka.bootstrap, prefix, *options)
        started.callback(process.process.kill)
        return process

    def until(reached: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + 180
        while not reached():
            assert time.monotonic() < deadline, what
            time.sleep(0.1)

    half = len(made.entries) // 2
    first, second = worker("first"), worker("second")
    until(lambda: first.running and second.running, "no partitions were assigned")
    client.publish(made.entries[:half])
    until(lambda: len(double.sent("PUT", "/points")) > 2, "nothing was written")
    first.kill()
    double.failing = [503] * 9
    client.publish(made.entries[half:])
    until(lambda: not double.failing, "nobody tried")
    third = worker("third")
    wanted = defined(made, encoder)
    index = connect(Server(url=double.url, prefix=prefix), dimension=encoder.dimension, encoder=encoder.name)
    assert len(wanted) > 100
    until(lambda: contents(index, list(made.checksums)).keys() == wanted.keys(), "the index holds other points")
    assert contents(index, list(made.checksums)) == wanted
    until(lambda: third.running, "it got no partitions")
    assert {*second.stop(), *third.stop()} == {"embed"}
    index.close()
