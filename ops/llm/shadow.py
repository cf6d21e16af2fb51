"""A space read anew by another producer, beside the one that counts: in memory, from the same messages and replies.

Nothing of the space changes. What a model was asked before is not asked again: the question is the same, so its id is.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ops.llm.stages import distil_producer, distil_stage, link_stage
from ops.pipeline import StageRunner
from ops.settings import Settings
from ops.viewing import LiveView
from schemas.asking import AskWithdrawn, ModelAsked, ModelReplied
from schemas.codec import BadRecordError, decode, encode
from schemas.events import EventsAsserted, EventsDistilled
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.sessions import SessionRevised
from schemas.topics import TopicName
from streams.log import Log, LogEntry
from streams.log.memory import MemoryLog
from streams.ports import Encoder
from views.snapshot import Snapshot
from views.tables import MemoryTables

_COPIED: tuple[TopicName, ...] = ("messages", "adjudications", "erasures")


class Shadow:
    """The space as another producer reads it.

    Args:
        log: the space's records.
        space: which one.
        settings: with the other model, or none.
        encoder: for links.
        now: microseconds UTC.
    """

    def __init__(self, log: Log, space: SpaceKey, settings: Settings, encoder: Encoder, now: int) -> None:
        self.producer = distil_producer(settings)
        self._from = log
        self._space = space
        self._now = now
        self._log = MemoryLog()
        self._replies = 0
        batch = settings.stage_batch_records
        stages = (distil_stage(settings), link_stage(settings, encoder))
        self._runners = [StageRunner(self._log, stage, batch) for stage in stages]
        self._view = LiveView(self._log, MemoryTables(), batch)
        for topic in _COPIED:
            self._copy(topic, log.read_space(topic, space))
        self._copy("sessions", newest_sessions(log, space))
        batches = (raw for raw in log.read_space("events", space) if isinstance(_record(raw), EventsAsserted))
        self._copy("events", batches)

    def run(self) -> list[ModelAsked]:
        """Read on with the replies there are by now; returns the questions that are still open, oldest first."""
        replies = list(self._from.read_space("replies", self._space, self._replies))
        if replies:
            self._replies = replies[-1].offset + 1
        self._copy("replies", (raw for raw in replies if isinstance(_record(raw), ModelReplied)))
        while sum(runner.step(self._now) for runner in self._runners) + self._view.step(self._now):
            pass
        answered = {r.ask_id for r in self._records("replies") if isinstance(r, ModelReplied) and r.outcome != "failed"}
        asked: dict[str, ModelAsked] = {}
        for record in self._records("asks"):
            if isinstance(record, ModelAsked):
                asked[record.ask_id] = record
            elif isinstance(record, AskWithdrawn):
                asked.pop(record.ask_id, None)
        return [ask for ask_id, ask in asked.items() if ask_id not in answered]

    def snapshot(self) -> Snapshot:
        """The view it leads to."""
        return self._view.snapshot(self._space)

    def sets(self) -> list[EventsDistilled]:
        """The producer's sets."""
        records = self._records("events")
        return [r for r in records if isinstance(r, EventsDistilled) and r.producer == self.producer]

    def _records(self, topic: TopicName) -> Iterator[Record | None]:
        return (_record(raw) for raw in self._log.read_space(topic, self._space))

    def _copy(self, topic: TopicName, entries: Iterator[LogEntry]) -> None:
        with self._log.batch() as batch:
            for raw in entries:
                batch.append(topic, self._space, raw.value, raw.time_us)


def newest_sessions(log: Log, space: SpaceKey) -> Iterator[LogEntry]:
    """Each session at its newest revision, in the order these were written."""
    newest: dict[str, tuple[int, LogEntry]] = {}
    for raw in log.read_space("sessions", space):
        record = _record(raw)
        if isinstance(record, SessionRevised):
            known = newest.get(record.session_id)
            if known is None or known[0] <= record.revision:
                newest[record.session_id] = (record.revision, raw)
    yield from sorted((raw for _, raw in newest.values()), key=lambda raw: raw.offset)


def _record(raw: LogEntry) -> Record | None:
    """None for what cannot be decoded: the stages parked it."""
    try:
        return decode(raw.topic, raw.value)
    except BadRecordError:
        return None


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A statement as one of two views holds it; instants in microseconds UTC, None = open."""

    event_id: str
    subject: str | None
    text: str
    valid_from: int
    valid_until: int | None
    messages: tuple[str, ...]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What another producer would change: statements that appear, vanish, or hold for another time (before, after)."""

    appear: tuple[Fact, ...]
    vanish: tuple[Fact, ...]
    change: tuple[tuple[Fact, Fact], ...]
    same: int


def compare(before: Snapshot, after: Snapshot) -> Comparison:
    """The difference of two views of a space, in the order of statement."""
    old, new = _facts(before), _facts(after)
    kept = [i for i in old if i in new]
    return Comparison(
        appear=tuple(fact for i, fact in new.items() if i not in old),
        vanish=tuple(fact for i, fact in old.items() if i not in new),
        change=tuple((old[i], new[i]) for i in kept if old[i] != new[i]),
        same=sum(old[i] == new[i] for i in kept),
    )


def _facts(snapshot: Snapshot) -> dict[str, Fact]:
    rows = sorted(snapshot.view.events.items(), key=lambda item: (item[1].event.stated, item[0]))
    return {
        event_id: Fact(
            event_id=event_id, subject=row.event.subject, text=row.event.text, valid_from=row.valid_from,
            valid_until=row.valid_until, messages=tuple(s.message_id for s in row.event.sources),
        )
        for event_id, row in rows
    }  # fmt: skip


def record_all(log: Log, topic: TopicName, records: list[EventsDistilled] | list[ModelAsked], now: int) -> None:
    """Append records in one write."""
    with log.batch() as batch:
        for record in records:
            batch.append(topic, record.key, encode(record), now)
