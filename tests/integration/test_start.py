"""Ctrl-C from the first moment on: never a traceback, and a shell sees 130."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ops.cli import __main__ as commands

ROOT = Path(__file__).resolve().parents[2]

STRUCK_WHILE_IMPORTING = """
import os, signal, sys

class Struck:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)

wanted, ignored, *sys.argv[1:] = sys.argv[1:]
if ignored == "ignored":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
from ops.cli.start import run
sys.meta_path.insert(0, Struck())
sys.exit(run())
"""


def struck(module: str, *, ignored: bool = False) -> subprocess.CompletedProcess[str]:
    """A command that meets SIGINT while it imports a module."""
    arguments = [module, "ignored" if ignored else "heard", "schemas", "--check"]
    return subprocess.run(
        [sys.executable, "-c", STRUCK_WHILE_IMPORTING, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("module", ["ops.cli.__main__", "argparse", "ops.system", "msgspec", "ops.cli.worker"])
def test_ctrl_c_while_the_commands_load_says_nothing(module: str) -> None:
    done = struck(module)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_while_a_command_runs_is_told() -> None:
    done = struck("ops.export_schemas")
    assert (done.returncode, done.stderr) == (130, "stilltrue: interrupted\n")


def test_a_job_in_the_background_goes_on() -> None:
    assert struck("ops.system", ignored=True).returncode == 0


def test_ctrl_c_while_the_command_line_is_read_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "build_parser", interrupted)
    assert commands.main([]) == 130
    assert capsys.readouterr().err == "stilltrue: interrupted\n"


def test_the_script_starts_it() -> None:
    assert "-m ops.cli.start " in (ROOT / "stilltrue").read_text("utf-8")
