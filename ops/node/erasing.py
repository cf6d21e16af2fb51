"""Erasing on a query node: the records that begin it, and a receipt that is told from the log.

Retractions of what is concerned, then the record of ``erasures`` behind them, as in the embedded system. What follows
happens wherever records are read: stages derive anew, every view takes the text out of its rows and files by itself
(``forgetting``), whoever was asked. This node waits for its own. A node that dies half way leaves retractions; asking
again finishes it.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

import msgspec
from aiokafka.errors import KafkaError

from ops.distributed import STAGES
from ops.erasing import stores, work
from ops.erasing.broker import on_broker, steps_on_broker, still_held
from ops.erasing.gone import Gone
from ops.erasing.remains import outside_stores
from ops.erasing.run import extent_of, not_found
from ops.erasing.scrub import SCRUBBED
from ops.erasing.standing import Standing, begun_by, find_reach, find_standing, gone_by
from ops.erasing.work import Work
from ops.kafka.admin import NotToldError, admin, read_topics
from ops.kafka.topics import BrokerTopic, wanted
from ops.system import Refused
from schemas.erasure_wire import ErasureIn, ErasureOut, Remains
from schemas.events import EventsAsserted
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.topics import TopicName
from schemas.transport import broker_topic
from schemas.wire import Problem
from streams.erasure import Extent, erasure_record, retraction
from streams.log import LogEntry
from views.source import Source
from views.vectors.protocol import PointKind, VectorIndex

from .intake import BrokerIntake
from .ledger import READ_S, Ledger
from .loop import BrokerLoop
from .reading import AwayError, read_ends, read_entries
from .replica import Replica
from .writing import Outlet, item

FINISH_S = 30.0
"""How long ``erase`` waits for stages and its own stores; a receipt that is not finished can be asked for again."""

KEPT = 1_000
"""Receipts in memory: what was removed from the index is counted while it happens, and known nowhere else."""

_READ: tuple[TopicName, ...] = (*SCRUBBED, "erasures")

_ELSEWHERE = (
    Remains(
        where="Kafka topic deltas",
        what="whom and what an erased statement was about, not what it said",
        why="of each statement the last delta stays, and that one names nobody",
        until="the broker compacts the partition",
    ),
    Remains(
        where="view processes and other query nodes",
        what="rows, files and points, of those that have not read this record yet",
        why="each takes the text out of its own store once it has; one that is stopped does so when it is started",
        until="each has caught up",
    ),
    Remains(
        where="stores of stage workers",
        what="sets of producers that no longer count, and blocks of files that hold deleted rows",
        why="a worker's store is a copy of its steps topic and follows it alone",
        until="RocksDB compacts them, or the directory is removed: a worker reads its steps again",
    ),
)

Refs = Mapping[PointKind, frozenset[str]]


class NodeErasing:
    """Thread-safe.

    Args:
        loop: where the broker is talked to.
        source: the log.
        outlet: where to write.
        ledger: to catch up with.
        intake: whose turn to write it is.
        replica: the view, as of now.
        index: where the points are.
        left: what the index cannot remove itself.
        clock: microseconds UTC.
    """

    def __init__(
        self,
        loop: BrokerLoop,
        source: Source,
        outlet: Outlet,
        ledger: Ledger,
        intake: BrokerIntake,
        *,
        replica: Callable[[], Replica],
        index: Callable[[], VectorIndex],
        left: Callable[[], Sequence[Remains]],
        clock: Callable[[], int],
    ) -> None:
        self._loop = loop
        self._source = source
        self._outlet = outlet
        self._ledger = ledger
        self._intake = intake
        self._replica = replica
        self._index = index
        self._left = left
        self._clock = clock
        self._finished: OrderedDict[tuple[SpaceKey, str], ErasureOut] = OrderedDict()

    def erasable(self, space: SpaceKey, wanted: ErasureIn) -> int:
        """How many messages an erasure would reach now.

        Raises:
            Refused: its ids do not fit its scope.
            AwayError: the broker does not answer.
        """
        return len(find_reach(self._told(space, ("messages", "erasures")), extent_of(wanted)).found)

    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut:
        """Erase; the receipt is finished once this node holds nothing of it, or is not after ``FINISH_S``.

        Asked again for what it has finished, it tells the same receipt.

        Raises:
            Refused: its ids do not fit its scope, or there is no such message, conversation or space.
            AwayError: the broker does not answer. Ask again, which finishes what has begun.
        """
        extent = extent_of(wanted)
        before = stores.indexed(self._index(), space)
        standing = self._begin(space, extent)
        kept = self._finished.get((space, standing.id))
        if kept is not None:
            return kept
        deadline = time.monotonic() + FINISH_S
        replica = self._replica()
        partition = replica.partition(space)
        if replica.wait(lambda: replica.covers(partition) >= standing.upto, FINISH_S):
            self._replace_batches(space, standing)
            self._replica().wait(lambda: self._replica().is_forgotten(space), max(0.0, deadline - time.monotonic()))
        return self._receipt(space, standing, before)

    def receipt(self, space: SpaceKey, erasure_id: str) -> ErasureOut:
        """The receipt of an erasure, whichever node was asked for it.

        Raises:
            Refused: there is none.
            AwayError: the broker does not answer.
        """
        kept = self._finished.get((space, erasure_id))
        if kept is not None:
            return kept
        for standing in find_standing(self._told(space, ("erasures",))):
            if standing.id == erasure_id:
                return self._receipt(space, standing, {})
        problem = Problem(code="not_found", message=f"no such erasure in this space: {erasure_id!r}", field="id")
        raise Refused(problem)

    # --- beginning --------------------------------------------------------------------------------------------------

    def _begin(self, space: SpaceKey, extent: Extent) -> Standing:
        """The erasure's record is in the log, and obeyed here; the last one of the extent where nothing is left."""
        with self._intake.turn(self._replica().partition(space)):
            told = self._told(space, ("messages", "erasures"))
            same = [one for one in find_standing(told) if one.extent == extent]
            if not find_reach(told, extent).found:
                if same:
                    return same[-1]  # whoever lost the reply asks again
                if not (extent.whole_space and told):
                    raise Refused(not_found(extent))
            upto = self._retract(space, extent)
            now = self._clock()
            record = erasure_record(space, extent, upto, now)
            end = self._write("erasures", space, [record])
            self._ledger.wait_applied(space, "erasures", end)
        [standing] = [one for one in find_standing(self._told(space, ("erasures",))) if one.offset == end - 1]
        return standing

    def _retract(self, space: SpaceKey, extent: Extent) -> int:
        """Retract what is concerned, until nothing that another node took in meanwhile is left; returns behind what."""
        while True:
            end = self._ledger.catch_up(space, "messages")
            due = find_reach(self._told(space, ("messages", "erasures"), messages=end), extent).due
            if not due:
                return end
            received = max(self._clock(), self._intake.last_received(space))
            self._write("messages", space, [retraction(space, key, received) for key in due])

    def _replace_batches(self, space: SpaceKey, standing: Standing) -> None:
        """API batches that rest on what is erased, without it."""
        with self._intake.turn(self._replica().partition(space)):
            told = self._told(space, ("messages", "events", "edges", "asks", "erasures"))
            gone = self._gone(standing, told)
            revision, now = self._ledger.catch_up(space, "events"), self._clock()
            for record in stores.replaced_batches(told, gone, revision, now):
                topic: TopicName = "events" if isinstance(record, EventsAsserted) else "edges"
                self._ledger.wait_applied(space, topic, self._write(topic, space, [record]))

    def _write(self, topic: TopicName, space: SpaceKey, records: Sequence[Record]) -> int:
        return self._outlet.write(topic, self._replica().partition(space), [item(record) for record in records])

    # --- telling ----------------------------------------------------------------------------------------------------

    def _told(self, space: SpaceKey, topics: Sequence[TopicName], *, messages: int | None = None) -> list[LogEntry]:
        """The space's records as the broker holds them now."""
        partition = self._replica().partition(space)
        found = self._loop.call(read_ends(self._source, [(topic, partition) for topic in topics]))
        ends: dict[TopicName, int] = {topic: end for (topic, _), end in found.items()}
        if messages is not None:
            ends["messages"] = messages
        return self._loop.call(read_entries(self._source, space, partition, ends), READ_S)

    def _gone(self, standing: Standing, told: Sequence[LogEntry]) -> Gone:
        return gone_by(standing, begun_by(standing, told), told)

    def _receipt(self, space: SpaceKey, standing: Standing, before: Refs) -> ErasureOut:
        told = self._told(space, _READ)
        begun = begun_by(standing, told)
        gone = gone_by(standing, begun, told)
        found = Work(space=space, extent=standing.extent, begun=begun, at=standing.at)
        if self._replica().is_forgotten(space):
            found = found.counting("view", "messages", begun.messages).counting("view", "events", len(gone.events))
            after = stores.indexed(self._index(), space) if before else {}
            for kind, refs in before.items():
                found = found.counting("vectors", f"{kind}s", len(refs - after.get(kind, frozenset())))
            found = msgspec.structs.replace(found, finished_at=self._clock())
        remains = (*self._on_broker(told, gone), *_ELSEWHERE, *self._left(), *outside_stores())
        receipt = work.receipt(msgspec.structs.replace(found, remains=remains))
        if found.finished_at is not None:
            self._finished[space, standing.id] = receipt
            if len(self._finished) > KEPT:
                self._finished.popitem(last=False)
        return receipt

    def _on_broker(self, told: Sequence[LogEntry], gone: Gone) -> list[Remains]:
        retention = self._loop.call(_retention(self._source))
        prefix = f" (topics begin with {self._source.prefix})" if self._source.prefix else ""
        name = f"{self._source.bootstrap}{prefix}"
        kept = retention.get("messages")
        return [*on_broker(still_held(told, gone), retention, name), *steps_on_broker(STAGES, kept, name)]


async def _retention(source: Source) -> dict[TopicName, int | None]:
    """How long topics keep records, in milliseconds; as we make them (for ever) where the broker does not tell."""
    wants: list[BrokerTopic] = list(wanted(source.prefix, 1, 1))
    try:
        async with admin(source.bootstrap) as client:
            found = {topic.name: topic for topic in await read_topics(client, wants)}
    except NotToldError:
        found = dict[str, BrokerTopic]()
    except KafkaError as error:
        raise AwayError(f"the broker at {source.bootstrap} does not answer: {error!r}") from error
    told: dict[TopicName, BrokerTopic | None] = {t: found.get(broker_topic(source.prefix, t)) for t in _READ}
    return {topic: None if one is None else int(one.config["retention.ms"]) for topic, one in told.items()}
