"""The one event loop that talks to the broker, in a thread of its own, called from any other thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class BrokerLoop:
    """Runs from its making until ``close``."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="broker")
        self._thread.start()

    def spawn(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Begin something; its future can be waited for, or cancelled."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Coroutine[object, object, T], timeout_s: float | None = None) -> T:
        """Do something, and wait for what comes of it. Not from the loop's own thread.

        Raises:
            TimeoutError: it took too long, and was cancelled.
        """
        future = self.spawn(work)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what still runs, then stop."""
        self.call(_cancel_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
