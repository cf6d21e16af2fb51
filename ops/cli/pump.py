"""Keeps the processors going while the service answers: a thread that works off what is waiting."""

from __future__ import annotations

import os
import signal
import threading
from types import TracebackType
from typing import Protocol

IDLE_S = 0.05
"""Pause when nothing was waiting: far below the 2 s of silence that publish an open session, and next to no load."""


GIVE_WAY_S = 0.001
"""Pause after a step that found work: the processors' lock is not fair, and a request may be waiting for it. A step
takes tens of milliseconds, so the pause costs little."""


class Runnable(Protocol):
    """The part of ``ops.system.System`` that processes."""

    def step(self) -> int: ...


class Pump:
    """While entered, calls ``step`` again and again from a thread of its own, so a stop waits for one step and for no
    backlog.

    A fault of a processor is a bug: it ends the process's service with SIGTERM and is raised again on leaving, so that
    nobody is served from a view that has stopped.
    """

    def __init__(self, system: Runnable) -> None:
        self._system = system
        self._stop = threading.Event()
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="processors")

    def __enter__(self) -> Pump:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        if self._fault is not None and error is None:
            raise self._fault

    def _work(self) -> None:
        try:
            while not self._stop.is_set():
                self._stop.wait(IDLE_S if self._system.step() == 0 else GIVE_WAY_S)
        except BaseException as fault:  # noqa: BLE001 - carried to the main thread, which raises it
            self._fault = fault
            os.kill(os.getpid(), signal.SIGTERM)
