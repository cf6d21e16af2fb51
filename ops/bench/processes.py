"""The processes a benchmark starts: a broker where none is given, workers, the view. All are gone at the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LONG_S = 300.0
POLL_S = 0.02


class BenchError(RuntimeError):
    """A process did not do what it should; the message holds what it said."""


class Started:
    """A ``./stilltrue`` command that runs. What it says, as JSON lines, goes to files in its store."""

    def __init__(self, store: Path, command: str, *options: str) -> None:
        store.mkdir(parents=True, exist_ok=True)
        self._out, self._err = store / f"{command}.out", store / f"{command}.err"
        self._begun = time.perf_counter()
        arguments = [str(ROOT / "stilltrue"), "--store", str(store), "--json", command, *options]
        with self._out.open("w") as out, self._err.open("w") as err:
            self._process = subprocess.Popen(arguments, stdout=out, stderr=err)

    def wait_for(self, word: str) -> Any:
        """What stands under that word in the first line that has it; waits until it is said."""
        until(lambda: any(word in line for line in self._said()), f"it never said {word!r}")
        return next(line[word] for line in self._said() if word in line)

    def seconds(self) -> float:
        """Since it was started."""
        return time.perf_counter() - self._begun

    def cpu_s(self) -> float:
        """Processor time it took so far, seconds; 0 where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait(timeout=LONG_S)

    def stop(self) -> Mapping[str, Any]:
        """SIGTERM; the totals it says at the end."""
        self._process.send_signal(signal.SIGTERM)
        return self.finished()

    def finished(self) -> Mapping[str, Any]:
        """Wait for its end; the totals it says."""
        if self._process.wait(timeout=LONG_S) != 0:
            raise BenchError(self._err.read_text())
        return self._said()[-1]

    def _said(self) -> Sequence[Mapping[str, Any]]:
        if self._process.poll() not in {None, 0}:
            raise BenchError(self._err.read_text())
        said = self._out.read_text()
        return [json.loads(line) for line in said[: said.rfind("\n") + 1].splitlines()]


class Cluster:
    """Topics of our own on a broker, and what is started on them.

    Args:
        bootstrap: the broker.
        directory: for the stores, in a folder of their own.
    """

    def __init__(self, bootstrap: str, directory: Path) -> None:
        self.bootstrap = bootstrap
        self.prefix = f"bench{uuid.uuid4().hex[:10]}."
        self._directory = directory / self.prefix
        self._started: list[Started] = []
        self.run("topics", "create")

    def run(self, *command: str) -> None:
        """A command that ends by itself."""
        arguments = [str(ROOT / "stilltrue"), *command, "--bootstrap", self.bootstrap, "--prefix", self.prefix]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=LONG_S)
        if done.returncode != 0:
            raise BenchError(done.stdout + done.stderr)

    def start(self, store: str, command: str, *options: str) -> Started:
        """A command that goes on."""
        places = ("--bootstrap", self.bootstrap, "--prefix", self.prefix)
        started = Started(self._directory / store, command, *places, *options)
        self._started.append(started)
        return started

    def kill(self) -> None:
        """Everything that still runs."""
        for started in self._started:
            started.kill()


@contextmanager
def a_broker(bootstrap: str | None) -> Generator[str]:
    """The address of the given broker, or of an Apache Kafka of our own, as the tests start it.

    Raises:
        BenchError: this is no checkout with the tests and their requirements.
    """
    if bootstrap is not None:
        yield bootstrap
        return
    sys.path.append(str(ROOT))
    try:
        from tests.kit.brokers import NoBrokerError
        from tests.kit.kafka import broker
    except ImportError as error:
        raise BenchError(f"without --bootstrap the tests' broker is started: {error}") from error
    try:
        with broker() as running:
            yield running.bootstrap
    except NoBrokerError as error:
        raise BenchError(str(error)) from error


def until(done: Callable[[], bool], what: str) -> None:
    """Look again and again. Raises ``BenchError`` with ``what`` after ``LONG_S``."""
    deadline = time.monotonic() + LONG_S
    while not done():
        if time.monotonic() > deadline:
            raise BenchError(what)
        time.sleep(POLL_S)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
