"""The command line as a whole: every command is explained, and the same thing has the same name everywhere."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from ops.cli.__main__ import build_parser, main
from ops.evaluate.ablations import ABLATIONS
from ops.evaluate.suites import Suite

ROOT = Path(__file__).resolve().parents[2]


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command and action with its parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, made in action.choices.items():
                yield f"{name} {word}".strip(), made
                yield from commands(made, f"{name} {word}".strip())


COMMANDS = dict(commands(build_parser()))
PLAIN = [name for name in COMMANDS if name.split()[0] not in {"bench", "evaluate"}]
"""All but those that measure, which use no store of the user, and whose ``--json`` takes a file."""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_the_command_does_and_what_each_argument_means(name: str) -> None:
    parser = COMMANDS[name]
    assert parser.description
    assert parser.description[0].isupper()
    told = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    assert [action.dest for action in told if not action.help] == []
    assert "exit codes" in parser.format_help()


@pytest.mark.parametrize("name", PLAIN)
def test_what_every_command_takes_is_taken_after_its_name_too(name: str) -> None:
    taken = {option for action in COMMANDS[name]._actions for option in action.option_strings}
    assert taken >= {"--store", "--tenant", "--config", "--zone", "--json"}


def test_one_option_has_one_kind_of_value() -> None:
    kinds: dict[str, set[object]] = {}
    for name in PLAIN:
        for action in COMMANDS[name]._actions:
            for option in action.option_strings if action.choices is None else ():
                kinds.setdefault(option, set()).add(action.metavar)
    differing = {option: found for option, found in kinds.items() if len(found) > 1}
    assert differing == {"--conversation": {"ID", "N"}}, "import counts the conversations of a file"


def test_an_option_is_written_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["state", "pond", "--known", "2031-01-01"])
    assert left.value.code == 2
    assert "--known" in capsys.readouterr().err


def test_every_suite_and_every_ablation_is_named() -> None:
    told = COMMANDS["evaluate"].format_help()
    assert [name for name in (*get_args(Suite), *ABLATIONS) if name not in told] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["worker", "--session", "long"], "--session: not a number: 'long'"),
        (["worker", "--session", "nan"], "--session: must be 1 to 60"),
        (["state", "pond", "--zone", "Mars"], "--zone: no such time zone: 'Mars'"),
        (["view", "--metrics", "here"], "--metrics: not HOST:PORT: 'here'"),
        (["evaluate", "pairs", "--data", ".", "--samples", "all"], "--samples: not numbers: 'all'"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("page", ["README.md", "ops/runbook.md", "ops/evaluate/README.md"])
def test_a_page_shows_commands_with_options_they_have(page: str) -> None:
    shown = re.findall(r"\./stilltrue ([^`\n]+)", (ROOT / page).read_text("utf-8"))
    assert shown
    for line in shown:
        words = line.split("#")[0].split()
        taken = {option for action in build_parser()._actions for option in action.option_strings}
        for size in (1, 2):
            if (parser := COMMANDS.get(" ".join(words[:size]))) is not None:
                taken |= {option for action in parser._actions for option in action.option_strings}
        given = {word.split("=")[0].rstrip(".,;:)") for word in words if re.match(r"--[a-z]", word)}
        assert given <= taken, line
