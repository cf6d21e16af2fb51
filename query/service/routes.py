"""The routes: one table that both the router and the OpenAPI description are made from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, get_args

import msgspec
from aiohttp import web

from query.api import (
    EdgesResult,
    HistoryResult,
    ParticipantsResult,
    QueryResult,
    RulingsResult,
    SpacesResult,
    StateResult,
    StatusResult,
)
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ruling_wire import AdjudicatedOut, AdjudicationIn
from schemas.wire import AssertedOut, AssertionsIn, EditIn, MessagesIn, PostedOut, QueryIn, RefusedOut

from . import analysts, erasures, probes, reads, stream, writes

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


TENANT = Parameter(name="X-Tenant", where="header", description='Tenant; "default" when absent. Trusted.')
SPACE = Parameter(
    name="space",
    where="path",
    required=True,
    description="One memory: a user, a case. 1 to 128 letters, digits or . _ @ : + -",
)
MESSAGE_ID = Parameter(name="id", where="path", required=True, description="The message's id in its conversation.")
EVENT_ID = Parameter(name="id", where="path", required=True, description="Id of an event.")
ERASURE_ID = Parameter(name="id", where="path", required=True, description="Id of an erasure, as its receipt says.")
CONVERSATION = Parameter(
    name="conversation_id", where="query", required=True, description="The conversation the message is part of."
)
AS_OF = Parameter(name="as_of", where="query", kind="time", description="Valid time: what held then. Default: now.")
KNOWN_AT = Parameter(
    name="known_at", where="query", kind="time", description="Transaction time: as it was known then. Default: all."
)
WAIT_FOR = Parameter(
    name="wait_for",
    where="query",
    kind="count",
    description="Answer only when all messages below this offset are applied (as returned by a write), else 504.",
)
PARTICIPANT = Parameter(name="participant", where="query", description="Only statements about this participant.")
ATTRIBUTE = Parameter(name="attribute", where="query", description="Only statements about this attribute.")
INCLUDE = Parameter(
    name="include",
    where="query",
    description='Also list: any of "superseded" (replaced, corrected or ended), "contested", "lapsed", separated by '
    'commas; or "all" (everything, also what does not hold yet, and actions).',
)

EDGE = Parameter(name="edge_id", where="query", description="Take back what analysts said on this edge.")
ALIAS = Parameter(name="alias", where="query", description="Let this name stand for itself again.")
ANALYST = Parameter(name="analyst", where="query", required=True, description="Who says so.")
EVENT = Parameter(name="event", where="query", description="Only edges at this event.")
RELATION = Parameter(name="relation", where="query", description="Only edges of this relation.")
AFTER = Parameter(
    name="after", where="query", kind="position", description="From after this position; -1: from the beginning."
)
LAST_EVENT_ID = Parameter(
    name="Last-Event-ID", where="header", description="Id of the last event that was received; wins over after."
)

RECEIVED_AT = Parameter(
    name="received_at",
    where="query",
    description='Transaction time: "now" (the default), or "sent_at" for a backfill.',
)
DEFAULT_TZ = Parameter(
    name="default_tz", where="query", description="IANA zone of times without an offset. Default: they are refused."
)

_IN_SPACE = (TENANT, SPACE)

V1 = (
    Route(
        method="GET",
        path="/v1/spaces",
        name="getSpaces",
        summary="The tenant's spaces",
        handler=reads.get_spaces,
        parameters=(TENANT,),
        reply=SpacesResult,
        refusals=(400,),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/status",
        name="getStatus",
        summary="Where the messages of the space are (the four places add up), and what a read reflects",
        handler=reads.get_status,
        parameters=_IN_SPACE,
        reply=StatusResult,
        refusals=(400,),
    ),
    Route(
        method="POST",
        path="/v1/spaces/{space}/messages",
        name="postMessages",
        summary="Send messages; each is judged on its own, and sending one again is harmless",
        handler=writes.post_messages,
        parameters=(*_IN_SPACE, RECEIVED_AT, DEFAULT_TZ),
        body=MessagesIn,
        reply=PostedOut,
        refusals=(400, 413, 415),
        refused_as=RefusedOut,
    ),
    Route(
        method="PUT",
        path="/v1/spaces/{space}/messages/{id}",
        name="editMessage",
        summary="Give a message new content",
        handler=writes.put_message,
        parameters=(*_IN_SPACE, MESSAGE_ID),
        body=EditIn,
        reply=PostedOut,
        refusals=(400, 404, 413, 415),
        refused_as=RefusedOut,
    ),
    Route(
        method="DELETE",
        path="/v1/spaces/{space}/messages/{id}",
        name="retractMessage",
        summary="Withdraw a message; what rests on it no longer counts",
        handler=writes.delete_message,
        parameters=(*_IN_SPACE, MESSAGE_ID, CONVERSATION),
        reply=PostedOut,
        refusals=(400, 404),
        refused_as=RefusedOut,
    ),
    Route(
        method="POST",
        path="/v1/spaces/{space}/events",
        name="assertEvents",
        summary="Assert events and edges as a producer of your own; the same batch id replaces",
        handler=writes.post_events,
        parameters=_IN_SPACE,
        body=AssertionsIn,
        reply=AssertedOut,
        refusals=(400, 413, 415),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/events/{id}",
        name="getEventHistory",
        summary="An event with the chain it is part of, its sources and producers",
        handler=reads.get_event,
        parameters=(*_IN_SPACE, EVENT_ID, AS_OF, KNOWN_AT, WAIT_FOR),
        reply=HistoryResult,
        refusals=(400, 404, 504),
    ),
    Route(
        method="POST",
        path="/v1/spaces/{space}/adjudications",
        name="adjudicate",
        summary="Accept an edge or rule it out, merge names or split them; the same again is a duplicate",
        handler=analysts.post_adjudication,
        parameters=_IN_SPACE,
        bodies=get_args(AdjudicationIn),
        reply=AdjudicatedOut,
        refusals=(400, 404, 409, 413, 415),
    ),
    Route(
        method="DELETE",
        path="/v1/spaces/{space}/adjudications",
        name="undoAdjudication",
        summary="Take back what analysts said on an edge, or split an alias again",
        handler=analysts.delete_adjudication,
        parameters=(*_IN_SPACE, EDGE, ALIAS, ANALYST),
        reply=AdjudicatedOut,
        refusals=(400, 404),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/adjudications",
        name="getAdjudications",
        summary="The rulings on edges that stand, and which of them are orphaned",
        handler=analysts.get_adjudications,
        parameters=_IN_SPACE,
        reply=RulingsResult,
        refusals=(400,),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/edges",
        name="getEdges",
        summary="The edges of the space, or of one event; those that are ruled out are not live",
        handler=analysts.get_edges,
        parameters=(*_IN_SPACE, EVENT, RELATION, KNOWN_AT, WAIT_FOR),
        reply=EdgesResult,
        refusals=(400, 504),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/participants",
        name="getParticipants",
        summary="Who takes part, under canonical names, with the other names merged into them and why",
        handler=analysts.get_participants,
        parameters=(*_IN_SPACE, WAIT_FOR),
        reply=ParticipantsResult,
        refusals=(400, 504),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/deltas",
        name="getDeltas",
        summary="Changes of the view as server-sent events; resumes after Last-Event-ID",
        handler=stream.get_deltas,
        parameters=(*_IN_SPACE, LAST_EVENT_ID, AFTER, PARTICIPANT, ATTRIBUTE),
        media_type="text/event-stream",
        refusals=(400, 503),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/state",
        name="getState",
        summary="What holds, since when, and by which message",
        handler=reads.get_state,
        parameters=(*_IN_SPACE, PARTICIPANT, ATTRIBUTE, AS_OF, KNOWN_AT, INCLUDE, WAIT_FOR),
        reply=StateResult,
        refusals=(400, 504),
    ),
    Route(
        method="POST",
        path="/v1/spaces/{space}/erasures",
        name="erase",
        summary="Erase a message, a conversation or the space for good; the reply is the receipt",
        handler=erasures.post_erasure,
        parameters=_IN_SPACE,
        body=ErasureIn,
        reply=ErasureOut,
        refusals=(400, 404, 413, 415),
    ),
    Route(
        method="GET",
        path="/v1/spaces/{space}/erasures/{id}",
        name="getErasure",
        summary="The receipt of an erasure",
        handler=erasures.get_erasure,
        parameters=(*_IN_SPACE, ERASURE_ID),
        reply=ErasureOut,
        refusals=(400, 404),
    ),
    Route(
        method="POST",
        path="/v1/spaces/{space}/query",
        name="query",
        summary="Ask a question; the reply holds context, evidence paths and, if wanted, an answer",
        handler=reads.post_query,
        parameters=_IN_SPACE,
        body=QueryIn,
        reply=QueryResult,
        refusals=(400, 413, 415, 504),
    ),
)
"""Under these, a query parameter that is not listed is refused."""

PROBES = (
    Route(
        method="GET",
        path="/",
        name="page",
        summary="What this is",
        handler=probes.get_page,
        media_type="text/html",
    ),
    Route(
        method="GET",
        path="/healthz",
        name="healthz",
        summary="The process is up",
        handler=probes.get_healthz,
        reply=probes.Alive,
    ),
    Route(
        method="GET",
        path="/readyz",
        name="readyz",
        summary="Log and view are open and not far behind",
        handler=probes.get_readyz,
        reply=probes.Ready,
        refusals=(503,),
    ),
    Route(
        method="GET",
        path="/metrics",
        name="metrics",
        summary="For Prometheus",
        handler=probes.get_metrics,
        media_type="text/plain",
    ),
)

ROUTES = V1 + PROBES
