"""What the tables of the view hold: one struct for each kind of cell, and the keys they lie under."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.control import ProducerActivated
from schemas.edges import Edge, Relation, UpdateKind
from schemas.events import Event, Source
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRecord

from .rows import EdgeRow, EventRow


class EventAssertion(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """An event as an active set holds it. What the set had read is told by the set (``sets.read_below_of``)."""

    producer: str
    session_id: str
    event: Event


class Incident(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An edge as one of its ends sees it: what deriving that end needs to know, without reading the edge.

    ``other`` is None while the edge is not live (it waits for an end, or is ruled out); then the rest says nothing.
    """

    edge_id: str
    other: str | None = None
    incoming: bool = False
    relation: Relation = "before"
    kind: UpdateKind | None = None


class EventState(msgspec.Struct, gc=False):
    """Everything known of an event id. It is changed in place, between ``Working.changing`` and the commit.

    Attributes:
        key: where it is stored.
        since: the transaction time since which ``row`` reads so.
        assertions: by the sets that count.
        row: None while it is not live.
        incidents: what it sees of its edges, live or not, by edge id, in the order in which it came to see them.
        ruled: the ids of edges whose rulings name it, sorted.
    """

    key: bytes
    since: int = 0
    assertions: tuple[EventAssertion, ...] = ()
    row: EventRow | None = None
    incidents: dict[str, Incident] = msgspec.field(default_factory=dict[str, Incident])
    ruled: tuple[str, ...] = ()


class EdgeAssertion(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """An edge as an active set holds it."""

    producer: str
    session_id: str
    edge: Edge


class Concern(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """A ruling that concerns an edge now, and the edge's ends: those ruled on, or the statements in their place."""

    ruling: EdgeAccepted | EdgeRuledOut
    src: str
    dst: str


class EdgeState(msgspec.Struct, gc=False):
    """Everything known of an edge id. It is changed in place, as an ``EventState``.

    ``since``: the transaction time since which all of it reads so. ``row`` is None while it is not live. ``rulings``:
    those that concern it; the last one counts.
    """

    key: bytes
    since: int = 0
    assertions: tuple[EdgeAssertion, ...] = ()
    rulings: tuple[Concern, ...] = ()
    row: EdgeRow | None = None


class RulingState(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """The analysts' last word on an edge id, and where it has effect: the edge it concerns and its ends, if any."""

    word: EdgeAccepted | EdgeRuledOut | RulingWithdrawn | None = None
    edge_id: str | None = None
    src: str | None = None
    dst: str | None = None


class MessageState(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """A message: as first posted (lowest offset), its last edit, its last retraction.

    ``later``: its other postings, by offset. The first one counts unless it is erased; then the first that is not.
    ``events``: ids of the events that are asserted to rest on it, sorted. ``ruled``: the ids of edges whose rulings
    name it, sorted. No read of the past shows these two.
    """

    posted: MessagePosted | None = None
    posted_offset: int | None = None
    edited: MessageEdited | None = None
    edited_offset: int | None = None
    retracted_offset: int | None = None
    later: tuple[tuple[int, MessagePosted], ...] = ()
    events: tuple[str, ...] = ()
    ruled: tuple[str, ...] = ()

    @property
    def retracted(self) -> bool:
        """Whether it was withdrawn."""
        return self.retracted_offset is not None


UNHEARD = MessageState()
"""A message that nothing was said of."""


def shown_message(cell: MessageState) -> MessageState | None:
    """The part of a message's cell that a read of the past shows; None when nothing was ever said of it."""
    unheard = cell.posted is None and cell.edited is None and cell.retracted_offset is None
    return None if unheard else cell


class StoredSet(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A producer's best set for a session: its revision, and its record as bytes."""

    producer: str
    revision: int
    value: bytes


class AliasRuling(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """The last word on an alias; ``canonical`` None after a split."""

    at: int
    hash: str
    canonical: str | None


class Control(msgspec.Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """What steers a space: active producer per stage, below which offsets messages are erased, names of people.

    ``is_ruled``: analysts ruled on edges here.
    """

    active: dict[str, ProducerActivated] = {}
    erased_below: int = 0
    erased_conversations: dict[str, int] = {}
    erased_messages: dict[str, int] = {}
    aliases: dict[str, AliasRuling] = {}
    is_ruled: bool = False

    @property
    def erases(self) -> bool:
        """Whether anything of the space is erased."""
        return self.erased_below > 0 or bool(self.erased_conversations) or bool(self.erased_messages)


def space_prefix(space: SpaceKey) -> bytes:
    """Prefix of every key of a space. Length first, so that no space's prefix is another's."""
    return prefix_of(space.tenant, space.space)


@lru_cache(maxsize=100_000)
def prefix_of(tenant: str, space: str) -> bytes:
    """``space_prefix`` of a space by its names."""
    name = f"{tenant}/{space}".encode()
    return len(name).to_bytes(2, "big") + name


_encode = msgspec.msgpack.Encoder().encode


def message_part(key: MessageKey) -> bytes:
    """A message key inside a space."""
    return _encode((key.conversation_id, key.message_id))


def source_part(source: Source | MessageRecord) -> bytes:
    """``message_part`` of the message that a source or a record is about."""
    return _encode((source.conversation_id, source.message_id))


_decode_key = msgspec.msgpack.Decoder(tuple[str, str]).decode


def message_key(part: bytes) -> MessageKey:
    """The message key that ``message_part`` made a part of a key from."""
    return MessageKey(*_decode_key(part))
