"""What each store does to forget. Every function may be called again after a kill: it finds what is left to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import msgspec

from ops.pipeline import stage_state
from ops.viewing import LiveView
from schemas.codec import BadRecordError, decode, encode
from schemas.edges import EdgesAsserted
from schemas.events import EventsAsserted
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.topics import TopicName
from streams.distil.naming import forget_words
from streams.distil.stage import DistilStage
from streams.keys import prefix_range, state_key
from streams.link.space import forget_events, forget_names
from streams.link.stage import LinkStage
from streams.llm.desk import Desk, forget_ask
from streams.log import Log, LogEntry, partition_of
from streams.state import OverlayState
from views.vectors.protocol import PointKind, VectorIndex
from views.vectors.refs import note_key

from .gone import Gone, find_gone
from .scrub import SCRUBBED, scrubbed
from .work import Work, save

BATCH_RECORDS = 256
"""Records written anew in one write: a few megabytes at most."""


def gone_of(log: Log, work: Work) -> Gone:
    """What is to go, as the log tells it now. Costs by the space's events, questions and rulings."""
    events = _records(log.read_space("events", work.space), "events")
    asks = ((e.offset, r) for e in log.read_space("asks", work.space) for r in _records((e,), "asks"))
    entries = log.read_space("adjudications", work.space)
    words = ((e.offset, r) for e in entries for r in _records((e,), "adjudications"))
    return find_gone(work.extent, work.begun, events, asks, words)


def replace_batches(log: Log, work: Work, gone: Gone, now: int) -> None:
    """API batches that rest on what is erased, without it: new revisions, so that what follows from them follows.

    The producer may send the batch again meanwhile, so the last look at the log is taken within the write.
    """
    partition = partition_of(work.space, log.partitions)
    topics: tuple[TopicName, ...] = ("events", "edges")
    read = {topic: log.end(topic, partition) for topic in topics}
    entries = [e for topic in topics for e in log.read_space(topic, work.space) if e.offset < read[topic]]
    with log.batch() as batch:
        entries += [entry for topic in topics for entry in log.read_space(topic, work.space, read[topic])]
        for record in replaced_batches(entries, gone, log.end("events", partition), now):
            topic = "events" if isinstance(record, EventsAsserted) else "edges"
            batch.append(topic, work.space, encode(record), now)


def replaced_batches(
    entries: Iterable[LogEntry], gone: Gone, revision: int, now: int
) -> Iterator[EventsAsserted | EdgesAsserted]:
    """The API batches that rest on what is gone, as they are to be written again. Pure.

    Args:
        entries: of ``events`` and ``edges`` of the space, each topic's in order; others are passed over.
        gone: what is to go.
        revision: higher than any so far: the end of ``events``.
        now: when this is learned, microseconds UTC.
    """
    latest: dict[tuple[str, str, str], EventsAsserted | EdgesAsserted] = {}
    for entry in entries:
        if entry.topic in {"events", "edges"}:
            for record in _records((entry,), entry.topic):
                if isinstance(record, EventsAsserted | EdgesAsserted):
                    latest[entry.topic, record.producer, record.batch_id] = record
    for _, record in sorted(latest.items()):
        clean = _without(record, gone)
        if clean is not record:
            yield msgspec.structs.replace(clean, revision=revision, learned_at=now)


def _without(record: EventsAsserted | EdgesAsserted, gone: Gone) -> EventsAsserted | EdgesAsserted:
    """The batch without what rests on an erased message; the same object when nothing does."""
    if isinstance(record, EventsAsserted):
        events = tuple(event for event in record.events if gone.keeps(record, event))
        return record if len(events) == len(record.events) else msgspec.structs.replace(record, events=events)
    if gone.extent.whole_space and record.covers <= gone.begun.upto:
        return record if not record.edges else msgspec.structs.replace(record, edges=())
    edges = tuple(edge for edge in record.edges if gone.events.isdisjoint((edge.src, edge.dst)))
    return record if len(edges) == len(record.edges) else msgspec.structs.replace(record, edges=edges)


