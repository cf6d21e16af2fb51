"""Statements, records and a driver for tests of linking: few words, so that everything meets everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.adjudications import AliasMerged, AliasSplit, canonical_names, merges, with_names
from schemas.codec import encode
from schemas.control import ProducerActivated
from schemas.edges import Edge, EdgesInferred
from schemas.entry import Entry
from schemas.events import Event, EventsAsserted, EventsDistilled, Source, Stated
from schemas.ids import digest, record_hash
from schemas.record import Record
from schemas.times import US_PER_DAY
from streams.candidates import Row, make_row
from streams.classify.offline import OfflineClassifier
from streams.classify.protocol import Classifier
from streams.link.definition import edges_of
from streams.link.live import HeldSet
from streams.link.stage import LinkStage, session_of
from streams.own_words import own_words
from streams.state import MemoryState
from streams.unit_vectors import quantize
from tests.kit.encoders import HashingEncoder
from tests.kit.events import anchor, by, stated
from tests.kit.records import SPACE
from tests.kit.records import distilled as distilled  # goes with the statements below
from tests.kit.records import entries as entries

ENCODER = HashingEncoder()


def statement(text: str, day: int, **changes: Any) -> Event:
    """What Ann says on a day, asserted and affirmed unless changed. The id follows from text and day."""
    message_id = changes.pop("message_id", f"m{day}")
    about = changes.pop("about", day)
    fields: dict[str, Any] = by("Ann") | {
        "sources": (Source(conversation_id="c1", message_id=message_id, start=0, end=len(text)),),
        "stated": Stated(day * US_PER_DAY, 0, message_id, 0),
        "anchor": anchor(about * US_PER_DAY),
    }
    return stated("e" + digest(text, day), text, day * US_PER_DAY, **(fields | changes))


def lives(city: str, day: int, **changes: Any) -> Event:
    """Ann's home on a day."""
    return statement(f"I live in {city}", day, attribute="home", value=city, **changes)


def plan(text: str, day: int, **changes: Any) -> Event:
    """What Ann plans on a day."""
    return statement(text, day, type="plan", modality="planned", **changes)


def row(event: Event, producer: str | None = None) -> Row:
    """The gate's row of an event."""
    return make_row(event, quantize(ENCODER.encode([own_words(event.text)]))[0], producer)


def asserted(*events: Event, producer: str = "api", batch: str = "b1", revision: int = 1) -> EventsAsserted:
    """An API producer's batch."""
    return EventsAsserted(
        tenant=SPACE.tenant,
        space=SPACE.space,
        producer=producer,
        batch_id=batch,
        revision=revision,
        events=events,
        slice=(),
        asserted_at=0,
        covers=revision,
        learned_at=revision,
    )


def activated(producer: str, fallback: str | None = None, at: int = 1, stage: Any = "distil") -> ProducerActivated:
    """A ruling on whose sets count."""
    return ProducerActivated(
        tenant=SPACE.tenant, space=SPACE.space, stage=stage, producer=producer, fallback=fallback, at=at
    )


def merged(alias: str, canonical: str, at: int = 1) -> AliasMerged:
    """An analyst's word that two names are one person."""
    return AliasMerged(
        tenant=SPACE.tenant, space=SPACE.space, alias=alias, canonical=canonical, analyst="mo", evidence="", at=at
    )


def split(alias: str, at: int = 1) -> AliasSplit:
    """That they are not."""
    return AliasSplit(tenant=SPACE.tenant, space=SPACE.space, alias=alias, analyst="mo", at=at)


class Linking:
    """The link stage on a state in memory, with everything it published."""

    def __init__(self, classifier: Classifier | None = None) -> None:
        self._classifier = OfflineClassifier() if classifier is None else classifier
        self.state = MemoryState()
        self.stage = self.restarted()
        self.published: list[Record] = []

    def restarted(self) -> LinkStage:
        """A stage that has nothing in memory."""
        return LinkStage(self._classifier, ENCODER)

    def apply(self, entry: Entry) -> list[Record]:
        """Fold one record; returns what it led to."""
        out = [output.record for output in self.stage.apply(entry, self.state, now=0)]
        self.published += out
        return out

    def run(self, records: Sequence[Record]) -> Linking:
        """Fold records in this order."""
        for entry in entries(records):
            self.apply(entry)
        return self

    def edges(self) -> dict[str, tuple[Edge, ...]]:
        """By session, the set of edges of the highest revision; sessions without an edge left out."""
        best: dict[str, EdgesInferred] = {}
        for record in self.published:
            if not isinstance(record, EdgesInferred):
                continue
            former = best.get(record.session_id)
            if former is None or former.revision <= record.revision:
                best[record.session_id] = record
        return {session: record.edges for session, record in sorted(best.items()) if record.edges}

    def relations(self) -> set[tuple[str, str, str, str | None]]:
        """(source, relation, target, kind) of every edge but ``before``."""
        every = [edge for edges in self.edges().values() for edge in edges]
        return {(e.src, e.relation, e.dst, e.kind) for e in every if e.relation != "before"}


def defined(records: Sequence[Record], classifier: Classifier | None = None) -> dict[str, tuple[Edge, ...]]:
    """What the definition says about a set of records, whose live sets are found here in the plainest way."""
    best: dict[tuple[str, str], EventsDistilled | EventsAsserted] = {}
    rulings: list[ProducerActivated] = []
    words: dict[str, AliasMerged | AliasSplit] = {}
    for record in records:
        if isinstance(record, AliasMerged | AliasSplit):
            alias = record.alias.casefold()
            words[alias] = max((w for w in (words.get(alias), record) if w is not None), key=_said)
        elif isinstance(record, ProducerActivated):
            rulings += [record] if record.stage == "distil" else []
        elif isinstance(record, EventsDistilled | EventsAsserted):
            key = (session_of(record), record.producer)
            if key not in best or _rank(best[key]) < _rank(record):
                best[key] = record
    ruling = max(rulings, key=lambda r: (r.at, record_hash(encode(r))), default=None)
    live: list[HeldSet] = []
    for (session_id, producer), record in sorted(best.items()):
        batch = isinstance(record, EventsAsserted)
        rivals = [p for s, p in best if s == session_id]
        wanted = sorted(rivals)[0]
        if ruling is not None:
            named = [p for p in (ruling.producer, ruling.fallback, *ruling.further) if p in rivals]
            newest = [
                p for p in named if best[session_id, p].revision == max(best[session_id, q].revision for q in named)
            ]
            wanted = newest[0] if newest else None
        if batch or producer == wanted:
            said = [with_names(event, canonical_names(merges(words.values()))) for event in record.events]
            rows = tuple(row(event, producer if batch else None) for event in said)
            live.append(
                HeldSet(session_id=session_id, producer=producer, asserted=batch, rank=_rank(record), rows=rows)
            )
    every = edges_of(SPACE, live, OfflineClassifier() if classifier is None else classifier)
    return {session: edges for session, edges in every.items() if edges}


def _said(word: AliasMerged | AliasSplit) -> tuple[int, str]:
    return word.at, record_hash(encode(word))


def _rank(record: EventsDistilled | EventsAsserted) -> tuple[int, str]:
    return record.revision, record_hash(encode(record))
