"""What a route is: how the router finds it, and what its description says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec
from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a route, for its description."""

    name: str
    where: Literal["path", "query", "header"]
    description: str
    kind: Literal["text", "time", "count", "position"] = "text"
    required: bool = False


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """A route.

    ``refusals``: statuses it answers with besides those that every route may give. ``bodies``: where the body is one
    of several types, told apart by a field.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    name: str
    summary: str
    handler: Handler
    parameters: tuple[Parameter, ...] = ()
    body: type | None = None
    bodies: tuple[type, ...] = ()
    reply: type | None = None
    media_type: str = "application/json"
    refusals: tuple[int, ...] = ()
    refused_as: type | None = None
