"""The parameters that routes share."""

from __future__ import annotations

from .route import Parameter

TENANT = Parameter(name="X-Tenant", where="header", description='Tenant; "default" when absent. Trusted.')
SPACE = Parameter(
    name="space",
    where="path",
    required=True,
    description="One memory: a user, a case. 1 to 128 letters, digits or . _ @ : + -. It begins with what is first "
    "sent to it; until then it is read as empty. GET /v1/spaces lists those there are.",
)
MESSAGE_ID = Parameter(name="id", where="path", required=True, description="The message's id in its conversation.")
EVENT_ID = Parameter(name="id", where="path", required=True, description="Id of an event.")
ERASURE_ID = Parameter(name="id", where="path", required=True, description="Id of an erasure, as its receipt says.")
CONVERSATION = Parameter(
    name="conversation_id", where="query", required=True, description="The conversation the message is part of."
)
AS_OF = Parameter(
    name="as_of",
    where="query",
    kind="time",
    description="Valid time: what held then. A date means its end in UTC. Default: now.",
)
KNOWN_AT = Parameter(
    name="known_at",
    where="query",
    kind="time",
    description="Transaction time: as it was known then. A date means its end in UTC. Default: all.",
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

INCLUDE_EVENTS = Parameter(
    name="include",
    where="query",
    description='"events": also where every event is that was ever distilled. Costs by the records of the space.',
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
THEME = Parameter(name="theme", where="query", description="Only statements of the sessions of this theme, by its id.")
SINCE = Parameter(
    name="since", where="query", kind="time", required=True, description="Only what changed after this instant."
)
