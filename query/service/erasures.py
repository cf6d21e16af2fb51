"""What is to be erased, and the receipts."""

from __future__ import annotations

import msgspec
from aiohttp import web

from schemas.erasure_wire import ErasureIn

from .params import check_parameters, identifier
from .service import SERVICE, json_response, read_json, space_of


async def post_erasure(request: web.Request) -> web.Response:
    """Erase for good; the reply is the receipt, when every store has forgotten."""
    service = request.app[SERVICE]
    space = space_of(request)
    check_parameters(request.query, ())
    wanted = await read_json(request, ErasureIn)
    return json_response(msgspec.json.encode(await service.write(service.system.erase, space, wanted)))


async def get_erasure(request: web.Request) -> web.Response:
    """The receipt again."""
    service = request.app[SERVICE]
    space = space_of(request)
    check_parameters(request.query, ())
    erasure_id = identifier("id", request.match_info["id"])
    return json_response(msgspec.json.encode(await service.call(service.system.erasure, space, erasure_id)))
