"""For people and machines that look after the service: page, health, readiness, metrics, description."""

from __future__ import annotations

import msgspec
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from .errors import RequestError
from .service import SERVICE, json_response

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>StillTrue</title></head>
<body style="font-family: sans-serif; max-width: 40em; margin: 3em auto; line-height: 1.5">
<h1>StillTrue</h1>
<p>Which of the things people said are still true, since when, and how do we know?</p>
<p>This is its HTTP service. Send messages to <code>POST /v1/spaces/{space}/messages</code>, read what holds at
<code>GET /v1/spaces/{space}/state</code>, ask at <code>POST /v1/spaces/{space}/query</code>.</p>
<ul>
<li><a href="/openapi.json">/openapi.json</a>: every route and type (OpenAPI 3.1)</li>
<li><a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>: is it up, can it serve</li>
<li><a href="/metrics">/metrics</a>: for Prometheus</li>
</ul></body></html>
"""


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """The process is up."""

    status: str


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """Log and view are open and not far behind."""

    ready: bool
    waiting: int
    parked: int


async def get_page(request: web.Request) -> web.Response:
    """What this is."""
    return web.Response(text=PAGE, content_type="text/html")


async def get_healthz(request: web.Request) -> web.Response:
    """The process is up."""
    return json_response(msgspec.json.encode(Alive(status="ok")))


async def get_readyz(request: web.Request) -> web.Response:
    """200 when log and view are open and few messages wait; else 503, and no traffic should come."""
    service = request.app[SERVICE]
    health = await service.call(service.system.health)
    if health.problem is not None:
        raise RequestError(503, "not_ready", health.problem)
    if health.waiting > service.limits.ready_max_waiting:
        raise RequestError(503, "not_ready", f"{health.waiting} messages are waiting to be read")
    return json_response(msgspec.json.encode(Ready(ready=True, waiting=health.waiting, parked=health.parked)))


async def get_metrics(request: web.Request) -> web.Response:
    """The whole registry, with what waits and what is parked as of now."""
    service = request.app[SERVICE]
    service.metrics.health(await service.call(service.system.health))
    body = await service.call(generate_latest, service.metrics.registry)
    return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})
