"""What a command works on cannot be had: one line that says what, and one exit code for all of it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from ops.cli.__main__ import main

AWAY = 3

ON_A_BROKER = [
    ("topics", "check"),
    ("topics", "create"),
    ("worker",),
    ("view", "--once"),
    ("serve", "--kafka", "--port", "0"),
    ("rebuild", "--kafka"),
    ("dead-letters", "list"),
    ("dead-letters", "redrive", "--all"),
]

ON_A_SERVICE = [
    ("state", "pier"),
    ("ask", "pier", "Where does Ilse live?"),
    ("edit", "pier", "m1", "I live in Lecce."),
    ("producer", "list", "pier"),
    ("erase", "pier", "--yes"),
]


@pytest.fixture(scope="module")
def nobody() -> str:
    """An address of this machine where nobody answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def told(arguments: tuple[str, ...], store: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["--store", str(store), *arguments])
    said = capsys.readouterr()
    assert said.out == ""
    return code, said.err


@pytest.mark.parametrize("command", ON_A_BROKER, ids=" ".join)
def test_no_broker(command: tuple[str, ...], nobody: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = told((*command, "--bootstrap", nobody), tmp_path, capsys)
    assert (code, said.count("\n")) == (AWAY, 1), said
    assert nobody in said


@pytest.mark.parametrize("command", ON_A_SERVICE, ids=" ".join)
def test_no_service(command: tuple[str, ...], nobody: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = told((*command, "--url", f"http://{nobody}"), tmp_path, capsys)
    assert (code, said.count("\n")) == (AWAY, 1), said
    assert nobody in said


@pytest.mark.parametrize("command", [("state", "pier"), ("backup", "kept"), ("restore", "kept")], ids=" ".join)
def test_no_store_or_backup(command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = told(tuple(word.replace("kept", str(tmp_path / "kept")) for word in command), tmp_path / "s", capsys)
    assert (code, said.count("\n")) == (AWAY, 1), said
