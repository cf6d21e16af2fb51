"""What analysts send and read: rulings on edges and names, the edges themselves, who takes part, whose sets count."""

from __future__ import annotations

from typing import cast, get_args

import msgspec
from aiohttp import web

from query.api import EdgesResult
from schemas.edges import Relation
from schemas.ruling_wire import ActivateIn, AdjudicationIn, SplitIn, UndoIn

from . import params
from .errors import RequestError
from .rendering import encode
from .service import SERVICE, json_response, read_json, space_of

UNDO_PARAMETERS = ("edge_id", "alias", "analyst")
EDGES_PARAMETERS = ("event", "relation", "known_at", "wait_for")


async def post_adjudication(request: web.Request) -> web.Response:
    """A ruling; ``action`` says which."""
    params.check_parameters(request.query, ())
    wanted = await read_json(request, cast("type[AdjudicationIn]", AdjudicationIn))
    return await _adjudicate(request, wanted)


async def delete_adjudication(request: web.Request) -> web.Response:
    """Take back what analysts said on an edge, or split an alias again."""
    values = params.check_parameters(request.query, UNDO_PARAMETERS)
    named = [name for name in ("edge_id", "alias") if name in values]
    if len(named) != 1:
        raise RequestError(400, "invalid", "name one of edge_id and alias", "edge_id")
    analyst = values.get("analyst")
    if analyst is None:
        raise RequestError(400, "invalid", "query parameter is required", "analyst")
    if named == ["alias"]:
        return await _adjudicate(request, SplitIn(analyst=analyst, alias=values["alias"]))
    return await _adjudicate(request, UndoIn(analyst=analyst, edge_id=values["edge_id"]))


async def _adjudicate(request: web.Request, wanted: AdjudicationIn) -> web.Response:
    service = request.app[SERVICE]
    space = space_of(request)
    return json_response(msgspec.json.encode(await service.write(service.system.adjudicate, space, wanted)))


async def get_adjudications(request: web.Request) -> web.Response:
    """The rulings that stand, orphaned ones included."""
    service = request.app[SERVICE]
    space = space_of(request)
    params.check_parameters(request.query, ())
    return json_response(await service.call(lambda: encode(service.system.rulings(space))))


async def post_producer(request: web.Request) -> web.Response:
    """Choose whose sets count for a stage."""
    service = request.app[SERVICE]
    space = space_of(request)
    params.check_parameters(request.query, ())
    wanted = await read_json(request, ActivateIn)
    return json_response(msgspec.json.encode(await service.write(service.system.activate, space, wanted)))


async def get_producers(request: web.Request) -> web.Response:
    """Who made sets, and whose count."""
    service = request.app[SERVICE]
    space = space_of(request)
    params.check_parameters(request.query, ())
    return json_response(await service.call(lambda: encode(service.system.producers(space))))


async def get_edges(request: web.Request) -> web.Response:
    """The edges of the space or of one event, ruled out ones included."""
    service = request.app[SERVICE]
    space = space_of(request)
    values = params.check_parameters(request.query, EDGES_PARAMETERS)
    relation = values.get("relation")
    if relation is not None and relation not in get_args(Relation):
        raise RequestError(400, "invalid", f"known: {', '.join(get_args(Relation))}", "relation")
    known_at = params.instant(values, "known_at")
    await service.wait(space, params.count(values, "wait_for"))

    def read() -> bytes:
        found = service.system.edges(space, values.get("event"), known_at)
        return encode(_of_relation(found, relation))

    return json_response(await service.call(read))


def _of_relation(found: EdgesResult, relation: str | None) -> EdgesResult:
    if relation is None:
        return found
    return msgspec.structs.replace(found, entries=tuple(e for e in found.entries if e.relation == relation))


async def get_participants(request: web.Request) -> web.Response:
    """Canonical names, with the other names that were merged into them and why."""
    service = request.app[SERVICE]
    space = space_of(request)
    values = params.check_parameters(request.query, ("wait_for",))
    await service.wait(space, params.count(values, "wait_for"))
    return json_response(await service.call(lambda: encode(service.system.participants(space))))
