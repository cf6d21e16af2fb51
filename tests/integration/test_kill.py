"""kill -9 in the middle of an import, twenty times: going on ends where an undisturbed import ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from datetime import timedelta
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ops.model import load_encoder
from ops.opening import open_parts, open_system
from ops.settings import Settings
from schemas.ids import SpaceKey
from tests.kit.simchat import START, saying
from views.encoder.protocol import Encoder
from views.encoder.resolve import ModelUnavailableError
from views.vectors.protocol import PointKind

ROOT = Path(__file__).resolve().parents[2]
SPACE = SpaceKey("default", "kin")
MESSAGES = 180
KILLS = 10
"""In each of the two imports."""
SETTINGS = "import_batch_messages = 8\nstage_batch_records = 16\n"
"""Small steps: more commits to die between."""

_SHOWN = re.compile(rb"(\d+)/%d " % MESSAGES)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    """The installed model: the command knows no other."""
    try:
        return load_encoder()
    except ModelUnavailableError as error:
        pytest.skip(str(error))


def generated(rng: Random) -> list[str]:
    """A chat of two conversations as JSON lines, in order."""
    at = START
    lines: list[str] = []
    for n in range(MESSAGES):
        at += timedelta(seconds=rng.choice((20, 60, 200, 200, 200, 9_000)))
        message = {
            "message_id": f"m{n}", "conversation_id": rng.choice(("harbour", "attic")), "content": saying(rng),
            "speaker": rng.choice(("Ansgar", "Birte")), "sent_at": at.isoformat(), "seq": n,
        }  # fmt: skip
        lines.append(json.dumps(message))
    return lines


def delayed(lines: list[str], rng: Random) -> list[str]:
    """The same lines, some of them up to thirty places late."""
    place = {n: n + (rng.randint(1, 30) if rng.random() < 0.3 else 0) for n in range(len(lines))}
    return [lines[n] for n in sorted(place, key=lambda n: (place[n], n))]


class Importing:
    """``stilltrue import`` of one file into one store, as often as it takes."""

    def __init__(self, directory: Path, lines: list[str]) -> None:
        self.store = directory / "store"
        self._file = directory / "chat.jsonl"
        self.store.mkdir(parents=True)
        (self.store / "stilltrue.toml").write_text(SETTINGS)
        self._file.write_text("\n".join(lines))

    def _command(self, *arguments: str) -> list[str]:
        return [str(ROOT / "stilltrue"), "--store", str(self.store), *arguments]

    def _import(self, *more: str) -> list[str]:
        return self._command("import", str(self._file), "--space", SPACE.space, "--received-at", "sent_at", *more)

    def complete(self) -> dict[str, int]:
        """Run until it ends; its totals."""
        done = subprocess.run(self._import("--json"), capture_output=True, text=True, check=True, timeout=120)
        return json.loads(done.stdout)

    def killed(self, at_message: int, after_s: float) -> bool:
        """Kill it once so many messages are shown as done; False when it ended before."""
        process = subprocess.Popen(self._import("--progress"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        with process.stderr as progress:
            while said := os.read(progress.fileno(), 65_536):
                shown = [int(number) for number in _SHOWN.findall(said)]
                if shown and max(shown) >= at_message:
                    break
            time.sleep(after_s)
            process.send_signal(signal.SIGKILL)
            return process.wait(timeout=60) == -signal.SIGKILL

    def verified(self) -> dict[str, object]:
        """What ``verify --json`` says."""
        done = subprocess.run(
            self._command("verify", SPACE.space, "--json"), capture_output=True, text=True, check=False, timeout=120
        )
        return json.loads(done.stdout)

    def check_now(self) -> None:
        """Whatever the moment it died: the view is its definition, and every message is somewhere."""
        system = open_system(self.store, Settings(), writer=False)
        try:
            assert system.verify(SPACE).equal
            account = system.account(SPACE)
            places = (account.source_of_event, account.read_yielded_none, account.waiting, account.parked)
            assert sum(places) == account.accepted
        finally:
            system.close()

    def points(self, encoder: Encoder) -> dict[tuple[PointKind, str], np.ndarray]:
        """The dense vector of every point of the index."""
        parts = open_parts(self.store, Settings(), writer=False)
        index = parts.index(encoder)
        try:
            kinds: tuple[PointKind, ...] = ("note", "event")
            return {
                (kind, ref): row
                for kind in kinds
                for ref, row in index.dense_vectors(SPACE, kind, index.refs(SPACE, kind)).items()
            }
        finally:
            index.close()
            parts.tables.close()
            parts.log.close()


@pytest.fixture(scope="module")
def undisturbed(encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Importing:
    """The chat in order, imported in one go."""
    importing = Importing(tmp_path_factory.mktemp("undisturbed"), generated(Random(7)))
    assert importing.complete()["accepted"] == MESSAGES
    return importing


@pytest.mark.parametrize("order", ["in order", "with late messages"])
def test_an_import_that_is_killed_again_and_again_ends_as_if_it_had_not_been(
    order: str, undisturbed: Importing, encoder: Encoder, tmp_path: Path
) -> None:
    rng = Random(order)
    lines = generated(Random(7))
    importing = Importing(tmp_path, lines if order == "in order" else delayed(lines, rng))
    kills = 0
    while kills < KILLS:
        # One that comes too late, after the end, is not counted; the next one meets a file of duplicates.
        kills += importing.killed(kills * MESSAGES // (KILLS - 1), rng.choice((0.0, rng.uniform(0, 0.3))))
        importing.check_now()
    totals = importing.complete()
    assert totals["accepted"] + totals["duplicate"] == MESSAGES
    verified = importing.verified()
    assert verified["equal"]
    assert verified == undisturbed.verified()
    here, there = importing.points(encoder), undisturbed.points(encoder)
    assert here.keys() == there.keys()
    assert all(np.array_equal(here[point], there[point]) for point in here)
    importing.check_now()
    system = open_system(importing.store, Settings(), writer=False)
    account = system.account(SPACE)
    system.close()
    assert (account.accepted, account.waiting, account.parked) == (MESSAGES, 0, 0)
