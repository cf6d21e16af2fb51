"""The link stage: records of ``events`` and ``producers``, and names, in; sets of edges and verdicts out (II-C).

A session's edges are a function of all live event sets (``definition``). A record changes some events of the pool; what
depends on them is linked again: the sessions that hold them, and those with a later statement that passes the gate with
one of them. In order of statement there are none of the latter, so arrival in order pays for its own session only.

Cost of a record: a pass over the space's rows to merge, sort and index them (0.15 s of CPU for 10,000 events), and for
each of its own events one product of a matrix and a vector with all earlier ones (17 ms for 10,000); what is judged is
bounded by the gate's caps. A space that is not in memory is read in one scan: 2 s for 10,000 events.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import msgspec

from schemas.adjudications import AliasMerged, AliasRecord, AliasSplit
from schemas.codec import encode
from schemas.control import ProducerActivated
from schemas.edges import batch_session
from schemas.events import EventsAsserted, EventsDistilled
from schemas.ids import SpaceKey, digest, record_hash
from schemas.topics import TopicName

from ..activation import announced, announcement
from ..candidates import Row
from ..classify.protocol import Classifier
from ..parts import PARTS, PartLimits
from ..ports import Encoder, Entry, Output, StageState
from .copies import Copies
from .publish import Publisher
from .session import Pool
from .space import Progress, Space, read_progress, write_progress


class LinkStage:
    """Satisfies ``streams.ports.Stage``. A bad pair cannot occur: whatever decodes can be compared."""

    name = "link"
    inputs: tuple[TopicName, ...] = ("events", "producers", "adjudications")

    def __init__(self, classifier: Classifier, encoder: Encoder, limits: PartLimits = PARTS) -> None:
        self._classifier = classifier
        self._limits = limits
        self._encoder = encoder
        self._copies = Copies()

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Nothing waits for time."""
        return ()

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Fold one record; returns the sets of edges that changed, the record's own always."""
        record = entry.record
        if isinstance(record, EventsDistilled | EventsAsserted):
            return self._events(record, entry.offset, state)
        if isinstance(record, ProducerActivated) and record.stage == "distil":
            return self._activated(record, entry.offset, state)
        if isinstance(record, AliasMerged | AliasSplit):
            return self._named(record, entry.offset, state)
        return ()

    def _events(self, record: EventsDistilled | EventsAsserted, offset: int, state: StageState) -> list[Output]:
        progress = read_progress(record.key, state)
        space = self._take(record.key, progress.token, state)
        old = space.pool
        session_id = session_of(record)
        rank = (record.revision, record_hash(encode(record)))
        # A producer's batch read no session: what it says it covers is not about what is applied.
        covered = record.covers if isinstance(record, EventsDistilled) else 0
        space.put(session_id, record, rank, self._encoder, state)
        own = announcement(record.key, "link", self._classifier.producer, progress.announced, record.learned_at)
        after = msgspec.structs.replace(
            progress,
            token=digest(progress.token, "events", offset, rank[1]),
            events_offset=max(progress.events_offset, offset),
            covers=max(progress.covers, covered),
            learned_at=max(progress.learned_at, record.learned_at),
            announced=progress.announced if own is None else announced(own),
        )
        at = revision(offset, progress.rulings)
        publisher = self._publisher(space, state, at, covered, record.learned_at)
        outputs = publisher.publish(session_id, sorted(touched(old, space.pool) - {session_id}))
        if own is not None:
            outputs.insert(0, Output(topic="producers", record=own))
        self._keep(record.key, after, space, state)
        return outputs

    def _activated(self, record: ProducerActivated, offset: int, state: StageState) -> list[Output]:
        progress = read_progress(record.key, state)
        space = self._take(record.key, progress.token, state)
        old = space.pool
        if space.ruling is None or _rank(record) > _rank(space.ruling):
            space.rule(record, state)
        after = msgspec.structs.replace(
            progress,
            token=digest(progress.token, "producers", offset, record_hash(encode(record))),
            producers_offset=max(progress.producers_offset, offset),
            rulings=progress.rulings + (offset > progress.producers_offset),
            learned_at=max(progress.learned_at, record.at),
        )
        return self._linked_again(old, space, after, state)

    def _named(self, record: AliasRecord, offset: int, state: StageState) -> list[Output]:
        """A name was merged into another, or split: statements about either are compared anew."""
        progress = read_progress(record.key, state)
        space = self._take(record.key, progress.token, state)
        old, known = space.pool, space.words.get(record.alias.casefold())
        if known is None or _rank(record) > _rank(known):
            space.rename(record, state)
        after = msgspec.structs.replace(
            progress,
            token=digest(progress.token, "adjudications", offset, record_hash(encode(record))),
            names_offset=max(progress.names_offset, offset),
            rulings=progress.rulings + (offset > progress.names_offset),
            learned_at=max(progress.learned_at, record.at),
        )
        return self._linked_again(old, space, after, state)

    def _linked_again(self, old: Pool, space: Space, after: Progress, state: StageState) -> list[Output]:
        """What follows from a record that brings no events of its own."""
        return self._published(sorted(touched(old, space.pool)), space, after, state)

    def _published(self, sessions: Sequence[str], space: Space, after: Progress, state: StageState) -> list[Output]:
        """The sets that changed of the sessions. Whoever makes any is announced, for they count from then on only."""
        at = revision(after.events_offset, after.rulings)
        publisher = self._publisher(space, state, at, after.covers, after.learned_at)
        outputs = publisher.publish(None, sessions)
        own = announcement(space.key, "link", self._classifier.producer, after.announced, after.learned_at)
        if outputs and own is not None:
            outputs.insert(0, Output(topic="producers", record=own))
            after = msgspec.structs.replace(after, announced=announced(own))
        self._keep(space.key, after, space, state)
        return outputs

    def space(self, key: SpaceKey, state: StageState) -> Space:
        """What is known of a space, for looking at."""
        token = read_progress(key, state).token
        space = self._take(key, token, state)
        self._copies.keep(key, token, space)
        return space

    def judged_anew(self, key: SpaceKey, sessions: Iterable[str], cause: str, state: StageState) -> list[Output]:
        """The sets that changed of sessions some of whose pairs the classifier judges otherwise from now on.

        ``cause``: names the record that led to it; call it once for each.
        """
        progress = read_progress(key, state)
        space = self._take(key, progress.token, state)
        after = msgspec.structs.replace(
            progress, token=digest(progress.token, "judged anew", cause), rulings=progress.rulings + 1
        )
        return self._published(sorted(set(sessions) & space.pool.members.keys()), space, after, state)

    def all_judged_anew(self, key: SpaceKey, cause: str, state: StageState) -> list[Output]:
        """``judged_anew`` of every session of the space."""
        return self.judged_anew(key, list(self.space(key, state).pool.members), cause, state)

    def _publisher(self, space: Space, state: StageState, at: int, covers: int, learned_at: int) -> Publisher:
        return Publisher(
            self._classifier, space, state, revision=at, covers=covers, learned_at=learned_at, limits=self._limits
        )

    def _take(self, key: SpaceKey, token: str, state: StageState) -> Space:
        """The copy in memory if it is of this very state, else a fresh one; uncached while a step works on it."""
        return self._copies.take(key, token) or Space.read(key, state)

    def _keep(self, key: SpaceKey, progress: Progress, space: Space, state: StageState) -> None:
        write_progress(key, progress, state)
        self._copies.keep(key, progress.token, space)


