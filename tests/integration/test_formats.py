"""Stores of former releases: what is still read is read, what is not is refused, and the command that is named helps.

``tests/golden/stores`` holds the rows of small stores, written by the releases they are called after, as hex.
"""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import msgspec
import pytest

from ops.cli.__main__ import main
from ops.cli.world import World
from ops.opening import open_parts, open_system
from ops.refold import refold
from ops.runtime import Embedded
from ops.settings import Settings
from schemas.ids import SpaceKey
from streams.log.database import Database
from streams.log.errors import BadStoreError
from streams.log.rocks import RocksLog
from tests.kit.encoders import HashingEncoder
from views.vectors.memory import MemoryIndex
from views.vectors.points import INDEX_FORMAT

STORES = Path(__file__).resolve().parents[1] / "golden" / "stores"
FIRST = "first-release"
"""Log 1, stages 1, view 1."""


def unpacked(name: str, store: Path) -> str:
    """The store on disk; returns the checksum its release found."""
    rows = json.loads((STORES / f"{name}.json").read_text("utf-8"))
    for part in ("log", "view"):
        database = Database(store / part, families=tuple(rows[part]), read_only=False)
        changes = [
            (family, bytes.fromhex(key), bytes.fromhex(value))
            for family, pairs in rows[part].items()
            for key, value in pairs.items()
        ]
        database.write([*changes], sync=True)
        database.close()
    return rows["checksum"]


class Terminal:
    """The commands on a store, as a user runs them. Those used here need no model."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self.out = self.err = ""

    def run(self, *arguments: str) -> int:
        out, err = io.StringIO(), io.StringIO()
        world = World(open_system=open_system, now=lambda: 2_000_000_000_000_000, out=out, err=err)
        code = main(["--store", str(self._store), *arguments], world)
        self.out, self.err = out.getvalue(), err.getvalue()
        return code


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    unpacked(FIRST, tmp_path / "store")
    return Terminal(tmp_path / "store")


def files(store: Path) -> dict[str, bytes]:
    return {str(f.relative_to(store)): f.read_bytes() for f in store.rglob("*") if f.suffix in {".sst", ".log"}}


@pytest.mark.parametrize("command", ["state", "verify", "status"])
def test_a_view_of_a_former_layout_is_refused_untouched(terminal: Terminal, tmp_path: Path, command: str) -> None:
    before = files(tmp_path / "store")
    assert terminal.run(command, "ilse") == 3
    assert "is a view of layout 1, this release reads layout" in terminal.err
    assert f"run ./stilltrue rebuild --store {tmp_path / 'store'}" in terminal.err
    assert files(tmp_path / "store") == before


def test_the_command_that_is_named_makes_it_anew_from_the_log_of_the_first_release(terminal: Terminal) -> None:
    assert terminal.run("state", "ilse") == 3
    assert terminal.run("rebuild") == 0
    assert terminal.run("verify", "ilse") == 0
    assert terminal.run("state", "ilse", "--all") == 0
    assert "I moved to Bergen last week" in terminal.out
    assert "I work at the mill" in terminal.out
    assert terminal.run("status", "ilse") == 0
    assert "accepted                     3" in terminal.out


def test_the_stages_go_on_from_the_rows_of_the_first_release(terminal: Terminal, tmp_path: Path) -> None:
    """Their rows cannot be made anew: a release that reads them otherwise must refuse them by number."""
    assert terminal.run("rebuild") == 0
    encoder, index = HashingEncoder(16), MemoryIndex(16)
    parts = open_parts(tmp_path / "store", Settings(), writer=True)
    parts = msgspec.structs.replace(parts, encoder=lambda: encoder, index=lambda _: index)
    system, space = Embedded(parts, Settings()), SpaceKey("default", "ilse")
    message = {
        "message_id": "m3", "conversation_id": "c", "speaker": "Ilse", "content": "I moved to Turku yesterday.",
        "sent_at": "2031-01-20T10:00:00Z",
    }  # fmt: skip
    system.post(space, [json.dumps(message).encode()])
    system.flush()
    verified = system.verify(space)
    assert verified.equal
    assert verified.edges > 3, "the new statement is linked with those of the former release"
    system.close()
    terminal.run("state", "ilse")
    assert "Turku" in terminal.out
    assert "Bergen" not in terminal.out


def test_a_store_of_other_stages_is_refused_with_what_to_do(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.run("rebuild") == 0
    log = RocksLog(tmp_path / "store" / "log")
    with log.batch() as batch:
        batch.put("formats", b"stages", b"99")
    log.close()
    for command in (("state", "ilse"), ("rebuild", "ilse")):
        assert terminal.run(*command) == 3
        assert (
            "the stages' state in this store has format 99, this release reads format 1: use the release"
            in terminal.err
        )


def test_a_damaged_or_lost_view_is_made_anew_by_the_same_command(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.run("rebuild") == 0
    terminal.run("state", "ilse")
    shown = terminal.out
    for spoil in (
        lambda: shutil.rmtree(tmp_path / "store" / "view"),
        lambda: (tmp_path / "store" / "view" / "CURRENT").write_text("?"),
    ):
        spoil()
        assert terminal.run("state", "ilse") == 3
        assert terminal.run("rebuild") == 0
        assert terminal.run("state", "ilse") == 0
        assert terminal.out == shown


def test_an_index_of_another_format_names_the_command_that_makes_it_anew(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.run("rebuild") == 0
    store, encoder = tmp_path / "store", HashingEncoder(16)
    (store / "vectors").mkdir()
    (store / "vectors" / "index.json").write_text(json.dumps({"format": 0, "encoder": encoder.name, "dimension": 16}))
    parts = open_parts(store, Settings(), writer=True)
    with pytest.raises(BadStoreError, match=r"run \./stilltrue rebuild --vectors --store"):
        parts.index(encoder)
    parts.tables.close()
    parts.log.close()
    refold(store, Settings(), vectors=True, now=lambda: 0)
    parts = open_parts(store, Settings(), writer=True)
    system = Embedded(msgspec.structs.replace(parts, encoder=lambda: encoder), Settings())
    system.run()
    system.close()
    assert json.loads((store / "vectors" / "index.json").read_text())["format"] == INDEX_FORMAT


def test_a_rebuild_needs_a_log(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "nothing")
    assert terminal.run("rebuild") == 3
    assert "no store in" in terminal.err
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("kept", [("node",), ("stages", "group"), ("view",), ("node", "view", "stages")])
@pytest.mark.parametrize("command", ["verify", "state", "status", "import"])
def test_a_directory_of_processes_on_kafka_is_no_store_and_says_so(
    tmp_path: Path, kept: tuple[str, ...], command: str
) -> None:
    """Nothing is begun beside it, either."""
    for name in kept:
        (tmp_path / "store" / name).mkdir(parents=True)
    file = tmp_path / "chat.jsonl"
    file.write_text("")
    terminal = Terminal(tmp_path / "store")
    assert terminal.run(*(("import", str(file), "--space", "x") if command == "import" else (command, "x"))) == 3
    assert "Kafka" in terminal.err
    assert "--url" in terminal.err
    assert sorted(path.name for path in (tmp_path / "store").iterdir()) == sorted(kept)
