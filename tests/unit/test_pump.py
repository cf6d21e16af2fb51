"""The thread that keeps the processors going while the service answers."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator

import pytest

from ops.cli.pump import Pump


class Counted:
    """Processes until told to stop; ``enough`` is set at the third run."""

    def __init__(self) -> None:
        self.runs = 0
        self.enough = threading.Event()

    def step(self) -> int:
        self.runs += 1
        if self.runs == 3:
            self.enough.set()
        return 1


class Broken:
    def step(self) -> int:
        raise RuntimeError("a bug")


@pytest.fixture
def terminated() -> Generator[threading.Event]:
    """Set when this process is asked to end."""
    asked = threading.Event()
    former = signal.signal(signal.SIGTERM, lambda *_: asked.set())
    yield asked
    signal.signal(signal.SIGTERM, former)


def test_what_is_waiting_is_processed_until_the_end() -> None:
    system = Counted()
    with Pump(system):
        assert system.enough.wait(10)
    at_the_end = system.runs
    assert "processors" not in [thread.name for thread in threading.enumerate()]
    assert system.runs == at_the_end


def test_a_fault_ends_the_service_and_is_raised(terminated: threading.Event) -> None:
    with pytest.raises(RuntimeError, match="a bug"), Pump(Broken()):
        assert terminated.wait(10)
