"""Decodes sets of events and edges; a member that was read before is the very object it was then.

A session's sets are issued again and again, most of them as before. So their members are told apart by their bytes,
decoded once, and found equal by being the same.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from schemas.codec import decode
from schemas.edges import Edge, EdgesInferred
from schemas.events import Event, EventsDistilled
from schemas.record import Record
from schemas.topics import TopicName

MEMBERS_KEPT = 40_000
"""Of each kind, about 1 KB each with its bytes; all are forgotten at once beyond that."""

_TAGS = {"events": b"events_distilled", "edges": b"edges_inferred"}
_TAG_WITHIN = 64
"""The tag is the first field of a record as we write it."""

T = TypeVar("T")


class _EventsDistilled(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag_field="t", tag="events_distilled"):
    """``EventsDistilled`` with its events as bytes."""

    tenant: str
    space: str
    conversation_id: str
    session_id: str
    producer: str
    revision: int
    events: tuple[msgspec.Raw, ...]
    read: tuple[str, ...]
    slice: tuple[str, ...]
    covers: int
    learned_at: int
    left_out: int = 0


class _EdgesInferred(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag_field="t", tag="edges_inferred"):
    """``EdgesInferred`` with its edges as bytes."""

    tenant: str
    space: str
    session_id: str
    producer: str
    revision: int
    edges: tuple[msgspec.Raw, ...]
    covers: int
    learned_at: int


class _Members(Generic[T]):
    """Members by their bytes."""

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._known: dict[bytes, T] = {}

    def read(self, raws: tuple[msgspec.Raw, ...]) -> tuple[T, ...]:
        known, found = self._known, list[T]()
        for raw in raws:
            value = bytes(raw)
            member = known.get(value)
            if member is None:
                member = known[value] = self._decode(value)
            found.append(member)
        if len(known) > MEMBERS_KEPT:
            known.clear()
        return tuple(found)


class SetDecoder:
    """``schemas.codec.decode`` for one consumer that reads the same sets again and again."""

    def __init__(self) -> None:
        self._events = _Members(Event)
        self._edges = _Members(Edge)
        self._events_decoder = msgspec.msgpack.Decoder(_EventsDistilled)
        self._edges_decoder = msgspec.msgpack.Decoder(_EdgesInferred)

    def __call__(self, topic: TopicName, value: bytes) -> Record:
        """The record.

        Raises:
            BadRecordError: as ``decode`` does.
        """
        tag = _TAGS.get(topic)
        if tag is None or tag not in value[:_TAG_WITHIN]:
            return decode(topic, value)
        try:
            return self._edges_of(value) if topic == "edges" else self._events_of(value)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return decode(topic, value)  # which says what is wrong

    def _events_of(self, value: bytes) -> EventsDistilled:
        of = self._events_decoder.decode(value)
        return EventsDistilled(
            tenant=of.tenant, space=of.space, conversation_id=of.conversation_id, session_id=of.session_id,
            producer=of.producer, revision=of.revision, events=self._events.read(of.events), read=of.read,
            slice=of.slice, covers=of.covers, learned_at=of.learned_at, left_out=of.left_out,
        )  # fmt: skip

    def _edges_of(self, value: bytes) -> EdgesInferred:
        of = self._edges_decoder.decode(value)
        return EdgesInferred(
            tenant=of.tenant, space=of.space, session_id=of.session_id, producer=of.producer, revision=of.revision,
            edges=self._edges.read(of.edges), covers=of.covers, learned_at=of.learned_at,
        )  # fmt: skip
