"""The aiohttp application: routes, one middleware that turns every failure into the one error shape and counts."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import msgspec
from aiohttp import web
from prometheus_client import CollectorRegistry

from schemas.wire import ErrorOut, Problem

from .errors import RequestError, status_of
from .metrics import Metrics
from .openapi import openapi
from .params import check_target
from .ports import Refused, ServedSystem
from .routes import ROUTES
from .service import SERVICE, Limits, Service, json_response

LOG = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

RETRY_AFTER_S = 2
"""A node finds a broker that is back, or catches up after a start, in about so long."""

_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}


def wall_clock() -> int:
    """Now, in microseconds UTC."""
    return time.time_ns() // 1_000


def create_app(
    system: ServedSystem,
    registry: CollectorRegistry,
    *,
    clock: Callable[[], int] = wall_clock,
    limits: Limits | None = None,
) -> web.Application:
    """The service as an application.

    Args:
        system: what answers; its methods block and are called from worker threads.
        registry: where metrics go; one application per registry.
        clock: microseconds UTC.
        limits: sizes and times; None takes the defaults.
    """
    limits = limits or Limits()
    app = web.Application(middlewares=[answer], client_max_size=limits.body_max_bytes)
    service = Service(system, Metrics(registry), clock, limits)
    app[SERVICE] = service
    for route in ROUTES:
        app.router.add_route(route.method, route.path, route.handler)
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, route.handler)
    description = msgspec.json.encode(openapi())

    async def get_openapi(request: web.Request) -> web.Response:
        return json_response(description)

    app.router.add_get("/openapi.json", get_openapi)

    async def stop(_: web.Application) -> None:
        service.stop()

    async def close(_: web.Application) -> None:
        service.close()

    async def sign(_: web.Request, response: web.StreamResponse) -> None:
        response.headers["Server"] = "StillTrue"

    app.on_response_prepare.append(sign)
    app.on_shutdown.append(stop)
    app.on_cleanup.append(close)
    return app


@web.middleware
async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer a request, whatever happens, and count it."""
    started = time.perf_counter()
    response = await _answer(request, handler)
    resource = request.match_info.route.resource
    route = "unmatched" if resource is None else resource.canonical
    if not isinstance(response, web.Response):
        return response  # a stream: how long somebody listened is no measure of the service
    seconds = time.perf_counter() - started
    request.app[SERVICE].metrics.request(request.method, route, response.status, seconds)
    return response


async def _answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        check_target(request.raw_path)
        return await handler(request)
    except RequestError as error:
        return error_response(error.status, error.problem)
    except Refused as refused:
        return error_response(status_of(refused.problem), refused.problem)
    except web.HTTPException as error:
        return _http_error(error, request)
    except Exception:  # the one place where a fault of ours becomes an answer; the log has the rest
        LOG.exception("fault while answering %s %s", request.method, request.path)
        return error_response(500, Problem(code="fault", message="a fault of the service; its log says more"))


def error_response(status: int, problem: Problem) -> web.Response:
    """The one shape of an error. Whoever is told that we are not ready is told when to try again."""
    response = json_response(msgspec.json.encode(ErrorOut(error=problem)), status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


def _http_error(error: web.HTTPException, request: web.Request) -> web.Response:
    """aiohttp's own refusals: no such route, wrong method, body too large."""
    code = _HTTP_CODES.get(error.status, "bad_request")
    messages = {
        404: f"no such path: {request.path}; see /openapi.json",
        405: f"{request.method} is not possible here",
        413: f"body is longer than {request.app[SERVICE].limits.body_max_bytes} bytes",
    }
    response = error_response(error.status, Problem(code=code, message=messages.get(error.status, error.reason)))
    if isinstance(error, web.HTTPMethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.allowed_methods))
    return response
