"""What readers ask: state, history of an event, questions. Every reply carries its basis."""

from __future__ import annotations

import msgspec
from aiohttp import web

from query.api import QueryRequest, SpacesResult, StateEntry, StateRequest, StateResult
from query.changes import changes
from query.status import status
from schemas.ids import SpaceKey
from schemas.wire import QueryIn

from . import params
from .errors import RequestError
from .ports import ServedSystem
from .rendering import encode
from .service import SERVICE, json_response, read_json, space_of, tenant_of

STATE_PARAMETERS = ("participant", "attribute", "theme", "as_of", "known_at", "include", "wait_for")
CHANGES_PARAMETERS = ("since", "participant", "attribute", "theme", "as_of", "known_at", "wait_for")
HISTORY_PARAMETERS = ("as_of", "known_at", "wait_for")

BUDGET_MAX = 1_000_000
"""Tokens; more than any model reads, and small enough for every counter."""

_CLOSED = frozenset({"superseded", "corrected", "ended"})


async def get_state(request: web.Request) -> web.Response:
    """What holds in the space at ``as_of``, as known at ``known_at``."""
    service = request.app[SERVICE]
    space = space_of(request)
    values = params.check_parameters(request.query, STATE_PARAMETERS)
    include = params.include(values)
    as_of = params.instant(values, "as_of")
    wanted = StateRequest(
        space=space,
        as_of=service.clock() if as_of is None else as_of,
        known_at=params.instant(values, "known_at"),
        participant=values.get("participant"),
        attribute=values.get("attribute"),
        include_all=False,
        theme=values.get("theme"),
    )
    await service.wait(space, params.count(values, "wait_for"))
    return json_response(await service.call(lambda: encode(read_state(service.system, wanted, include))))


def read_state(system: ServedSystem, request: StateRequest, include: params.Include | None) -> StateResult:
    """The state with what ``include`` adds to it.

    All entries come from one read; a first, plain read only says which of them need no ``include``. Should something
    be written between the two, an entry may be listed that has just ended, with the status that says so.
    """
    if include is None:
        return system.state(request)
    everything = msgspec.structs.replace(request, include_all=True)
    if include.everything:
        return system.state(everything)
    plain = {entry.event.id for entry in system.state(request).entries}
    result = system.state(everything)
    kept = tuple(entry for entry in result.entries if entry.event.id in plain or _included(entry, include))
    return msgspec.structs.replace(result, entries=kept)


def _included(entry: StateEntry, include: params.Include) -> bool:
    """Actions come with ``all`` only: most of them have ended, and they are no state."""
    return entry.event.type != "action" and (
        (include.superseded and entry.status in _CLOSED)
        or (include.contested and bool(entry.contested_by))
        or (include.lapsed and entry.status == "lapsed")
    )


async def get_changes(request: web.Request) -> web.Response:
    """What began and what ceased to hold after ``since``."""
    service = request.app[SERVICE]
    space = space_of(request)
    values = params.check_parameters(request.query, CHANGES_PARAMETERS)
    since, as_of = params.instant(values, "since"), params.instant(values, "as_of")
    if since is None:
        raise RequestError(400, "invalid", "is missing: from when on?", "since")
    wanted = StateRequest(
        space=space,
        as_of=service.clock() if as_of is None else as_of,
        known_at=params.instant(values, "known_at"),
        participant=values.get("participant"),
        attribute=values.get("attribute"),
        include_all=True,
        theme=values.get("theme"),
    )
    await service.wait(space, params.count(values, "wait_for"))
    return json_response(await service.call(lambda: encode(changes(service.system.state(wanted), since))))


async def get_event(request: web.Request) -> web.Response:
    """The history of an event: the chain of updates it is part of, with sources and producers."""
    service = request.app[SERVICE]
    space = space_of(request)
    event_id = params.identifier("id", request.match_info["id"])
    values = params.check_parameters(request.query, HISTORY_PARAMETERS)
    as_of = params.instant(values, "as_of")
    as_of = service.clock() if as_of is None else as_of
    known_at = params.instant(values, "known_at")
    await service.wait(space, params.count(values, "wait_for"))
    return json_response(await service.call(lambda: encode(service.system.history(space, event_id, as_of, known_at))))


async def get_spaces(request: web.Request) -> web.Response:
    """The tenant's spaces."""
    service = request.app[SERVICE]
    params.check_parameters(request.query, ())
    tenant = tenant_of(request)
    names = await service.call(lambda: tuple(sorted(service.system.spaces(tenant))))
    return json_response(encode(SpacesResult(spaces=names)))


async def get_status(request: web.Request) -> web.Response:
    """Where the messages of the space are; with ``include=events`` also its events."""
    service = request.app[SERVICE]
    space = space_of(request)
    include = params.check_parameters(request.query, ("include",)).get("include")
    if include not in {None, "events"}:
        raise RequestError(400, "invalid", "known: events", "include")
    events = include is not None
    return json_response(await service.call(lambda: encode(status(service.system, space, events=events))))


async def post_query(request: web.Request) -> web.Response:
    """A question, answered with its evidence."""
    service = request.app[SERVICE]
    space = space_of(request)
    params.check_parameters(request.query, ())
    asked = await read_json(request, QueryIn)
    wanted = query_request(space, asked, service.clock())
    await service.wait(space, asked.wait_for)
    run = service.ask if wanted.answer else service.call
    return json_response(await run(lambda: encode(service.system.query(wanted))))


def query_request(space: SpaceKey, asked: QueryIn, now: int) -> QueryRequest:
    """A question with its times resolved.

    Raises:
        RequestError: 400; an empty question, a budget out of range, a time that is none.
    """
    if not asked.question.strip() or "\x00" in asked.question:
        raise RequestError(400, "invalid", "question is empty or holds a NUL character", "question")
    if not 1 <= asked.budget_tokens <= BUDGET_MAX:
        raise RequestError(400, "invalid", f"must be 1 to {BUDGET_MAX}", "budget_tokens")
    if asked.wait_for is not None and asked.wait_for < 0:
        raise RequestError(400, "invalid", "must be 0 or more", "wait_for")
    times = {"asked_at": asked.asked_at, "as_of": asked.as_of, "known_at": asked.known_at}
    asked_at = params.instant(times, "asked_at")
    return QueryRequest(
        space=space,
        question=asked.question,
        asked_at=now if asked_at is None else asked_at,
        as_of=params.instant(times, "as_of"),
        known_at=params.instant(times, "known_at"),
        mode=asked.mode,
        budget_tokens=asked.budget_tokens,
        answer=asked.answer,
        scope=asked.scope,
    )
