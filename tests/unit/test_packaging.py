"""The project as it is handed over: pins, names, and the launcher."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from ops.cli.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("schemas", "streams", "views", "query", "ops")


def test_the_wheel_would_hold_no_code() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    assert setuptools == {"packages": [], "py-modules": []}


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("requirements*.txt")))
def test_every_requirement_has_an_exact_pin_and_no_hash(name: str) -> None:
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text("utf-8").splitlines()]
    pins = [line for line in lines if line and not re.fullmatch(r"-r requirements-[a-z]+\.txt", line)]
    assert pins
    assert [pin for pin in pins if not re.fullmatch(r"[a-z0-9_-]+==[0-9][0-9a-z.!]*", pin)] == []


def test_no_package_of_ours_has_a_name_that_is_taken() -> None:
    assert [name for name in PACKAGES if name in sys.stdlib_module_names] == []
    installed = packages_distributions()
    assert [name for name in PACKAGES if name in installed] == []


def test_the_sample_conversation_fits_the_wire_format() -> None:
    import msgspec

    from schemas.times import parse_time
    from schemas.wire import MessageIn

    lines = (ROOT / "ops/demo/conversation.jsonl").read_bytes().splitlines()
    messages = [msgspec.json.decode(line, type=MessageIn) for line in lines]
    assert len({message.message_id for message in messages}) == len(messages) == 60
    assert len({message.speaker for message in messages}) == 2
    sent = [parse_time(message.sent_at)[0] for message in messages]
    assert sent == sorted(sent)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A tree with the launcher and a stand-in for the environment's Python, which shows how it was called."""
    root = tmp_path / "a tree"
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$PWD|$PYTHONPATH|$*"\n', "utf-8")
    python.chmod(0o755)
    shutil.copy(ROOT / "stilltrue", root / "stilltrue")
    return root


def _call(command: list[str], cwd: Path, path: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "PYTHONPATH": "/elsewhere"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_the_launcher_keeps_the_working_directory_and_the_arguments(installed: Path, tmp_path: Path) -> None:
    done = _call([str(installed / "stilltrue"), "state", "my space"], tmp_path)
    assert done.stdout == f"{tmp_path}|{installed}|-P -m ops.cli.start state my space\n"


def test_the_launcher_finds_its_tree_through_links_and_the_path(installed: Path, tmp_path: Path) -> None:
    links = tmp_path / "bin"
    links.mkdir()
    (links / "first").symlink_to("../a tree/stilltrue")
    (links / "second").symlink_to(links / "first")
    expected = f"{tmp_path}|{installed}|-P -m ops.cli.start x\n"
    assert _call([str(links / "second"), "x"], tmp_path).stdout == expected
    assert _call(["second", "x"], tmp_path, path=str(links)).stdout == expected


def test_the_launcher_says_what_to_do_without_an_environment(installed: Path, tmp_path: Path) -> None:
    shutil.rmtree(installed / ".venv")
    done = _call([str(installed / "stilltrue"), "state"], tmp_path)
    assert done.returncode == 2
    assert "run make install" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", "ops/adr/0002-packaging.md"])
def test_documents_name_only_what_exists(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    paths = set(re.findall(r"`((?:schemas|streams|views|query|ops|tests)/[\w./-]*)`", text))
    paths |= set(re.findall(r"pytest (tests/\w+)", text))
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


def test_the_readme_names_only_commands_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    named = set(re.findall(r"^\./stilltrue ([\w-]+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE))
    assert named >= {"import", "state", "history", "ask", "status", "serve", "verify", "rebuild", "topics", "worker"}
    for command in sorted(named):
        with pytest.raises(SystemExit) as left:
            main([command, "--help"])
        assert left.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: stilltrue {command}")


def test_every_decision_is_in_the_index_and_has_every_section() -> None:
    index = (ROOT / "ops/adr/README.md").read_text("utf-8")
    wanted = ("Context", "Decision", "Rejected, and why", "Consequences", "How we would notice we were wrong")
    for record in sorted((ROOT / "ops/adr").glob("[0-9]*.md")):
        text = record.read_text("utf-8")
        number, title = text.splitlines()[0].removeprefix("# ").split(" ", 1)
        assert f"| [{number}]({record.name}) | {title} | " in index
        assert [name for name in wanted if f"\n## {name}" not in text] == [], record.name
