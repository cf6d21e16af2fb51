"""Analysts' rulings and the choice of producers on the embedded log: checked, appended, and in the view at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeVar

from ops.facts import SpaceFacts
from query.api import ParticipantsResult, ProducersResult, RulingsResult
from query.participants import participants
from query.producers import producers
from query.rulings import rulings
from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.codec import BadRecordError, decode, encode
from schemas.control import ProducerActivated
from schemas.edges import EdgesInferred
from schemas.events import Event, EventsDistilled
from schemas.ids import MessageKey, SpaceKey, record_hash
from schemas.messages import MessageEdited, MessagePosted
from schemas.parking import Raw
from schemas.record import Record
from schemas.ruling_wire import ActivatedOut, ActivateIn, AdjudicatedOut, AdjudicationIn
from schemas.topics import TopicName
from streams.activate import activate
from streams.adjudicate import Docket, decide
from views.reader import Basis
from views.rulings import Around, Placed, place
from views.snapshot import Snapshot

R = TypeVar("R", bound=Record)
Status = Literal["accepted", "duplicate"]
_ON_EDGES = (EdgeAccepted, EdgeRuledOut, RulingWithdrawn)


class Written(Protocol):
    """What is asked of the log."""

    def batch(self) -> AbstractContextManager[Appending]: ...
    def read_space(self, topic: TopicName, space: SpaceKey) -> Iterable[Raw]: ...


class Appending(Protocol):
    """An open batch of it."""

    def append(self, topic: TopicName, space: SpaceKey, value: bytes, now: int) -> int: ...


class Viewed(Protocol):
    """What is asked of the view."""

    def snapshot(self, space: SpaceKey) -> Snapshot: ...
    def read(self, space: SpaceKey, known_at: int | None) -> tuple[Snapshot, Basis]: ...
    def basis(self, space: SpaceKey) -> Basis: ...


class Adjudicating:
    """Thread-safe: of two who rule at once the second sees what the first said.

    Args:
        log: where records go.
        view: kept from it.
        clock: microseconds UTC.
        apply: brings what follows from a ruling on an edge into the view.
        relink: the same of what changes what is compared: names, and whose sets count.
    """

    def __init__(
        self,
        log: Written,
        view: Viewed,
        *,
        clock: Callable[[], int],
        apply: Callable[[SpaceKey], None],
        relink: Callable[[SpaceKey], None],
    ) -> None:
        self._log = log
        self._view = view
        self._now = clock
        self._apply = apply
        self._relink = relink
        self._lock = threading.Lock()

    def adjudicate(self, space: SpaceKey, wanted: AdjudicationIn) -> AdjudicatedOut:
        """Append what an analyst asks for. Raises ``RefusedError``."""
        with self._lock:
            docket, cut = self._docket(space), self._view.snapshot(space)
            facts = SpaceFacts(space, cut, cut.ruled_out(), self._placed(space, docket, cut))
            decision = decide(space, wanted, facts, docket, self._now())
            self._append("adjudications", decision.records)
        (self._apply if decision.alias is None else self._relink)(space)
        return AdjudicatedOut(
            status=_status(decision.records), edge_id=decision.edge_id, alias=decision.alias, unknown=decision.unknown
        )  # fmt: skip

    def activate(
        self, space: SpaceKey, wanted: ActivateIn, then: Callable[[SpaceKey], None] | None = None
    ) -> ActivatedOut:
        """Make a producer the active one; ``then``: applies it instead of the processors. Raises ``RefusedError``."""
        with self._lock:
            table = self.producers(space)
            stage = next(one for one in table.stages if one.stage == wanted.stage)
            record = activate(space, wanted, stage.producers, self._activations(space).get(wanted.stage), self._now())
            self._append("producers", () if record is None else (record,))
        (then or self._relink)(space)
        fallbacks = stage.fallbacks if record is None else (record.fallback,)
        return ActivatedOut(
            status="duplicate" if record is None else "accepted", stage=wanted.stage, producer=wanted.producer,
            fallback=next(iter(fallbacks), None), former=stage.active,
        )  # fmt: skip

    def rulings(self, space: SpaceKey) -> RulingsResult:
        """The rulings that stand."""
        cut, basis = self._view.read(space, None)
        return rulings(space, self._placed(space, self._docket(space), cut), basis)

    def participants(self, space: SpaceKey) -> ParticipantsResult:
        """Canonical names with their aliases."""
        cut, basis = self._view.read(space, None)
        return participants(cut, self._docket(space).aliases.values(), basis)

    def producers(self, space: SpaceKey) -> ProducersResult:
        """Who made sets, and whose count."""
        distilled = {record.producer for record in self._records("events", space, EventsDistilled)}
        inferred = {record.producer for record in self._records("edges", space, EdgesInferred)}
        return producers(self._activations(space), distilled, inferred, self._view.basis(space))

    def conversations(self, space: SpaceKey, message_id: str) -> list[str]:
        """The conversations that hold a message of this id, sorted."""
        posted = self._records("messages", space, MessagePosted)
        return sorted({record.conversation_id for record in posted if record.message_id == message_id})

    def _docket(self, space: SpaceKey) -> Docket:
        return Docket(
            record
            for kind in (*_ON_EDGES, AliasMerged, AliasSplit)
            for record in self._records("adjudications", space, kind)
        )

    def _placed(self, space: SpaceKey, docket: Docket, cut: Snapshot) -> list[Placed]:
        edits = {record.message: record.received_at for record in self._records("messages", space, MessageEdited)}

        def event(event_id: str) -> Event | None:
            row = cut.event(event_id)
            return None if row is None else row.event

        def resting_on(message: MessageKey) -> Iterator[Event]:
            return (found for i in cut.events_of_message(message) if (found := event(i)) is not None)

        around = Around(event=event, resting_on=resting_on, edited_at=edits.get)
        standing = (ruling for ruling in docket.edges.values() if not isinstance(ruling, RulingWithdrawn))
        return [place(ruling, around) for ruling in standing]

    def _activations(self, space: SpaceKey) -> dict[str, ProducerActivated]:
        found: dict[str, ProducerActivated] = {}
        for record in self._records("producers", space, ProducerActivated):
            known = found.get(record.stage)
            if known is None or (record.at, record_hash(encode(record))) > (known.at, record_hash(encode(known))):
                found[record.stage] = record
        return found

    def _records(self, topic: TopicName, space: SpaceKey, kind: type[R]) -> Iterator[R]:
        """The space's records of one type, in order; what cannot be decoded is left out."""
        for raw in self._log.read_space(topic, space):
            try:
                record = decode(topic, raw.value)
            except BadRecordError:
                continue
            if isinstance(record, kind):
                yield record

    def _append(self, topic: TopicName, records: tuple[Record, ...]) -> None:
        if records:
            with self._log.batch() as batch:
                for record in records:
                    batch.append(topic, record.key, encode(record), self._now())


def _status(records: tuple[Record, ...]) -> Status:
    return "accepted" if records else "duplicate"
