"""A synthetic stream of records for the view, made from one seed: what small sessions and API producers send.

A space is a memory of one person. It goes through *turns*: a message; the set of events of its session, so far; the
session's theme; the set of edges of these events. A third of the turns go on with the session of the turn before, so
that their sets replace the former ones at a higher revision. Now and then a message is edited or retracted, an edge is
ruled out, or an API producer asserts a batch instead.

A space talks about ``CHAINS`` subjects and attributes at a time, each for so long that two statements are made on it,
in the mean. A new event updates every earlier one of its chain (as the link stage does: design section 5), up to
``MOST_UPDATES``. A third of the events follow the event before (``before``), one in ten causes, enables or contradicts
something. So an event has 1.4 edges in the mean, and that stays so however long a space gets.

Nothing here is measured: records are made before the clock starts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random

import msgspec

from schemas.adjudications import EdgeRuledOut, RuledEnd
from schemas.codec import encode
from schemas.edges import Edge, EdgesAsserted, EdgesInferred, Relation, UpdateKind
from schemas.events import Anchor, Event, EventsAsserted, EventsDistilled, Source, Stated
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.themes import SessionThemed
from schemas.times import US_PER_DAY, US_PER_SECOND
from schemas.topics import TopicName

EVENTS_PER_SPACE = 500
CHAINS = 50
"""Subjects and attributes a space talks about at a time."""
MOST_UPDATES = 3
ACTIVE_SPACES = 100
LOCAL_SHARE = 0.8
"""With locality this share of the records goes to the spaces that were active last; the rest anywhere."""

BEGIN = 1_900_000_000 * US_PER_SECOND
_MULTIPLIER = 0x9E3779B97F4A7C15F39CC0605CEDC835
_WORDS = (
    "river", "lantern", "orchard", "violin", "harbour", "granite", "meadow", "saffron", "compass", "pottery", "glacier",
    "walnut", "ferry", "almanac", "cinder", "juniper", "quarry", "thimble", "marigold", "anchor",
)  # fmt: skip


class RawRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record as a log hands it to the view (``schemas.parking.Raw``)."""

    topic: TopicName
    partition: int
    offset: int
    tenant: str
    space: str
    value: bytes


class _Space:
    """What the generator remembers of a space: its chains, and the session it is in."""

    __slots__ = ("chains", "events", "last_event", "messages", "name", "session", "session_edges", "session_events",
                 "sessions", "waiting")  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.events = 0
        self.messages = 0
        self.sessions = 0
        self.session = ""
        self.chains: dict[int, list[str]] = {}
        self.session_events: tuple[Event, ...] = ()
        self.session_edges: tuple[Edge, ...] = ()
        self.last_event: str | None = None
        self.waiting: deque[Record] = deque()