def scrub_stages(log: Log, work: Work, gone: Gone) -> Work:
    """Rows of stages that the flow does not replace by itself: sets of producers that worked here before, questions to
    a model with its replies and verdicts; of a whole space also its people's names."""
    link, distil, desk = (stage_state(log, name) for name in (LinkStage.name, DistilStage.name, Desk.name))
    forgotten = forget_events(work.space, link, gone.keeps_in_link)
    rows = _drop(link, [state_key("question", work.space, ask) for ask in sorted(gone.asks)])
    _drop(link, [at for at, ask in link.scan(*prefix_range("shown", work.space)) if ask.decode() in gone.asks])
    rows += _drop(link, [state_key("verdict", work.space, pair) for pair in sorted(gone.pairs)])
    for kind in ("reply", "asked"):
        rows += _drop(distil, [state_key(kind, work.space, ask) for ask in sorted(gone.asks)])
    words = None if gone.extent.whole_space else gone.words
    forgotten += forget_names(work.space, link, words) + forget_words(work.space, distil, words)
    if gone.extent.whole_space:
        rows += _drop(distil, [key for key, _ in distil.scan(*prefix_range("pending", work.space))])
    rows += sum(forget_ask(desk, ask) for ask in sorted(gone.asks))
    work = work.counting("stages", "events and names kept beside", forgotten)
    work = work.counting("stages", "questions and answers of a model", rows)
    with log.batch() as batch:
        for state in (link, distil, desk):
            state.write_to(batch)
        save(batch, work)
    return work


def _drop(state: OverlayState, keys: Iterable[bytes]) -> int:
    """Delete rows; returns how many were there."""
    there = [key for key in keys if state.get(key) is not None]
    for key in there:
        state.delete(key)
    return len(there)


def scrub_log(log: Log, work: Work, gone: Gone) -> Work:
    """Records that hold text, topic by topic."""
    for topic in SCRUBBED:
        entries = log.read_space(topic, work.space)
        changed = ((entry, value) for entry in entries if (value := scrubbed(entry, gone)) != entry.value)
        for some in _chunks(changed):
            work = work.counting("log", topic, len(some))
            with log.batch() as batch:
                for entry, value in some:
                    batch.replace(entry, value)
                save(batch, work)
    return work


def scrub_view(view: LiveView, work: Work, now: int) -> Work:
    """The space's rows, folded anew from the log as it is now: whatever the view's tables, nothing else is in them."""
    view.rebuild(work.space, now)
    return work.counting("view", "messages", work.begun.messages)


def indexed(index: VectorIndex, space: SpaceKey) -> dict[PointKind, frozenset[str]]:
    """What the index holds of the space."""
    kinds: tuple[PointKind, ...] = ("note", "event")
    return {kind: frozenset(index.refs(space, kind)) for kind in kinds}


def scrub_index(view: LiveView, index: VectorIndex, work: Work) -> Work:
    """Points of what the view does not hold (any more)."""
    notes = [ref for ref in index.refs(work.space, "note") if not _is_noted(view, work.space, ref)]
    events = [event_id for event_id in index.refs(work.space, "event") if view.event(work.space, event_id) is None]
    index.delete(work.space, "note", notes)
    index.delete(work.space, "event", events)
    index.flush()
    return work.counting("vectors", "notes", len(notes)).counting("vectors", "events", len(events))


def _is_noted(view: LiveView, space: SpaceKey, ref: str) -> bool:
    message = view.message(space, note_key(ref))
    return message is not None and not message.retracted


T = TypeVar("T")


def _chunks(items: Iterator[T]) -> Iterator[Sequence[T]]:
    while some := tuple(islice(items, BATCH_RECORDS)):
        yield some


def _records(entries: Iterable[LogEntry], topic: TopicName) -> Iterator[Record]:
    for entry in entries:
        try:
            yield decode(topic, entry.value)
        except BadRecordError:
            continue  # parked by whoever read it
