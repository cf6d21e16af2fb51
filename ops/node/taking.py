"""What a node takes in: judged here, written to the broker, answered for once it is there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import cast

from ops.ruled import Ruled, refusals
from ops.system import Ingested, Refused
from schemas.codec import encode
from schemas.erasure_wire import ErasureIn, ErasureOut, Remains
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivatedOut, ActivateIn, AdjudicatedOut, AdjudicationIn
from schemas.topics import TopicName
from schemas.transport import space_key
from schemas.wire import AssertedOut, AssertionsIn, Problem
from streams.assertions import read_assertions
from streams.intake import ReceivedAt, Taken
from streams.message_in import IngestLimits
from views.source import Source
from views.vectors.points import IndexAwayError
from views.vectors.protocol import VectorIndex

from .erasing import NodeErasing
from .intake import BrokerIntake
from .ledger import Ledger
from .loop import BrokerLoop
from .reading import AwayError
from .replica import Replica
from .writing import Outlet, TooLargeError


class Taking(Ruled):
    """The part of ``ops.system.System`` that writes. Thread-safe.

    Args:
        replica: what to judge by, as of now.
        loop: where the broker is talked to.
        source: the log.
        clock: microseconds UTC.
        limits: of messages.
        index: where the points are.
        left: what the index cannot remove of points that are deleted.
    """

    def __init__(
        self,
        replica: Callable[[], Replica],
        loop: BrokerLoop,
        source: Source,
        *,
        clock: Callable[[], int],
        limits: IngestLimits,
        index: Callable[[], VectorIndex],
        left: Callable[[], Sequence[Remains]],
    ) -> None:
        self._replica_now = replica
        self._clock = clock
        self._outlet = Outlet(loop, source)
        self._intake = BrokerIntake(replica, self._outlet, limits)
        self._ledger = Ledger(loop, source, self._outlet, replica)
        self._erasing = NodeErasing(
            loop, source, self._outlet, self._ledger, self._intake, replica=replica, index=index, left=left, clock=clock
        )

    @contextmanager
    def _writing(self) -> Generator[None]:
        """What keeps a write from being taken, as the caller knows it."""
        replica = self._replica_now()
        if not replica.caught_up:
            raise unavailable(f"this node is still reading the log: {replica.behind()} records to go")
        try:
            with refusals():
                yield
        except (AwayError, IndexAwayError, TimeoutError) as error:
            raise unavailable(f"{error}; nothing was answered for: send it again, which is harmless") from error
        except TooLargeError as error:
            raise Refused(Problem(code="too_large", message=str(error))) from error

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
        seq_start: int = 0,
    ) -> Ingested:
        """Accept a batch of messages."""
        with self._writing():
            taken = self._intake.post(
                space, messages, now=self._clock(), received_at=cast("ReceivedAt", received_at), default_tz=default_tz,
                seq_start=seq_start,
            )  # fmt: skip
        return _ingested(taken)

    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> Ingested:
        """Replace the content of an accepted message, whichever node accepted it."""
        with self._writing():
            self._ledger.catch_up(space, "messages")
            return _ingested(self._intake.edit(space, conversation_id, message_id, content, now=self._clock()))

    def retract(self, space: SpaceKey, conversation_id: str, message_id: str) -> Ingested:
        """Withdraw an accepted message, whichever node accepted it."""
        with self._writing():
            self._ledger.catch_up(space, "messages")
            return _ingested(self._intake.retract(space, conversation_id, message_id, now=self._clock()))

    def assert_events(self, space: SpaceKey, assertions: AssertionsIn) -> AssertedOut:
        """Accept a producer's batch. Events and edges are two records: one who is not answered sends both again."""
        with self._writing():
            covers = self._ledger.catch_up(space, "messages")
            partition = self._replica_now().partition(space)
            with self._intake.turn(partition):
                asserted = read_assertions(
                    space, assertions, lambda c, m: self._intake.find(space, c, m),
                    revision=self._ledger.catch_up(space, "events"), covers=covers, learned_at=self._clock(),
                )  # fmt: skip
                key = space_key(space)
                ends: tuple[tuple[TopicName, int], ...] = (
                    ("events", self._outlet.write("events", partition, [(key, encode(asserted.events))])),
                    ("edges", self._outlet.write("edges", partition, [(key, encode(asserted.edges))])),
                )
            for topic, end in ends:
                self._ledger.wait_applied(space, topic, end)
        return AssertedOut(
            batch_id=assertions.batch_id,
            event_ids=asserted.event_ids,
            edge_ids=tuple(edge.id for edge in asserted.edges.edges),
            wait_for=covers,
        )

    def adjudicate(self, space: SpaceKey, wanted: AdjudicationIn) -> AdjudicatedOut:
        """Append an analyst's ruling, seeing what was ruled on any node before."""
        with self._writing():
            self._ledger.catch_up(space, "adjudications")
            return super().adjudicate(space, wanted)

    def activate(self, space: SpaceKey, wanted: ActivateIn) -> ActivatedOut:
        """Choose whose sets count, seeing what was chosen on any node before."""
        with self._writing():
            self._ledger.catch_up(space, "producers")
            return super().activate(space, wanted)

    def erasable(self, space: SpaceKey, wanted: ErasureIn) -> int:
        """How many messages an erasure would reach now."""
        with self._writing():
            return self._erasing.erasable(space, wanted)

    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut:
        """Erase here and wherever records are read; the receipt tells what the broker goes on holding."""
        with self._writing():
            return self._erasing.erase(space, wanted)

    def erasure(self, space: SpaceKey, erasure_id: str) -> ErasureOut:
        """The receipt of an erasure, whichever node was asked for it."""
        with self._writing():
            return self._erasing.receipt(space, erasure_id)

    def stop_writing(self) -> None:
        """Let go of the broker."""
        self._outlet.close()


def unavailable(why: str) -> Refused:
    """What a caller is told who should try again soon."""
    return Refused(Problem(code="unavailable", message=why))


def _ingested(taken: Taken) -> Ingested:
    return Ingested(statuses=taken.statuses, wait_for=taken.wait_for)
