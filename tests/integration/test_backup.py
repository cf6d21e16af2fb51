"""Backups: made beside a writer, killed, damaged, put back."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from ops.backup.make import make_backup
from ops.backup.manifest import MANIFEST, Manifest
from ops.backup.restore import DamagedBackupError, restore_backup
from ops.backup.staging import TargetError, staged
from ops.opening import open_parts
from ops.refold import refold
from ops.runtime import Embedded
from ops.settings import Settings
from schemas.erasure_wire import ErasureIn
from schemas.ids import SpaceKey
from streams.log.errors import BadStoreError, NoStoreError, StoreError
from tests.kit.encoders import HashingEncoder
from views.vectors.memory import MemoryIndex

ROOT = Path(__file__).resolve().parents[2]
SPACE = SpaceKey("default", "ilse")
NOW = 2_000_000_000_000_000


@contextmanager
def opened(store: Path) -> Iterator[Embedded]:
    """A system on a directory that needs no model."""
    encoder = HashingEncoder(64)
    index = MemoryIndex(64)
    made = open_parts(store, Settings(), writer=True)
    system = Embedded(
        msgspec.structs.replace(made, encoder=lambda: encoder, index=lambda _: index, clock=lambda: NOW), Settings()
    )
    try:
        yield system
    finally:
        system.close()


def say(system: Embedded, *numbers: int) -> None:
    lines = [
        {"message_id": f"m{n}", "conversation_id": "c", "speaker": "Ilse", "content": f"I live at {n} Mole Road.",
         "sent_at": f"2031-01-01T{n // 60 % 24:02}:{n % 60:02}:00Z", "seq": n}
        for n in numbers
    ]  # fmt: skip
    system.post(SPACE, [json.dumps(line).encode() for line in lines])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    made = tmp_path / "store"
    with opened(made) as system:
        say(system, *range(12))
        system.flush()
    (made / "stilltrue.toml").write_text("budget_tokens = 777\n")
    return made


def checksum(store: Path) -> str:
    with opened(store) as system:
        verified = system.verify(SPACE)
    assert verified.equal
    return verified.checksum


def backed_up(store: Path, name: str = "backup") -> Path:
    target = store.parent / name
    make_backup(store, target, now=lambda: NOW)
    return target


def left_beside(place: Path) -> list[str]:
    return sorted(p.name for p in place.parent.iterdir() if p.name.startswith(f".{place.name}"))


def test_what_is_restored_is_the_store_and_goes_on(store: Path, tmp_path: Path) -> None:
    before, restored = checksum(store), tmp_path / "restored"
    manifest = restore_backup(backed_up(store), restored)
    assert manifest.ends["messages/0"] == 12
    assert checksum(restored) == before
    assert (restored / "stilltrue.toml").read_text() == "budget_tokens = 777\n"
    for place in (store, restored):
        with opened(place) as system:
            say(system, 12, 13)
            system.flush()
    assert checksum(restored) == checksum(store) != before


def test_a_backup_beside_a_writer_is_a_moment_of_its_store(store: Path, tmp_path: Path) -> None:
    """Messages taken in and not worked off are in it, and are worked off after a restore."""
    with opened(store) as system:
        say(system, 20, 21)
        system.run()
        say(system, 22)
        target = backed_up(store)
        say(system, 23)
        system.flush()
        whole = system.verify(SPACE).checksum
    restore_backup(target, tmp_path / "restored")
    with opened(tmp_path / "restored") as system:
        assert system.verify(SPACE).equal
        assert system.account(SPACE).accepted == 15
        say(system, 23)
        system.flush()
        assert system.verify(SPACE).checksum == whole


def test_targets_that_hold_something_are_left_alone(store: Path, tmp_path: Path) -> None:
    target = backed_up(store)
    with pytest.raises(TargetError, match="is not empty"):
        make_backup(store, target, now=lambda: NOW)
    with pytest.raises(TargetError, match="is not empty"):
        restore_backup(target, store)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(TargetError):
        make_backup(store, tmp_path / "file", now=lambda: NOW)
    with pytest.raises(TargetError):
        restore_backup(target, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    restore_backup(target, tmp_path / "empty")
    assert checksum(tmp_path / "empty") == checksum(store)


def test_two_at_once_for_one_target_do_not_meet(store: Path, tmp_path: Path) -> None:
    with staged(tmp_path / "backup") as part:
        (part / "theirs").write_text("x")
        with pytest.raises(TargetError, match="another process is making"):
            make_backup(store, tmp_path / "backup", now=lambda: NOW)
        assert (part / "theirs").exists()
    assert (tmp_path / "backup" / "theirs").exists()


def flipped(file: Path, at: int) -> None:
    raw = bytearray(file.read_bytes())
    raw[at % len(raw)] ^= 1
    file.write_bytes(raw)


def test_a_flipped_bit_names_the_file_and_nothing_is_restored(store: Path, tmp_path: Path) -> None:
    whole = backed_up(store)
    manifest = msgspec.json.decode((whole / MANIFEST).read_bytes(), type=Manifest)
    assert len(manifest.files) > 6
    for number, file in enumerate(manifest.files):
        if not file.bytes:
            continue
        damaged, restored = tmp_path / f"damaged{number}", tmp_path / f"restored{number}"
        shutil.copytree(whole, damaged)
        flipped(damaged / file.path, 4_321 * number)
        with pytest.raises(DamagedBackupError, match=file.path.replace(".", r"\.")):
            restore_backup(damaged, restored)
        assert not restored.exists()
        assert left_beside(restored) == []
        shutil.rmtree(damaged)


@pytest.mark.parametrize(
    "what", ["a file is missing", "cut short", "no manifest", "manifest is no JSON", "manifest tells another log"]
)
def test_a_damaged_backup_is_refused(store: Path, tmp_path: Path, what: str) -> None:
    target, restored = backed_up(store), tmp_path / "restored"
    manifest = msgspec.json.decode((target / MANIFEST).read_bytes(), type=Manifest)
    largest = target / max(manifest.files, key=lambda file: file.bytes).path
    match what:
        case "a file is missing":
            largest.unlink()
        case "cut short":
            largest.write_bytes(largest.read_bytes()[:-1])
        case "no manifest":
            (target / MANIFEST).unlink()
        case "manifest is no JSON":
            (target / MANIFEST).write_bytes(b"{")
        case _:
            other = msgspec.structs.replace(manifest, ends={**manifest.ends, "messages/0": 99})
            (target / MANIFEST).write_bytes(msgspec.json.encode(other))
    with pytest.raises(NoStoreError if what == "no manifest" else DamagedBackupError):
        restore_backup(target, restored)
    assert not restored.exists()
    assert left_beside(restored) == []


@pytest.mark.parametrize("field", ["format", "log_format", "stages_format", "view_format"])
def test_a_backup_of_another_format_is_refused_with_what_to_do(store: Path, tmp_path: Path, field: str) -> None:
    target, restored = backed_up(store), tmp_path / "restored"
    manifest = json.loads((target / MANIFEST).read_bytes())
    (target / MANIFEST).write_text(json.dumps(manifest | {field: 99}))
    told = (
        r"restore with --log-only, then run \./stilltrue rebuild"
        if field == "view_format"
        else "the release that made it"
    )
    with pytest.raises(BadStoreError, match=told):
        restore_backup(target, restored)
    assert not restored.exists()
    if field == "view_format":
        restore_backup(target, restored, log_only=True)
        assert not (restored / "view").exists()
        refold(restored, Settings(), vectors=False, now=lambda: NOW)
        assert checksum(restored) == checksum(store)


def test_a_damaged_store_makes_no_backup(store: Path, tmp_path: Path) -> None:
    """Every block is read and its checksum compared, so a backup never carries on what is broken."""
    with opened(store) as system:
        system._log.forget(SPACE, ["stages"])
    largest = max((store / "log").glob("*.sst"), key=lambda file: file.stat().st_size)
    flipped(largest, 700)
    with pytest.raises(StoreError):
        make_backup(store, tmp_path / "backup", now=lambda: NOW)
    assert not (tmp_path / "backup").exists()
    assert left_beside(tmp_path / "backup") == []


def test_nothing_to_back_up_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoStoreError):
        make_backup(tmp_path / "none", tmp_path / "backup", now=lambda: NOW)
    assert sorted(p.name for p in tmp_path.iterdir()) == []


def test_a_receipt_names_the_backups_made_before(store: Path) -> None:
    target = backed_up(store)
    shutil.rmtree(backed_up(store, "moved"))
    with opened(store) as system:
        receipt = system.erase(SPACE, ErasureIn(scope="message", conversation_id="c", message_id="m3"))
    backups = {left.where: left.what for left in receipt.remains if left.where.startswith("backup ")}
    assert set(backups) == {f"backup {target}", f"backup {target.parent / 'moved'}"}
    assert "2033-05-18" in backups[f"backup {target}"]
    assert "moved or deleted" in backups[f"backup {target.parent / 'moved'}"]


MAKE = "from ops.cli.__main__ import main; raise SystemExit(main())"


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_killed_at_any_time_it_leaves_nothing_that_looks_whole(store: Path, tmp_path: Path, command: str) -> None:
    source, before = backed_up(store), checksum(store)
    target = tmp_path / "target"
    if command == "backup":
        line = ["--store", str(store), "backup", str(target)]
    else:
        line = ["--store", str(target), "restore", str(source)]
    killed = 0
    for wait_s in (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6):
        process = subprocess.Popen([sys.executable, "-c", MAKE, *line], cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            process.wait(timeout=wait_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += process.wait(timeout=30) == -signal.SIGKILL
        if target.exists():
            break
    assert killed
    if not target.exists():
        done = subprocess.run(
            [sys.executable, "-c", MAKE, *line], cwd=ROOT, check=False, capture_output=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
    assert left_beside(target) == []
    if command == "backup":
        restore_backup(target, tmp_path / "restored")
        target = tmp_path / "restored"
    assert checksum(target) == before