def session_of(record: EventsDistilled | EventsAsserted) -> str:
    """The session, or the name under which a batch takes part."""
    if isinstance(record, EventsAsserted):
        return batch_session(record.producer, record.batch_id)
    return record.session_id


def revision(events_offset: int, rulings: int) -> int:
    """Revision of what a step publishes: grows with every record of either input, and depends on the log alone.

    1 + the offset in ``events``, + the number of activations, of words on aliases, and of replies of a model seen; so
    in a space with none of these it is the offset + 1. The sum depends on what was read and not on how the topics were
    interleaved.
    """
    return 1 + events_offset + rulings


def touched(old: Pool, new: Pool) -> set[str]:
    """Sessions whose edges may differ between two pools: exact but for pairs that a cap left out all along."""
    ids = old.by_id.keys() | new.by_id.keys()
    changed = [i for i in ids if old.by_id.get(i) is not new.by_id.get(i)]
    rows = [row for i in changed for row in (old.by_id.get(i), new.by_id.get(i)) if row is not None]
    hit = set(changed) | {row.event.id for row in _later_and_passing(new, rows)}
    sessions = old.members.keys() | new.members.keys()
    return {
        s for s in sessions if old.members.get(s) != new.members.get(s) or not hit.isdisjoint(new.members.get(s, ()))
    }


def _later_and_passing(pool: Pool, rows: Sequence[Row]) -> list[Row]:
    """Statements later than one of the rows that the gate compares with it."""
    found: dict[str, Row] = {}
    for row in rows:
        start = bisect_right(pool.rows, row.order, key=lambda other: other.order)
        found.update((later.event.id, later) for later in pool.gate.passing(row, start))
    return list(found.values())


def _rank(word: ProducerActivated | AliasRecord) -> tuple[int, str]:
    """Of words on one thing the later counts, ties by record hash."""
    return word.at, record_hash(encode(word))
