"""Small worlds of records for tests of the view: few names, so that everything collides with everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, RuledEnd, RulingWithdrawn
from schemas.control import ConversationErased, MessageErased, ProducerActivated, SpaceErased
from schemas.edges import Edge, EdgesAsserted, EdgesInferred
from schemas.entry import Entry
from schemas.events import Event, EventsAsserted, EventsDistilled, Source, Stated
from schemas.ids import SpaceKey, edge_id
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.topics import TOPICS, TopicName
from tests.kit import messages
from tests.kit.events import anchor, by, stated

SPACE = SpaceKey("acme", "s1")
DAY = 86_400_000_000
MESSAGES = [("c1", "m1"), ("c1", "m2"), ("c2", "m1")]
EVENTS = ["e1", "e2", "e3", "e4", "e5"]
SESSIONS = ["s1", "s2"]
PRODUCERS = ["p1", "p2"]
_TOPIC_OF: dict[type, TopicName] = {
    kind: name for name, topic in TOPICS.items() for kind in getattr(topic.records, "__args__", (topic.records,))
}


def event(event_id: str, **changes: Any) -> Event:
    """An asserted state said on day 10 in (c1, m1), unless changed. Instants in days × DAY."""
    at = changes.pop("said", 10) * DAY
    fields: dict[str, Any] = by("Ann") | {
        "sources": (Source(conversation_id="c1", message_id="m1", start=0, end=4),),
        "stated": Stated(at, 0, "m1", 0),
        "anchor": anchor(at),
        "attribute": "home",
    }
    return stated(event_id, f"text of {event_id}", at, **(fields | changes))


def edge(src: str, relation: str, dst: str, kind: str | None = None, **changes: Any) -> Edge:
    """An edge with its derived id."""
    fields: dict[str, Any] = {
        "id": edge_id(SPACE, src, relation, dst),
        "src": src,
        "dst": dst,
        "relation": relation,
        "kind": kind,
        "confidence": 0.9,
        "justification": "because",
        "slice": ("c1",),
        "span": None,
    }
    return Edge(**(fields | changes))


def distilled(*events: Event, session: str = "s1", producer: str = "p1", revision: int = 1) -> EventsDistilled:
    """A set of events of a session."""
    return EventsDistilled(
        tenant=SPACE.tenant, space=SPACE.space, conversation_id="c1", session_id=session, producer=producer,
        revision=revision, events=events, read=(), slice=("c1",), covers=revision, learned_at=revision,
    )  # fmt: skip


def inferred(*edges: Edge, session: str = "s1", producer: str = "l1", revision: int = 1) -> EdgesInferred:
    """A set of edges of a session."""
    return EdgesInferred(
        tenant=SPACE.tenant, space=SPACE.space, session_id=session, producer=producer, revision=revision, edges=edges,
        covers=revision, learned_at=revision,
    )  # fmt: skip


def posted(conversation: str = "c1", message: str = "m1", content: str = "text") -> MessagePosted:
    """A message."""
    return messages.posted(
        message, 10 * DAY, space=SPACE, conversation=conversation, content=content, received_at=10 * DAY, speaker="Ann"
    )


def entries(records: Sequence[Record]) -> list[Entry]:
    """Records with places in the log: one partition, offsets by topic, in the given order."""
    ends: Counter[TopicName] = Counter()
    out: list[Entry] = []
    for record in records:
        topic = _TOPIC_OF[type(record)]
        out.append(Entry(topic=topic, partition=0, offset=ends[topic], record=record))
        ends[topic] += 1
    return out


def _space(**fields: Any) -> dict[str, Any]:
    return {"tenant": SPACE.tenant, "space": SPACE.space, **fields}


_days = st.integers(1, 6)


@st.composite
def events_(draw: st.DrawFn) -> Event:
    """Any event of the small world; the same id may come with different fields."""
    said = draw(_days)
    sources = draw(st.lists(st.sampled_from(MESSAGES), max_size=2, unique=True))
    return event(
        draw(st.sampled_from(EVENTS)),
        said=said,
        sources=tuple(Source(conversation_id=c, message_id=m, start=0, end=1) for c, m in sources),
        stated=Stated(said * DAY, 0, draw(st.sampled_from(["m1", "m2"])), draw(st.integers(0, 1))),
        valid_from=draw(st.none() | _days.map(lambda d: d * DAY)),
        ends_at=draw(st.none() | _days.map(lambda d: d * DAY)),
        holds=draw(st.booleans()),
        modality=draw(st.sampled_from(["asserted", "planned"])),
        text=draw(st.sampled_from(["a", "b"])),
    )


@st.composite
def edges_(draw: st.DrawFn) -> Edge:
    """Any edge, self loops and repeated ids with other kinds included."""
    relation = draw(
        st.sampled_from(
            ["updates", "updates", "updates", "causes", "enables", "prevents", "contradicts", "possibly_updates"]
        )
    )
    kind = draw(st.sampled_from(["change", "done", "cancelled", "correction", "withdrawn"]))
    return edge(
        draw(st.sampled_from(EVENTS)),
        relation,
        draw(st.sampled_from(EVENTS)),
        kind if relation == "updates" else None,
        confidence=draw(st.sampled_from([0.5, 0.9])),
    )


@st.composite
def _ends(draw: st.DrawFn, event_id: str) -> RuledEnd:
    """An end by id, or by what some other event may rest on as well."""
    spans = draw(events_()).sources
    return RuledEnd(
        event_id=event_id, sources=spans, type="state_change", attribute=draw(st.sampled_from(["home", None]))
    )


@st.composite
def rulings(draw: st.DrawFn) -> Record:
    """An analyst's ruling on some edge."""
    ruled = draw(edges_())
    common = _space(edge_id=ruled.id, analyst=draw(st.sampled_from(["x", "y"])), at=draw(st.integers(1, 3)))
    src, dst = draw(_ends(ruled.src)), draw(_ends(ruled.dst))
    ends = {"src": src, "dst": dst, "relation": ruled.relation, "reason": "read it"}
    which = draw(st.integers(0, 2))
    if which == 0:
        return EdgeAccepted(**common, **ends, kind=ruled.kind)
    return EdgeRuledOut(**common, **ends) if which == 1 else RulingWithdrawn(**common)


