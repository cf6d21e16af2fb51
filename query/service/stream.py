"""``GET …/deltas``: the changes of a space's view as server-sent events, from wherever the reader left off.

Every reader has its own position and reads pages of the log at its own pace. One that takes nothing holds up a
connection's buffer and no thread; after ``stream_write_s`` it is cut off, and resumes with ``Last-Event-ID``.
"""

from __future__ import annotations

import asyncio

import msgspec
from aiohttp import web

from query.api import DeltaPage
from schemas.ids import SpaceKey

from . import params
from .errors import RequestError
from .ports import ServedSystem
from .service import SERVICE, Service, space_of
from .sse import HEARTBEAT, Filter, frame, opening

PARAMETERS = ("after", "participant", "attribute")

PAGE = 200
"""Deltas read at once: some 100 KB of text, so a reader's share of memory is small."""

LISTEN_S = 0.5
"""How soon we notice that a reader went away, and its place becomes free."""

RETRY_MS = 1_000
"""How long a reader waits before it connects again."""


async def get_deltas(request: web.Request) -> web.StreamResponse:
    """Send deltas until the reader goes away or the service stops.

    From the end, unless the reader says after which one (header ``Last-Event-ID``, or ``after`` for those that cannot
    set a header; -1 is from the beginning).
    """
    service = request.app[SERVICE]
    space = space_of(request)
    values = params.check_parameters(request.query, PARAMETERS)
    wanted = Filter(participant=values.get("participant"), attribute=values.get("attribute"))
    end = await service.call(service.system.deltas_end, space)
    following = _following(request.headers.get("Last-Event-ID"), values.get("after"), end)
    with service.streaming():
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        response.headers["X-Accel-Buffering"] = "no"  # a proxy in between must not wait for a full buffer
        await response.prepare(request)
        if request.method == "HEAD":
            return response
        try:
            async with asyncio.timeout(service.limits.stream_write_s):
                await response.write(opening(following, RETRY_MS))
            await _send(service, space, following, wanted, request, response)
        except (TimeoutError, ConnectionError):
            if request.transport is not None:
                request.transport.abort()
    return response


async def _send(
    service: Service,
    space: SpaceKey,
    following: int,
    wanted: Filter,
    request: web.Request,
    response: web.StreamResponse,
) -> None:
    """Page after page; a comment when there was nothing to send for a while, so that nobody thinks us dead."""
    while True:
        page, chosen = await service.call(_page, service.system, space, following, wanted)
        frames = b"".join(frame(told) for told in page.entries if chosen.wants(told))
        is_news, following = page.following > following, page.following
        if not is_news and not await _news(service, space, following, request):
            frames = HEARTBEAT
        if service.stopping or request.transport is None:
            return
        if frames:
            async with asyncio.timeout(service.limits.stream_write_s):
                await response.write(frames)


def _page(system: ServedSystem, space: SpaceKey, following: int, wanted: Filter) -> tuple[DeltaPage, Filter]:
    """The next page, and the filter with the name as it is canonical now: names may be merged while one listens."""
    page = system.deltas(space, following, PAGE)
    if wanted.participant is None or not page.entries:
        return page, wanted
    return page, msgspec.structs.replace(wanted, participant=system.canonical(space, wanted.participant))


async def _news(service: Service, space: SpaceKey, following: int, request: web.Request) -> bool:
    """Wait for something to read; False when nothing came for so long that a sign of life is due, or nobody listens."""
    left = service.limits.heartbeat_s
    while left > 0 and request.transport is not None and not service.stopping:
        if await service.watch.grown(space, following, min(left, LISTEN_S)):
            return True
        left -= LISTEN_S
    return False


def _following(header: str | None, parameter: str | None, end: int) -> int:
    """Where to read on.

    Raises:
        RequestError: 400; not a position, or one that this log never had: the reader comes from another one, and must
            read the state anew.
    """
    field, text = ("Last-Event-ID", header) if header is not None else ("after", parameter)
    if text is None:
        return end
    if text == "-1":
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise RequestError(400, "invalid", f"not a position: {text[:40]!r}", field)
    if int(text) >= end:
        message = "there is no such position: read the state anew, then the deltas from now on (without this header)"
        raise RequestError(400, "unknown_position", message, field)
    return int(text) + 1
