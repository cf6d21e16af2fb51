"""What a producer asserts itself: the wire form to the two records that carry it. Pure, but for the look-up given.

Both records are always made, also when empty: the same (producer, batch id) replaces events and edges alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from schemas.codec import encode
from schemas.edges import Edge, EdgesAsserted
from schemas.events import Anchor, Event, EventsAsserted, Source, Stated
from schemas.ids import SpaceKey, asserted_event_id, edge_id
from schemas.messages import MessagePosted
from schemas.times import US_PER_DAY, US_PER_MINUTE
from schemas.wire import AssertedOut, AssertionsIn, EdgeIn, EventIn, SourceIn

from .checks import RefusedError, check_content, check_id, check_space, check_span, check_time
from .ingest import Ingest
from .log import Log, partition_of

FindMessage = Callable[[str, str], MessagePosted | None]
"""(conversation id, message id) → the accepted message with its current content; None when unknown or retracted."""

MAX_TEXT_BYTES = 64 * 1024
_EVENT_ID = re.compile(r"e[0-9a-f]{24}")


class Asserted(msgspec.Struct, frozen=True, kw_only=True):
    """The records of a batch, and the id of every key."""

    events: EventsAsserted
    edges: EdgesAsserted
    event_ids: dict[str, str]


def assert_events(log: Log, ingest: Ingest, space: SpaceKey, assertions: AssertionsIn, *, now: int) -> AssertedOut:
    """Accept a producer's batch into ``events`` and ``edges``, together.

    ``wait_for`` is the end of ``messages``: an assertion is applied in its turn and covers no message.

    Raises:
        RefusedError: with the field and one of the codes of ``checks``, or not_found, bad_span, bad_confidence,
            bad_kind, bad_edge, duplicate_key. Nothing was accepted.
    """
    check_space(space)
    partition = partition_of(space, log.partitions)

    def find(conversation_id: str, message_id: str) -> MessagePosted | None:
        return ingest.find(space, conversation_id, message_id)

    with log.batch() as batch:
        revision = log.end("events", partition)
        wait_for = log.end("messages", partition)
        asserted = read_assertions(space, assertions, find, revision=revision, covers=wait_for, learned_at=now)
        batch.append("events", space, encode(asserted.events), now)
        batch.append("edges", space, encode(asserted.edges), now)
    return AssertedOut(
        batch_id=assertions.batch_id,
        event_ids=asserted.event_ids,
        edge_ids=tuple(edge.id for edge in asserted.edges.edges),
        wait_for=wait_for,
    )


def read_assertions(
    space: SpaceKey, wire: AssertionsIn, find: FindMessage, *, revision: int, covers: int, learned_at: int
) -> Asserted:
    """The records of a batch.

    An event's stated time is that of its last source span, else ``asserted_at`` and its position.

    Args:
        space: its tenant and space.
        wire: what was sent.
        find: looks up source messages.
        revision: offset the events record will have in ``events``; a later batch of the same id is higher.
        covers: end of ``messages``: edits below it were known to the producer, later ones make its events stale.
        learned_at: transaction time, microseconds UTC.

    Raises:
        RefusedError: see ``assert_events``.
    """
    check_id("batch_id", wire.batch_id)
    check_id("producer", wire.producer)
    if "/" in wire.producer:
        raise RefusedError("bad_name", "must not contain a slash", "producer")
    for n, conversation_id in enumerate(wire.slice):
        check_id(f"slice[{n}]", conversation_id)
    asserted_at, offset_min = check_time("asserted_at", wire.asserted_at)
    event_ids = _event_ids(space, wire)
    events: list[Event] = []
    for n, event in enumerate(wire.events):
        stated = Stated(asserted_at, n, wire.batch_id, 0)
        events.append(_event(f"events[{n}]", event, event_ids[event.key], stated, offset_min, find))
    return Asserted(
        events=EventsAsserted(
            tenant=space.tenant,
            space=space.space,
            producer=wire.producer,
            batch_id=wire.batch_id,
            revision=revision,
            events=tuple(events),
            slice=wire.slice,
            asserted_at=asserted_at,
            covers=covers,
            learned_at=learned_at,
        ),
        edges=EdgesAsserted(
            tenant=space.tenant,
            space=space.space,
            producer=wire.producer,
            batch_id=wire.batch_id,
            revision=revision,
            edges=_edges(space, wire, event_ids),
            asserted_at=asserted_at,
            covers=covers,
            learned_at=learned_at,
        ),
        event_ids=event_ids,
    )


def _event_ids(space: SpaceKey, wire: AssertionsIn) -> dict[str, str]:
    ids: dict[str, str] = {}
    for n, event in enumerate(wire.events):
        field = f"events[{n}].key"
        check_id(field, event.key)
        if _EVENT_ID.fullmatch(event.key):
            raise RefusedError("bad_name", "must not look like an event id", field)
        if event.key in ids:
            raise RefusedError("duplicate_key", f"{event.key!r} names an earlier event of the batch", field)
        ids[event.key] = asserted_event_id(space, wire.producer, event.key)
    return ids


def _event(at: str, event: EventIn, event_id: str, stated: Stated, offset_min: int, find: FindMessage) -> Event:
    """One event; ``stated`` and ``offset_min`` hold where it names no source message."""
    _check_texts(at, event)
    spans = [_source(f"{at}.sources[{n}]", source, find) for n, source in enumerate(event.sources)]
    speaker = event.speaker
    if spans:
        stated, message = max(((_stated(span, found), found) for span, found in spans), key=lambda pair: pair[0])
        offset_min = message.utc_offset_min
        speaker = message.speaker if speaker is None else speaker
    valid_from = _time(f"{at}.valid_from", event.valid_from)
    ends_at = _time(f"{at}.ends_at", event.ends_at)
    check_span(f"{at}.ends_at", valid_from, ends_at)
    if event.expected_until is not None and event.type != "plan":
        raise RefusedError("bad_interval", "is for plans only", f"{at}.expected_until")
    return Event(
        id=event_id,
        type=event.type,
        subject=event.subject,
        participants=tuple(sorted(set(event.participants))),
        speaker=speaker,
        text=event.text,
        sources=tuple(span for span, _ in spans),
        stated=stated,
        anchor=_anchor(f"{at}.anchor", event, stated.sent_at, offset_min),
        valid_from=valid_from,
        ends_at=ends_at,
        holds=event.holds,
        modality=event.modality,
        polarity=event.polarity,
        attribute=event.attribute,
        value=event.value,
        expected_until=_time(f"{at}.expected_until", event.expected_until),
        confidence=_confidence(f"{at}.confidence", event.confidence),
    )


def _check_texts(at: str, event: EventIn) -> None:
    check_content(f"{at}.text", event.text, MAX_TEXT_BYTES)
    names = [("subject", event.subject), ("speaker", event.speaker), ("attribute", event.attribute)]
    names += [(f"participants[{n}]", name) for n, name in enumerate(event.participants)]
    for field, name in names:
        if name is not None:
            check_id(f"{at}.{field}", name)
    if event.value is not None:
        check_content(f"{at}.value", event.value, MAX_TEXT_BYTES)


def _source(at: str, source: SourceIn, find: FindMessage) -> tuple[Source, MessagePosted]:
    check_id(f"{at}.conversation_id", source.conversation_id)
    check_id(f"{at}.message_id", source.message_id)
    message = find(source.conversation_id, source.message_id)
    if message is None:
        raise RefusedError("not_found", "no such message in this conversation", f"{at}.message_id")
    length = len(message.content)
    start = 0 if source.start is None else source.start
    end = length if source.end is None else source.end
    if not 0 <= start < length:
        raise RefusedError("bad_span", f"must be between 0 and {length - 1}", f"{at}.start")
    if not start < end <= length:
        raise RefusedError("bad_span", f"must be between {start + 1} and {length}", f"{at}.end")
    span = Source(conversation_id=source.conversation_id, message_id=source.message_id, start=start, end=end)
    return span, message


def _stated(span: Source, message: MessagePosted) -> Stated:
    return Stated(message.sent_at, message.seq, message.message_id, span.start)


def _anchor(at: str, event: EventIn, said_at: int, offset_min: int) -> Anchor:
    """As given, else the local day (24 hours at the message's own offset) in which it was said."""
    if event.anchor is None:
        shift = offset_min * US_PER_MINUTE
        start = (said_at + shift) // US_PER_DAY * US_PER_DAY - shift
        return Anchor(start=start, until=start + US_PER_DAY, precision="day", phrase=None, resolution="message_time")
    start, _ = check_time(f"{at}.start", event.anchor.start)
    until, _ = check_time(f"{at}.until", event.anchor.until)
    check_span(f"{at}.until", start, until)
    return Anchor(start=start, until=until, precision=event.anchor.precision, phrase=None, resolution="explicit")


def _time(field: str, text: str | None) -> int | None:
    return None if text is None else check_time(field, text)[0]


def _confidence(field: str, confidence: float) -> float:
    if not 0.0 <= confidence <= 1.0:
        raise RefusedError("bad_confidence", "must be between 0 and 1", field)
    return confidence


def _edges(space: SpaceKey, wire: AssertionsIn, event_ids: dict[str, str]) -> tuple[Edge, ...]:
    edges: dict[str, Edge] = {}
    for n, edge in enumerate(wire.edges):
        made = _edge(f"edges[{n}]", space, wire, edge, event_ids)
        if made.id in edges:
            raise RefusedError("duplicate_key", "is an earlier edge of the batch", f"edges[{n}]")
        edges[made.id] = made
    return tuple(edges.values())


def _edge(at: str, space: SpaceKey, wire: AssertionsIn, edge: EdgeIn, event_ids: dict[str, str]) -> Edge:
    def end(field: str, name: str) -> str:
        check_id(f"{at}.{field}", name)
        if _EVENT_ID.fullmatch(name):
            return name
        return event_ids.get(name) or asserted_event_id(space, wire.producer, name)

    src, dst = end("src", edge.src), end("dst", edge.dst)
    if src == dst:
        raise RefusedError("bad_edge", "must not be the source itself", f"{at}.dst")
    if (edge.kind is None) == (edge.relation == "updates"):
        rule = "is required for updates" if edge.kind is None else "is for updates only"
        raise RefusedError("bad_kind", rule, f"{at}.kind")
    if edge.justification:
        check_content(f"{at}.justification", edge.justification, MAX_TEXT_BYTES)
    return Edge(
        id=edge_id(space, src, edge.relation, dst),
        src=src,
        dst=dst,
        relation=edge.relation,
        kind=edge.kind,
        confidence=_confidence(f"{at}.confidence", edge.confidence),
        justification=edge.justification,
        slice=wire.slice,
        span=None,
    )
