"""A session whose links are larger than a record, on a real broker: the embedded view, and nothing parked."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from ops.model import load_encoder
from ops.pipeline import StageRunner
from ops.scoring.lazy import LazyClassifier
from ops.settings import Settings
from ops.viewing import LiveView
from schemas.codec import decode, encode
from schemas.edges import EdgesInferred
from schemas.ids import SpaceKey
from schemas.messages import MessagePosted
from schemas.transport import RECORD_MAX_BYTES
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.link.stage import LinkStage
from streams.log.memory import MemoryLog
from streams.sessions.stage import Sessionize
from tests.integration.kafka.test_workers import until
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Client, checksums, stored_view
from tests.kit.kafkaread import read_all
from tests.kit.viewprocess import ViewProcess
from tests.kit.workerprocess import WorkerProcess
from views.checksum import checksum
from views.encoder.resolve import ModelUnavailableError
from views.tables import MemoryTables

SPACE = SpaceKey("orchard", "row")
LONG = "w" * 250
SAID = "I live in Rome. I live in Oslo. " * 80


def messages(*contents: str) -> list[bytes]:
    """One session that is closed by its last message, with ids as long as they may be."""
    return [
        encode(
            MessagePosted(
                tenant=SPACE.tenant, space=SPACE.space, conversation_id=LONG, message_id=f"{n:03}{LONG}",
                session_id=None, speaker=LONG, speaker_id=None, role="user", content=content,
                sent_at=1_900_000_000_000_000 + n, utc_offset_min=0, tz=None, seq=n,
                received_at=1_900_000_000_000_000 + n, time_assumed=False, ends_session=n == len(contents) - 1,
            )
        )
        for n, content in enumerate(contents)
    ]  # fmt: skip


def embedded(values: list[bytes]) -> str:
    """The checksum of the view that the same stages make without a broker."""
    try:
        encoder = load_encoder()
    except ModelUnavailableError as error:
        pytest.skip(str(error))
    log = MemoryLog(partitions=1)
    stages = (
        Sessionize(),
        DistilStage(OfflineDistiller()),
        LinkStage(LazyClassifier(Settings().model, encoder), encoder),
    )
    runners, view = [StageRunner(log, stage, 64) for stage in stages], LiveView(log, MemoryTables(), 64)
    with log.batch() as batch:
        for value in values:
            batch.append("messages", SPACE, value, 0)
    while sum(runner.step(0) for runner in runners) + view.step(0):
        pass
    return checksum(view.snapshot(SPACE).view)


def test_links_larger_than_a_record_end_in_the_embedded_view(full_kafka: Broker, prefix: str, tmp_path: Path) -> None:
    full_kafka.make_topics(prefix)
    values = messages(SAID, SAID)
    client = Client(full_kafka.bootstrap, prefix)
    for value in values:
        client.put("messages", str(SPACE).encode(), value)
    client.flush()
    with ExitStack() as stack:
        worker = WorkerProcess(tmp_path / "worker", full_kafka.bootstrap, prefix, "--stages", "sessionize,distil,link")
        stack.callback(worker.kill)
        expected = embedded(values)

        def linked() -> bool:
            ViewProcess(tmp_path / "view", full_kafka.bootstrap, prefix, "--once").finished()
            return checksums(stored_view(tmp_path / "view"), [SPACE]) == {SPACE: expected}

        until(linked, "the view is another one")
        did = worker.stop()
    assert all(total["parked"] == 0 for total in did.values())
    found = [decode("edges", message.value() or b"") for message in read_all(full_kafka.bootstrap, prefix, "edges")]
    assert len({one.session_id for one in found if isinstance(one, EdgesInferred)}) > 1
    assert sum(len(encode(one)) for one in found) > RECORD_MAX_BYTES
