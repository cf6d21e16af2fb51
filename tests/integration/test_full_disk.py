"""A disk that is nearly full: the vector index says so before the engine would die of it, and nothing is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from ops.opening import open_parts
from ops.runtime import Embedded
from ops.settings import Settings
from schemas.erasure_wire import ErasureIn
from schemas.ids import SpaceKey
from streams.log import BadStoreError
from tests.kit.encoders import HashingEncoder
from views.vectors import edge

SPACE = SpaceKey("default", "ilse")


class Disk:
    """How much of it is free, as the index asks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = 10 * edge.ROOM_BYTES
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=self.free))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def opened(store: Path) -> Embedded:
    parts = open_parts(store, Settings(), writer=True)
    encoder = HashingEncoder(384)
    return Embedded(msgspec.structs.replace(parts, encoder=lambda: encoder), Settings())


def say(system: Embedded, number: int, content: str) -> None:
    message = {
        "message_id": f"m{number}", "conversation_id": "c", "speaker": "Ilse", "content": content,
        "sent_at": f"2031-01-0{number}T10:00:00Z",
    }  # fmt: skip
    assert system.post(SPACE, [json.dumps(message).encode()]).statuses[0].status == "accepted"


def test_an_index_is_not_made_on_a_full_disk_and_is_when_there_is_room(tmp_path: Path, disk: Disk) -> None:
    disk.free = edge.ROOM_BYTES - 1
    system = opened(tmp_path)
    say(system, 1, "I live in Lecce.")
    with pytest.raises(BadStoreError, match=r"vectors cannot be written: 63 MB are free"):
        system.flush()
    disk.free = edge.ROOM_BYTES
    system.flush()
    assert len(system._index.refs(SPACE, "note")) == 1
    system.close()


def test_what_was_taken_in_on_a_full_disk_is_indexed_when_there_is_room(tmp_path: Path, disk: Disk) -> None:
    """By the same process, or the next one."""
    system = opened(tmp_path)
    say(system, 1, "I live in Lecce.")
    system.flush()
    disk.free = 0
    say(system, 2, "I moved to Bari.")
    for _ in range(2):
        with pytest.raises(BadStoreError, match="are needed"):
            system.flush()
    assert system.verify(SPACE).equal
    system.close()
    disk.free = edge.ROOM_BYTES
    again = opened(tmp_path)
    again.flush()
    assert len(again._index.refs(SPACE, "note")) == 2
    assert again.basis(SPACE).waiting == 0
    again.close()


def test_an_erasure_on_a_full_disk_is_finished_when_there_is_room(tmp_path: Path, disk: Disk) -> None:
    system = opened(tmp_path)
    say(system, 1, "I live in Lecce.")
    say(system, 2, "I moved to Quillmark.")
    system.flush()
    disk.free = 0
    wanted = ErasureIn(scope="message", conversation_id="c", message_id="m2")
    with pytest.raises(BadStoreError):
        system.erase(SPACE, wanted)
    disk.free = edge.ROOM_BYTES
    assert system.erase(SPACE, wanted).finished_at is not None
    assert len(system._index.refs(SPACE, "note")) == 1
    system.close()
