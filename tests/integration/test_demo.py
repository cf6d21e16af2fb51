"""What a newcomer sees: ``make demo`` without the serving."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The demo's output, run in a directory of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DEMO_ONESHOT": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "ops.demo.run"],
        cwd=tmp_path_factory.mktemp("demo"),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def section(shown: str, begin: str) -> str:
    """The lines from one heading to the next empty line."""
    return shown[shown.index(begin) :].split("\n\n", 1)[0]


def test_it_can_be_read_in_a_minute(shown: str) -> None:
    assert 40 <= len(shown.splitlines()) <= 60
    assert max(len(line) for line in shown.splitlines()) <= 140


def test_what_holds_is_what_was_said_last_and_look_alikes_stay(shown: str) -> None:
    holds = section(shown, "WHAT HOLDS")
    for current in ("Bluefin Maps", "Dinant", "Pesto", "dog", "Aarhus", "Zwolle", "contested"):
        assert current in holds
    for former in ("Halden Press", "Namur", "12 March", "27 January", "Odense"):
        assert former not in holds


def test_what_no_longer_holds_names_the_message_that_ended_it(shown: str) -> None:
    former = section(shown, "WHAT NO LONGER HOLDS")
    for old, message in (("Halden Press", "4-1"), ("Namur", "4-6"), ("12 March", "5-1"), ("27 January", "3-1")):
        assert old in former
        assert f"message {message}" in former


def test_a_question_as_of_a_day_is_answered_as_of_that_day(shown: str) -> None:
    then = section(shown, '"Where does Corin work?"')
    assert "Halden Press" in then
    assert "Bluefin" not in then


def test_the_last_question_shows_an_evidence_path(shown: str) -> None:
    now = section(shown, '"Where does Maren live?"')
    assert "Dinant" in now
    assert "updates" in now