@st.composite
def set_records(draw: st.DrawFn) -> Record:
    """A set of events or edges, distilled, inferred or asserted."""
    producer, revision = draw(st.sampled_from(PRODUCERS)), draw(st.integers(0, 6))
    common = _space(producer=producer, revision=revision, covers=draw(st.integers(0, 4)), learned_at=revision)
    session = {"session_id": draw(st.sampled_from(SESSIONS))}
    batch = {"batch_id": draw(st.sampled_from(["b1"])), "asserted_at": DAY}
    some_events = {"events": tuple(draw(st.lists(events_(), max_size=4))), "slice": ("c1",)}
    some_edges = {"edges": tuple(draw(st.lists(edges_(), max_size=5)))}
    which = draw(st.integers(0, 5))
    if which in (0, 1):
        return EventsDistilled(**common, **session, **some_events, conversation_id="c1", read=())
    if which == 2:
        return EventsAsserted(**common, **batch, **some_events)
    if which == 3:
        return EdgesAsserted(**common, **batch, **some_edges)
    return EdgesInferred(**common, **session, **some_edges)


@st.composite
def steering(draw: st.DrawFn) -> Record:
    """A message, an edit, a retraction, an erasure or an activation."""
    conversation, message = draw(st.sampled_from(MESSAGES))
    about = _space(conversation_id=conversation, message_id=message)
    upto = draw(st.integers(0, 3))
    which = draw(st.integers(0, 6))
    match which:
        case 0:
            return posted(conversation, message)
        case 1:
            return MessageEdited(**about, content="new", received_at=draw(st.integers(1, 3)))
        case 2:
            return MessageRetracted(**about, received_at=1)
        case 3:
            return MessageErased(**about, upto=upto, at=1)
        case 4:
            return ConversationErased(**_space(conversation_id=conversation, upto=upto, at=1))
        case 5:
            return SpaceErased(**_space(upto=upto, at=1))
        case _:
            return ProducerActivated(
                **_space(
                    stage=draw(st.sampled_from(["distil", "link"])),
                    producer=draw(st.sampled_from([*PRODUCERS, "p3"])),
                    fallback=draw(st.none() | st.sampled_from(PRODUCERS)),
                    further=tuple(draw(st.lists(st.sampled_from(PRODUCERS), max_size=2))),
                    at=draw(st.integers(1, 3)),
                )
            )


@st.composite
def streams_of_records(draw: st.DrawFn, max_size: int = 10) -> list[Record]:
    """A stream: often a dense world first (all events live, many edges), then sets, rulings and steering in between."""
    one = st.one_of(set_records(), set_records(), set_records(), rulings(), steering())
    dense: list[Record] = []
    if draw(st.booleans()):
        known = [draw(events_()) for _ in range(3)]
        named = [
            event(name, said=draw(_days), holds=draw(st.booleans()), valid_from=draw(st.none() | st.just(3 * DAY)))
            for name in EVENTS
        ]
        edges_set = tuple(draw(st.lists(edges_(), min_size=4, max_size=9)))
        dense = [distilled(*named), inferred(*edges_set, producer="p1"), distilled(*known, session="s2")]
        dense = draw(st.permutations(dense))
    return [*dense, *draw(st.lists(one, max_size=max_size))]
