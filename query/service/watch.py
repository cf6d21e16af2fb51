"""Wakes the readers of delta streams: one look at all spaces that are read, again and again, while any is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from schemas.ids import SpaceKey

LOOK_S = 0.05
"""Between two looks: as often as an idle pump looks for work, so a delta is sent about as soon as it is there."""

Ends = Callable[[Sequence[SpaceKey]], Awaitable[Sequence[int]]]
"""Asks for the ends of some spaces' deltas, in the order given."""


class Watch:
    """Of one service, on its event loop. Readers keep their own position: the log is the buffer, nothing piles up."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._waiting: dict[SpaceKey, dict[asyncio.Future[bool], int]] = {}
        self._looker: asyncio.Task[None] | None = None
        self._stopped = False

    async def grown(self, space: SpaceKey, following: int, timeout_s: float) -> bool:
        """Wait until the space's deltas reach beyond a position; False when the time is up or the service stops."""
        if self._stopped:
            return False
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(space, {})[waiter] = following
        if self._looker is None or self._looker.done():
            self._looker = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(timeout_s):
                return await waiter
        except TimeoutError:
            return False
        finally:
            self._forget(space, waiter)

    def stop(self) -> None:
        """Let every reader go on, to its end."""
        self._stopped = True
        for waiters in self._waiting.values():
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(False)
        if self._looker is not None:
            self._looker.cancel()

    def _forget(self, space: SpaceKey, waiter: asyncio.Future[bool]) -> None:
        self._waiting[space].pop(waiter, None)
        if not self._waiting[space]:
            del self._waiting[space]

    async def _look(self) -> None:
        while self._waiting:
            spaces = list(self._waiting)
            for space, end in zip(spaces, await self._ends(spaces), strict=True):
                for waiter, following in self._waiting.get(space, {}).items():
                    if end > following and not waiter.done():
                        waiter.set_result(True)
            await asyncio.sleep(LOOK_S)
