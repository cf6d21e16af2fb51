"""Reading a space of a broker anew with another producer: what it holds is copied into memory, and asked about there.

In the copy all is as in an embedded store (``redistilling``). What came of it goes back to the broker: replies at once,
with their questions behind them, so that nobody pays for them twice; the producer's sets and its activation when it is
switched to. Workers and view follow these as they follow everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import msgspec

from ops.adjudicating import Adjudicating
from ops.erasing.standing import without_erased
from ops.node.loop import BrokerLoop
from ops.node.reading import read_ends, read_entries
from ops.node.writing import Outlet
from ops.settings import Settings
from ops.viewing import LiveView
from schemas.asking import ModelAsked, ModelReplied
from schemas.codec import decode
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivateIn
from schemas.topics import TOPICS, TopicName
from schemas.transport import space_key
from streams.log import LogEntry, partition_of
from streams.log.memory import MemoryLog
from streams.ports import Encoder
from views.source import BATCH_RECORDS, Source
from views.tables import MemoryTables

from .asker import Asker
from .redistilling import Redistilled, Redistilling

NOT_COPIED: frozenset[TopicName] = frozenset({"asks", "deltas", "dead-letters", "erasures"})
"""Open questions are the workers' to ask; what was erased is left out of the copy, so no record needs to tell of it."""

READ: tuple[TopicName, ...] = (*(topic for topic in TOPICS if topic not in NOT_COPIED), "asks", "erasures")
"""What tells what of a space was erased is read as well."""

READ_S = 600.0
WRITE_RECORDS = 100
"""Records of one write: well below what a request takes, also where each is a long session's."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where the space is: the broker, and how many partitions its topics have."""

    source: Source
    partitions: int


def redistill_on_broker(
    place: Place,
    space: SpaceKey,
    present: Settings,
    other: Settings,
    encoder: Encoder,
    asker: Callable[[MemoryLog], Asker | None],
    clock: Callable[[], int],
    *,
    switch: bool,
) -> Redistilled:
    """Compare, and make it count when nothing is left to ask.

    Args:
        place: see there.
        space: which one.
        present: the settings of the workers.
        other: with the other model, or none.
        encoder: for links.
        asker: makes what asks the other model; None where nobody does.
        clock: microseconds UTC.
        switch: whether it is to count.

    Raises:
        AwayError: the broker; what it has taken by then stays there, and running this again goes on.
        LookupError: the space holds no record.
    """
    partition = partition_of(space, place.partitions)
    with closing(BrokerLoop()) as loop:
        outlet, key = Outlet(loop, place.source), space_key(space)

        def write(topic: TopicName, values: Sequence[bytes]) -> None:
            for start in range(0, len(values), WRITE_RECORDS):
                outlet.write(topic, partition, [(key, value) for value in values[start : start + WRITE_RECORDS]])

        found = loop.call(read_ends(place.source, [(topic, partition) for topic in READ]))
        ends: dict[TopicName, int] = {topic: end for (topic, _), end in found.items()}
        copy = Copy(space, loop.call(read_entries(place.source, space, partition, ends), READ_S), write)
        asking = asker(copy.log)
        try:
            return copy.redistill(present, other, encoder, asking, clock, switch=switch)
        finally:
            if asking is not None:
                asking.close()


class Copy:
    """A space's records in memory, and the way back.

    Attributes:
        log: the records.

    Args:
        space: which one.
        told: its records of ``READ``.
        write: writes records of a topic to where they came from.
    """

    def __init__(
        self, space: SpaceKey, told: Sequence[LogEntry], write: Callable[[TopicName, Sequence[bytes]], None]
    ) -> None:
        if not told:
            raise LookupError(f"no such space: {space.space!r}")
        self.log = copied([entry for entry in without_erased(told) if entry.topic not in NOT_COPIED])
        self._space = space
        self._write = write
        self._written: dict[TopicName, int] = {topic: self.log.end(topic, 0) for topic in TOPICS}
        self._asked: dict[str, bytes] = {}

    def redistill(
        self,
        present: Settings,
        other: Settings,
        encoder: Encoder,
        asker: Asker | None,
        clock: Callable[[], int],
        *,
        switch: bool,
    ) -> Redistilled:
        """See ``redistill_on_broker``."""
        view, now = self.view(clock()), clock()
        anew = Redistilling(self.log, view, encoder, present, other, asker, now, after_replies=self.write_replies)
        result = anew.run(self._space, record=False)
        if switch and not result.open:
            self.write_switch(anew, result.producer, clock)
        return result

    def view(self, now: int) -> LiveView:
        """As the view worker has it when it has read as far."""
        view = LiveView(self.log, MemoryTables(), BATCH_RECORDS)
        while view.step(now):
            pass
        return view

    def write_replies(self) -> None:
        """What was answered since; a reply before its question, as the desk would ask one that lies there alone."""
        for entry in self._new("asks"):
            record = decode("asks", entry.value)
            if isinstance(record, ModelAsked):
                self._asked[record.ask_id] = entry.value
        replies = [(entry, decode("replies", entry.value)) for entry in self._new("replies")]
        good = [(e, r) for e, r in replies if isinstance(r, ModelReplied) and r.outcome != "failed"]
        self._write("replies", [entry.value for entry, _ in good])
        self._write("asks", [self._asked.pop(reply.ask_id) for _, reply in good if reply.ask_id in self._asked])

    def write_switch(self, anew: Redistilling, producer: str, clock: Callable[[], int]) -> None:
        """The producer's sets, then that they count."""
        anew.record_sets()
        ruling = Adjudicating(self.log, self.view(clock()), clock=clock, apply=_nothing, relink=_nothing)
        ruling.activate(self._space, ActivateIn(stage="distil", producer=producer, fallback=None))
        for topic in ("events", "producers"):
            self._write(topic, [entry.value for entry in self._new(topic)])

    def _new(self, topic: TopicName) -> list[LogEntry]:
        """What was appended to the copy since the last look; replies may come while it looks."""
        found = list(self.log.read_space(topic, self._space, self._written[topic]))
        if found:
            self._written[topic] = found[-1].offset + 1
        return found


def copied(entries: Sequence[LogEntry]) -> MemoryLog:
    """The records in a log of their own, each topic's in its order."""
    log = MemoryLog()
    with log.batch() as batch:
        for entry in entries:
            batch.append(entry.topic, SpaceKey(entry.tenant, entry.space), entry.value, entry.time_us)
    return log


def _nothing(_: SpaceKey) -> None:
    """The workers apply what was said."""
