"""What producers send: messages, edits, retractions, assertions."""

from __future__ import annotations

import msgspec
from aiohttp import web

from schemas.wire import AssertionsIn, EditIn, MessageStatus, PostedOut, RefusedOut

from .bodies import split_batch
from .errors import RequestError, status_of
from .params import check_parameters, identifier
from .ports import Ingested
from .service import SERVICE, json_response, read_body, read_json, space_of


async def post_messages(request: web.Request) -> web.Response:
    """A batch: 200 when at least one message was taken or known already, else 400 with the first error and all."""
    service = request.app[SERVICE]
    space = space_of(request)
    values = check_parameters(request.query, ("received_at", "default_tz"))
    messages = await service.call(split_batch, await read_body(request))
    outcome = await service.write(
        service.system.post,
        space,
        messages,
        received_at=values.get("received_at", "now"),
        default_tz=values.get("default_tz"),
    )
    service.metrics.ingested(outcome)
    refused = [status for status in outcome.statuses if status.status == "refused"]
    if refused and len(refused) == len(outcome.statuses):
        return _all_refused(outcome, refused[0], 400)
    return _taken(outcome)


async def put_message(request: web.Request) -> web.Response:
    """New content for a message."""
    service = request.app[SERVICE]
    space = space_of(request)
    check_parameters(request.query, ())
    message_id = identifier("id", request.match_info["id"])
    edit = await read_json(request, EditIn)
    outcome = await service.write(service.system.edit, space, edit.conversation_id, message_id, edit.content)
    return _one(outcome)


async def delete_message(request: web.Request) -> web.Response:
    """Withdraw a message; what rests on it is no longer live."""
    service = request.app[SERVICE]
    space = space_of(request)
    message_id = identifier("id", request.match_info["id"])
    values = check_parameters(request.query, ("conversation_id",))
    if "conversation_id" not in values:
        raise RequestError(400, "invalid", "query parameter is required", "conversation_id")
    outcome = await service.write(service.system.retract, space, values["conversation_id"], message_id)
    return _one(outcome)


async def post_events(request: web.Request) -> web.Response:
    """Events and edges a producer asserts itself; the same (producer, batch_id) replaces."""
    service = request.app[SERVICE]
    space = space_of(request)
    check_parameters(request.query, ())
    assertions = await read_json(request, AssertionsIn)
    return json_response(msgspec.json.encode(await service.write(service.system.assert_events, space, assertions)))


def _one(outcome: Ingested) -> web.Response:
    """Reply about a single message: its own error decides the status."""
    for status in outcome.statuses:
        if status.error is not None:
            return _all_refused(outcome, status, status_of(status.error))
    return _taken(outcome)


def _taken(outcome: Ingested) -> web.Response:
    statuses = [status.status for status in outcome.statuses]
    body = PostedOut(
        messages=outcome.statuses,
        accepted=statuses.count("accepted"),
        duplicate=statuses.count("duplicate"),
        refused=statuses.count("refused"),
        wait_for=outcome.wait_for,
    )
    return json_response(msgspec.json.encode(body))


def _all_refused(outcome: Ingested, first: MessageStatus, http_status: int) -> web.Response:
    if first.error is None:
        raise AssertionError("a refused message says why")
    return json_response(msgspec.json.encode(RefusedOut(error=first.error, messages=outcome.statuses)), http_status)