class Workload:
    """The stream. The same seed and calls give the same bytes."""

    def __init__(self, seed: int, spaces: int, *, partition: int = 0) -> None:
        self._rng = Random(seed)
        self._spaces = [_Space(f"space-{n}") for n in range(spaces)]
        self._active: deque[int] = deque(range(min(ACTIVE_SPACES, spaces)), maxlen=ACTIVE_SPACES)
        self._offsets: dict[TopicName, int] = {}
        self._partition = partition
        self._now = BEGIN
        self.events = 0
        """Events made so far."""

    def fill(self, events: int) -> Iterator[RawRecord]:
        """Records until every space has its share of so many events, space after space in a few rounds."""
        share = events // len(self._spaces)
        rounds = 5
        for turn in range(1, rounds + 1):
            for space in self._spaces:
                while space.events < share * turn // rounds:
                    yield self._next(space)

    def local(self, records: int) -> Iterator[RawRecord]:
        """Records most of which go to the spaces that were active last."""
        for _ in range(records):
            if self._rng.random() < LOCAL_SHARE:
                at = self._active[self._rng.randrange(len(self._active))]
            else:
                at = self._rng.randrange(len(self._spaces))
                if at not in self._active:
                    self._active.append(at)
            yield self._next(self._spaces[at])

    def random(self, records: int) -> Iterator[RawRecord]:
        """Records each of which goes to any space."""
        for _ in range(records):
            yield self._next(self._spaces[self._rng.randrange(len(self._spaces))])

    def _next(self, space: _Space) -> RawRecord:
        if not space.waiting:
            space.waiting.extend(self._turn(space))
        self._now += 1_000
        record = space.waiting.popleft()
        topic = _topic_of(record)
        offset = self._offsets.get(topic, 0)
        self._offsets[topic] = offset + 1
        return RawRecord(
            topic=topic, partition=self._partition, offset=offset, tenant="bench", space=space.name,
            value=encode(record),
        )  # fmt: skip

    # --- turns ------------------------------------------------------------------------------------------------------

    def _turn(self, space: _Space) -> Iterator[Record]:
        kind = self._rng.random()
        if kind < 0.04 and space.messages > 2:  # shares of the mix, as told in the help
            yield self._steering(space)
        elif kind < 0.10:
            yield from self._batch(space)
        else:
            yield from self._session(space, goes_on=kind > 0.7 and len(space.session_events) in range(1, 4))

    def _session(self, space: _Space, *, goes_on: bool) -> Iterator[Record]:
        said_at = self._now
        message = f"m{space.messages}"
        space.messages += 1
        offset = self._offsets.get("messages", 0)
        if not goes_on:
            space.session = f"s{space.sessions:023x}"
            space.sessions += 1
            space.session_events, space.session_edges = (), ()
        yield MessagePosted(
            tenant="bench", space=space.name, conversation_id="c", message_id=message, session_id=None, speaker="Ann",
            speaker_id=None, role="user", content=self._sentence(14), sent_at=said_at, utc_offset_min=0, tz=None,
            seq=0, received_at=said_at, time_assumed=False, ends_session=False,
        )  # fmt: skip
        events, edges = self._statements(space, message, said_at)
        space.session_events += events
        space.session_edges += edges
        covers = offset + 1
        yield EventsDistilled(
            tenant="bench", space=space.name, conversation_id="c", session_id=space.session, producer="offline-1",
            revision=2 * offset, events=space.session_events, read=(message,), slice=("c",), covers=covers,
            learned_at=said_at,
        )  # fmt: skip
        yield SessionThemed(
            tenant="bench", space=space.name, session_id=space.session, theme_id=f"t{space.sessions % 7:024x}",
            revision=offset, covers=covers, learned_at=said_at,
        )  # fmt: skip
        yield EdgesInferred(
            tenant="bench", space=space.name, session_id=space.session, producer="offline-1", revision=2 * offset,
            edges=space.session_edges, covers=covers, learned_at=said_at,
        )  # fmt: skip

    def _batch(self, space: _Space) -> Iterator[Record]:
        """A producer's own assertions, resting on no message."""
        said_at = self._now
        name = f"b{space.sessions}"
        space.sessions += 1
        events, edges = self._statements(space, None, said_at)
        yield EventsAsserted(
            tenant="bench", space=space.name, producer="crm", batch_id=name, revision=0, events=events, slice=("c",),
            asserted_at=said_at, covers=0, learned_at=said_at,
        )  # fmt: skip
        if edges:
            yield EdgesAsserted(
                tenant="bench", space=space.name, producer="crm", batch_id=name, revision=0, edges=edges,
                asserted_at=said_at, covers=0, learned_at=said_at,
            )  # fmt: skip

    def _steering(self, space: _Space) -> Record:
        message = f"m{self._rng.randrange(space.messages)}"
        kind = self._rng.random()
        if kind < 0.4 or not space.session_edges:
            return MessageEdited(
                tenant="bench", space=space.name, conversation_id="c", message_id=message, content=self._sentence(14),
                received_at=self._now,
            )  # fmt: skip
        if kind < 0.7:
            return MessageRetracted(
                tenant="bench", space=space.name, conversation_id="c", message_id=message, received_at=self._now
            )
        ruled = space.session_edges[0]
        src, dst = (
            RuledEnd(event_id=end, sources=(), type="state_change", attribute="home") for end in (ruled.src, ruled.dst)
        )
        return EdgeRuledOut(
            tenant="bench", space=space.name, edge_id=ruled.id, src=src, dst=dst, relation=ruled.relation,
            analyst="ann", reason="not so", at=self._now,
        )  # fmt: skip

    # --- statements -------------------------------------------------------------------------------------------------

    def _statements(
        self, space: _Space, message: str | None, said_at: int
    ) -> tuple[tuple[Event, ...], tuple[Edge, ...]]:
        """One to three events, and their edges to what was said before."""
        events: list[Event] = []
        edges: list[Edge] = []
        for position in range(self._rng.choices((1, 2, 3), (75, 20, 5))[0]):
            event, chain = self._event(space, message, said_at, position)
            known = space.chains.setdefault(chain, [])
            edges += [
                self._edge(space, event.id, "updates", older, self._kind()) for older in reversed(known[-MOST_UPDATES:])
            ]
            edges += self._other_edges(space, event.id)
            known.append(event.id)
            space.chains.pop(space.events // 2 - 1, None)
            space.last_event = event.id
            events.append(event)
        return tuple(events), tuple(edges)

    def _kind(self) -> UpdateKind:
        kinds: tuple[UpdateKind, ...] = ("change", "correction", "done", "cancelled", "withdrawn")
        return self._rng.choices(kinds, (80, 10, 5, 3, 2))[0]

    def _other_edges(self, space: _Space, event_id: str) -> Iterator[Edge]:
        draw = self._rng.random()
        if space.last_event is not None and draw < 0.33:  # shares of the mix, as told above
            yield self._edge(space, space.last_event, "before", event_id, None)
        if draw < 0.10:
            known = space.chains.get(self._chain(space))
            relation: Relation = "causes" if draw < 0.05 else "enables" if draw < 0.08 else "contradicts"
            if known:
                yield self._edge(space, known[-1], relation, event_id, None)

    def _chain(self, space: _Space) -> int:
        """One of what a space talks about now."""
        return space.events // 2 + self._rng.randrange(CHAINS)

    def _event(self, space: _Space, message: str | None, said_at: int, position: int) -> tuple[Event, int]:
        chain = self._chain(space)
        number = space.events
        space.events += 1
        self.events += 1
        start = position * 40
        source = Source(conversation_id="c", message_id=message or "", start=start, end=start + 38)
        sources = () if message is None else (source,)
        event = Event(
            id="e" + _mixed(space.name, number), type="state_change", subject="Ann", participants=("Ann",),
            speaker="Ann", text=f"Ann: {self._sentence(6)}", sources=sources,
            stated=Stated(said_at, 0 if message else position, message or "b", start),
            anchor=Anchor(
                start=said_at, until=said_at + US_PER_DAY, precision="day", phrase=None, resolution="message_time"
            ),
            valid_from=said_at - US_PER_DAY if self._rng.random() < 0.2 else None,
            ends_at=None, holds=True, modality="asserted", polarity="affirmed", attribute=f"attribute-{chain % 20}",
            value=self._rng.choice(_WORDS), expected_until=None, confidence=0.9,
        )  # fmt: skip
        return event, chain

    def _edge(self, space: _Space, src: str, relation: Relation, dst: str, kind: UpdateKind | None) -> Edge:
        name = "r" + _mixed(relation, int(src[1:], 16) ^ (int(dst[1:], 16) * 3))
        return Edge(
            id=name, src=src, dst=dst, relation=relation, kind=kind, confidence=0.8,
            justification="same subject and attribute, said later", slice=("c",), span=None,
        )  # fmt: skip

    def _sentence(self, words: int) -> str:
        return " ".join(self._rng.choices(_WORDS, k=words))


def _mixed(name: str, number: int) -> str:
    """24 hexadecimal digits that follow no order, as those of real ids."""
    salt = int.from_bytes(name.encode()[-8:], "big")
    return f"{((number * 2_654_435_761 + salt * 97 + 1) * _MULTIPLIER) & (2**96 - 1):024x}"


def _topic_of(record: Record) -> TopicName:
    match record:
        case MessagePosted() | MessageEdited() | MessageRetracted():
            return "messages"
        case EventsDistilled() | EventsAsserted():
            return "events"
        case EdgesInferred() | EdgesAsserted():
            return "edges"
        case SessionThemed():
            return "themes"
        case _:
            return "adjudications"
