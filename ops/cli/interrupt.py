"""Ctrl-C that lets the current batch finish."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType


class Interrupt:
    """While entered, the first SIGINT only sets ``asked``; a second one raises ``KeyboardInterrupt`` at once."""

    def __init__(self) -> None:
        self.asked = False
        self._former = signal.getsignal(signal.SIGINT)

    def __enter__(self) -> Interrupt:
        self._former = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._former)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
