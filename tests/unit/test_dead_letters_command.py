"""``dead-letters`` on the log in a store."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from ops.cli.__main__ import main
from ops.cli.world import World
from schemas.codec import encode
from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.messages import MessageRetracted
from streams.log.rocks import RocksLog

NOW = 1_900_000_000_000_000
MILL, BARN = SpaceKey("default", "mill"), SpaceKey("default", "barn")
GOOD = MessageRetracted(tenant="default", space="mill", conversation_id="c", message_id="m1", received_at=NOW)


def letter(offset: int, payload: bytes, space: SpaceKey = MILL, stage: str = "sessionize", **more: Any) -> DeadLetter:
    plain = DeadLetter(
        tenant=space.tenant, space=space.space, stage=stage, topic="messages", partition=0, offset=offset,
        error="message_id: 'm1' was never posted\nTraceback of it", payload=payload, conversation_id="c",
        message_id="m1", parked_at=NOW + offset,
    )  # fmt: skip
    return msgspec.structs.replace(plain, **more)


class Idle:
    """A system whose stages park what they are told to, once something was appended."""

    def __init__(self, parks: Callable[[], None]) -> None:
        self.parks = parks

    def flush(self) -> None:
        """Reads what is waiting."""
        self.parks()

    def close(self) -> None:
        """Nothing to let go of."""


class Operator:
    """Runs the command on a store of its own."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.parks: Callable[[], None] = lambda: None

    def log(self, *, read_only: bool = False) -> RocksLog:
        return RocksLog(self.store / "log", read_only=read_only)

    def write(self, *letters: DeadLetter) -> None:
        log = self.log()
        with log.batch() as batch:
            for one in letters:
                batch.append("dead-letters", one.key, encode(one), NOW)
        log.close()

    def run(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()

        def open_system(*_: object, **__: object) -> Idle:
            return Idle(self.parks)

        world = World(open_system=cast(Any, open_system), now=lambda: NOW + 1_000_000, out=out, err=err)
        code = main(["--store", str(self.store), "dead-letters", *arguments], world)
        return code, out.getvalue(), err.getvalue()

    def messages(self) -> list[bytes]:
        log = self.log(read_only=True)
        try:
            return [raw.value for raw in log.read("messages", 0, 0, 100)]
        finally:
            log.close()


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    made = Operator(tmp_path)
    made.write(letter(3, encode(GOOD)), letter(5, b"\xc1", BARN), letter(5, b"\xc1", BARN, stage="view"))
    made.write(letter(3, encode(GOOD)))  # a crash left it twice
    return made


def test_a_list_has_a_line_for_each_beside_a_running_writer(operator: Operator) -> None:
    writer = operator.log()
    code, out, _ = operator.run("list")
    writer.close()
    lines = out.splitlines()
    assert code == 0
    assert [line.split()[:2] for line in lines[:-1]] == [
        ["1", "sessionize:messages/0/3"], ["2", "sessionize:messages/0/5"], ["3", "view:messages/0/5"],
    ]  # fmt: skip
    assert "default/mill  c/m1  message_id: 'm1' was never posted  (lies there 2 times)" in lines[0]
    assert "Traceback" not in out
    assert lines[-1] == "3 parked, of which 0 were re-driven since"


def test_a_list_can_be_of_a_space_a_stage_or_a_topic(operator: Operator) -> None:
    def ids(*arguments: str) -> list[str]:
        return [one["id"] for one in json.loads(operator.run("list", "--json", *arguments)[1])["letters"]]

    assert ids("mill") == ["sessionize:messages/0/3"]
    assert ids("--stage", "view") == ["view:messages/0/5"]
    assert ids("--topic", "sessions") == []


def test_one_letter_is_shown_whole_and_its_bytes_are_saved(operator: Operator, tmp_path: Path) -> None:
    _, out, _ = operator.run("list", "--show", "messages/0/3", "--bytes", str(tmp_path / "saved"))
    assert "Traceback of it" in out
    assert '"message_retracted"' in out
    assert (tmp_path / "saved").read_bytes() == encode(GOOD)
    assert r"b'\xc1'" in operator.run("list", "--show", "3")[1]
    assert operator.run("list", "--show", "9")[0] == 2
    assert "--show" in operator.run("list", "--bytes", "x")[2]


def test_nothing_is_redriven_unless_it_is_named(operator: Operator) -> None:
    assert operator.run("redrive")[0] == 2
    assert "no such letter: 'messages/0/9'" in operator.run("redrive", "messages/0/9")[2]
    assert operator.run("redrive", "--all", "--dry-run")[1].splitlines() == [
        "would re-drive messages/0/3", "would re-drive messages/0/5",
    ]  # fmt: skip
    assert operator.messages() == []


def test_a_redrive_appends_each_record_once_and_says_so(operator: Operator) -> None:
    assert operator.run("redrive", "--all") == (
        0, "re-driven messages/0/3 as messages/0/0\nre-driven messages/0/5 as messages/0/1\n", "",
    )  # fmt: skip
    assert operator.messages() == [encode(GOOD), b"\xc1"]
    code, out, _ = operator.run("redrive", "--all")
    assert code == 0
    assert out.splitlines()[0] == "left messages/0/3: re-driven already, as 0/0; --again"
    assert len(operator.messages()) == 2
    listed = json.loads(operator.run("list", "--json")[1])["letters"]
    assert [[note["as"] for note in one["redriven"]] for one in listed] == [
        ["messages/0/0"], ["messages/0/1"], ["messages/0/1"],
    ]  # fmt: skip
    assert "re-driven" in operator.run("list")[1]
    assert operator.run("redrive", "messages/0/5", "--again")[1] == "re-driven messages/0/5 as messages/0/2\n"


def test_what_is_parked_again_is_told(operator: Operator) -> None:
    operator.parks = lambda: operator.write(letter(0, encode(GOOD)))
    code, out, _ = operator.run("redrive", "messages/0/3")
    assert code == 1
    assert out.splitlines()[1].startswith("parked again sessionize:messages/0/0 ")


def test_a_repaired_record_is_taken_for_one_letter_only(operator: Operator, tmp_path: Path) -> None:
    fixed = tmp_path / "fixed.json"
    fixed.write_bytes(msgspec.json.encode(msgspec.structs.replace(GOOD, space="barn")))
    assert operator.run("redrive", "--all", "--from", str(fixed))[0] == 2
    assert operator.run("redrive", "messages/0/5", "--from", str(tmp_path / "none"))[0] == 2
    broken = tmp_path / "broken"
    broken.write_bytes(b"{}")
    code, out, _ = operator.run("redrive", "messages/0/5", "--from", str(broken))
    assert code == 1
    assert out.startswith("not re-driven messages/0/5: what was given is no record of messages either")
    assert operator.run("redrive", "messages/0/5", "--from", str(fixed))[0] == 0
    assert operator.messages() == [encode(msgspec.structs.replace(GOOD, space="barn"))]


def test_a_record_too_large_to_be_carried_is_told_and_left(operator: Operator, tmp_path: Path) -> None:
    operator.write(letter(7, b"", left_bytes=9_000_000))
    assert "9000.0 kB" in operator.run("list")[1]
    code, out, _ = operator.run("redrive", "messages/0/7")
    assert code == 1
    assert "give smaller ones with --from FILE" in out
    assert operator.run("list", "--show", "messages/0/7", "--bytes", str(tmp_path / "x"))[0] == 2


def test_a_store_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert Operator(tmp_path / "none").run("list")[0] == 3
