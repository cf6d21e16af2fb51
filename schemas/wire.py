"""What producers send over HTTP or in a JSONL file, before it is accepted, and what they get back.

Times are RFC 3339 text with an offset. Unknown fields are refused: a typing error must not vanish.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from .edges import Relation, UpdateKind
from .events import EventType, Modality, Polarity
from .messages import Role
from .times import Precision


class Wire(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of what comes in."""


class MessageIn(Wire, frozen=True, kw_only=True):
    """A message. ``seq`` orders messages of equal ``sent_at``; absent, it is the position in the request or file.

    ``tz``: IANA zone of the speaker, used to resolve relative times. ``ends_session`` closes the session after it.
    """

    message_id: str
    conversation_id: str
    speaker: str
    content: str
    sent_at: str
    role: Role = "user"
    session_id: str | None = None
    speaker_id: str | None = None
    tz: str | None = None
    seq: int | None = None
    ends_session: bool = False


class MessagesIn(Wire, frozen=True, kw_only=True):
    """A batch. Each message is judged on its own: one bad message does not refuse the others."""

    messages: list[msgspec.Raw]


class EditIn(Wire, frozen=True, kw_only=True):
    """New content of an accepted message."""

    conversation_id: str
    content: str


class SourceIn(Wire, frozen=True, kw_only=True):
    """A span of a message's content, in characters; the whole content when start and end are absent."""

    conversation_id: str
    message_id: str
    start: int | None = None
    end: int | None = None


class AnchorIn(Wire, frozen=True, kw_only=True):
    """The time a statement is about, half-open, RFC 3339."""

    start: str
    until: str
    precision: Precision


class EventIn(Wire, frozen=True, kw_only=True):
    """A statement a producer asserts under its own ``key``; edges of the batch name it by that key."""

    key: str
    type: EventType
    text: str
    subject: str | None = None
    participants: tuple[str, ...] = ()
    speaker: str | None = None
    sources: tuple[SourceIn, ...] = ()
    anchor: AnchorIn | None = None
    valid_from: str | None = None
    ends_at: str | None = None
    holds: bool = True
    modality: Modality = "asserted"
    polarity: Polarity = "affirmed"
    attribute: str | None = None
    value: str | None = None
    expected_until: str | None = None
    confidence: float = 1.0


class EdgeIn(Wire, frozen=True, kw_only=True):
    """A relation; ``src`` and ``dst`` are keys of this producer's events (of any batch) or event ids."""

    src: str
    dst: str
    relation: Relation
    kind: UpdateKind | None = None
    confidence: float = 1.0
    justification: str = ""


class AssertionsIn(Wire, frozen=True, kw_only=True):
    """What a producer knows: the same (producer, batch_id) replaces, a new batch_id adds."""

    batch_id: str
    producer: str
    asserted_at: str
    events: tuple[EventIn, ...] = ()
    edges: tuple[EdgeIn, ...] = ()
    slice: tuple[str, ...] = ()


class ScopeIn(Wire, frozen=True, kw_only=True):
    """The conversations a question is about; nothing of others is read.

    ``edges``: "naive" keeps every relation whose two ends lie inside, "scoped" only those that were not made from
    something outside.
    """

    conversations: tuple[str, ...]
    edges: Literal["scoped", "naive"] = "scoped"


class QueryIn(Wire, frozen=True, kw_only=True):
    """A question. ``asked_at`` defaults to now; ``as_of`` is valid time, ``known_at`` transaction time.

    ``wait_for``: answer only when all accepted messages below this offset are applied (as returned by a POST).
    """

    question: str
    asked_at: str | None = None
    as_of: str | None = None
    known_at: str | None = None
    mode: Literal["flat", "graph", "hybrid", "graph+ruled_out"] = "hybrid"
    budget_tokens: int = 2000
    answer: bool = True
    scope: ScopeIn | None = None
    wait_for: int | None = None


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong with a request. ``code`` is stable, ``message`` is for people, ``field`` names the culprit."""

    code: str
    message: str
    field: str | None = None


class ErrorOut(msgspec.Struct, frozen=True, kw_only=True):
    """The one shape of an error."""

    error: Problem


MessageOutcome = Literal["accepted", "duplicate", "refused"]


class MessageStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one message of a batch."""

    message_id: str | None
    status: MessageOutcome
    error: Problem | None = None


class PostedOut(msgspec.Struct, frozen=True, kw_only=True):
    """Reply to a POST of messages. ``wait_for`` is the offset to wait for to read what was written."""

    messages: tuple[MessageStatus, ...]
    accepted: int
    duplicate: int
    refused: int
    wait_for: int


class RefusedOut(msgspec.Struct, frozen=True, kw_only=True):
    """Reply to a POST of messages that were all refused: the first error, and what is wrong with each message."""

    error: Problem
    messages: tuple[MessageStatus, ...]


class AssertedOut(msgspec.Struct, frozen=True, kw_only=True):
    """Reply to a POST of assertions: the ids given to the producer's keys."""

    batch_id: str
    event_ids: dict[str, str]
    edge_ids: tuple[str, ...]
    wait_for: int
