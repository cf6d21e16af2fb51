"""The query node: ``ops.system.System`` on a broker, as far as a service needs it.

Reads come from the node's own replica; what is written goes to the broker and is judged against replica and own writes.
Stages and the view that emits deltas are other processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from ops.adjudicating import Adjudicating
from ops.limits import ingest_limits
from ops.observing import SILENT, Lag, Observer
from ops.once import opened_once
from ops.proving import verification
from ops.read import Read
from ops.settings import Settings
from ops.system import Health, Verification
from query.api import DeltaPage, QueryRequest, QueryResult
from schemas.entry import Entry
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from views.conservation import EventAccount, account_of
from views.reader import Basis, MessageAccount
from views.snapshot import Snapshot, cut
from views.source import Source
from views.spec import View

from .generation import Generation
from .loop import BrokerLoop
from .reading import AwayError
from .replica import Replica
from .searching import OwnIndex
from .serving import Serving
from .taking import Taking, unavailable
from .telling import Telling

if TYPE_CHECKING:
    from ops.llm.answers import Answers
    from query.engine import QueryEngine
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex
    from views.vectors.server import ServerIndex

    from .answering import NodeDesk


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What a node is made of. ``shared``: opens the index on a server; None where each generation has its own."""

    source: Source
    loop: BrokerLoop
    generation: Generation
    encoder: Callable[[], Encoder]
    shared: Callable[[Encoder], ServerIndex] | None
    clock: Callable[[], int]
    observer: Observer = SILENT


class Node(Taking, Read):
    """Thread-safe. See ``ops.system.System`` for what each method means."""

    def __init__(self, served: Served, settings: Settings) -> None:
        self._served = served
        self._settings = settings
        self._now = served.clock
        self._observer = served.observer
        self._generations = Serving(served.generation)
        super().__init__(
            self._replica, served.loop, served.source, clock=served.clock, limits=ingest_limits(settings),
            index=self._index, left=lambda: self._shared.forget_deleted() if served.shared else (),
        )  # fmt: skip
        self.analysts = Adjudicating(
            self._ledger, self, clock=served.clock, apply=lambda _: None, relink=lambda _: None
        )
        self._telling = Telling(served.loop, served.source, self._replica)
        self._observer.watch(self._lags)

    def _replica(self) -> Replica:
        return self._generations.current.replica

    @property
    def serving(self) -> Generation:
        """What is served now; it may be swapped any time."""
        return self._generations.current

    def swap(self, successor: Generation) -> Generation:
        """Serve another generation from now on; returns the former one, to be closed."""
        return self._generations.swap(successor)

    def wait(self, space: SpaceKey, offset: int, timeout_s: float) -> bool:
        """Until all messages below the offset are applied here, and in the index where it is our own."""
        deadline = time.monotonic() + timeout_s
        with self._generations.held() as serving:
            replica, index = serving.replica, serving.index
            partition = replica.partition(space)
            if not replica.wait(lambda: replica.covers(partition) >= offset, timeout_s):
                return False
            if index is None:
                return True
            sequence = replica.tables.sequence
            return replica.wait(lambda: index.is_level(sequence), max(0.0, deadline - time.monotonic()))

    # --- reading ----------------------------------------------------------------------------------------------------

    @opened_once
    def _encoder(self) -> Encoder:
        return self._served.encoder()

    @opened_once
    def _shared(self) -> ServerIndex:
        assert self._served.shared is not None, "asked only where there is one"
        return self._served.shared(self._encoder)

    def _engine(self, own: OwnIndex | None) -> QueryEngine:
        from query.engine import QueryEngine
        from query.search import IndexSearch

        index = self._shared if own is None else own.index
        return QueryEngine(IndexSearch(index, self._encoder), self._settings.query)

    @opened_once
    def _desk(self) -> NodeDesk | None:
        """None where no model answers questions."""
        llm = self._settings.llm
        if llm.model is None or not llm.answer:
            return None
        from ops.llm.errands import ModelErrands

        from .answering import NodeDesk

        errands = ModelErrands(llm, clock=self._now, observer=self._observer)
        return NodeDesk(
            errands, llm, self._served.loop, self._outlet, lambda space: self._replica().partition(space), self._now
        )

    @opened_once
    def _answers(self) -> Answers | None:
        if self._desk is None:
            return None
        from ops.llm.answers import Answers

        return Answers(self._desk, self._settings.llm, self._now, self._observer)

    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut:
        """As ``Taking`` does; replies that quote the space are forgotten too."""
        erased = super().erase(space, wanted)
        if self._desk is not None:
            self._desk.forget(space)
        return erased

    def _index(self) -> VectorIndex:
        own = self._generations.current.index
        return self._shared if own is None else own.index

    def snapshot(self, space: SpaceKey) -> Snapshot:
        """The space as it is now."""
        return self.read(space, None)[0]

    def read(self, space: SpaceKey, known_at: int | None) -> tuple[Snapshot, Basis]:
        """A cut and what it reflects, of one moment. A past the view cannot tell is folded from the log."""
        with self._generations.held() as serving:
            replica = serving.replica
            if known_at is None:
                found, basis = replica.read(space)
                return found, self._with_unseen(replica, space, basis)
            kept, basis, ends, keep = replica.past(space, known_at)
            if kept is None:
                try:
                    kept = keep(cut(self._ledger.entries(replica, space, ends), space, known_at))
                except (AwayError, TimeoutError) as error:
                    raise unavailable(f"what was known then cannot be read: {error}") from error
            return kept, self._with_unseen(replica, space, basis)

    def _with_unseen(self, replica: Replica, space: SpaceKey, basis: Basis) -> Basis:
        return msgspec.structs.replace(basis, waiting=basis.waiting + self._intake.unseen(replica, space))

    def query(self, request: QueryRequest) -> QueryResult:
        """Answer a question."""
        from views.vectors.points import IndexAwayError, IndexMismatchError

        steps = self._observer.asked()
        with self._generations.held() as serving:
            found, basis = self.read(request.space, request.known_at)
            try:
                result = self._engine(serving.index).query(
                    request, found, found, basis, found.ruled_out(), steps, self._answers
                )
            except (IndexAwayError, IndexMismatchError) as error:
                raise unavailable(str(error)) from error
        self._observer.answered(result)
        return result

    def deltas(self, space: SpaceKey, following: int, limit: int) -> DeltaPage:
        """Deltas of the space from a position on."""
        try:
            return self._telling.page(space, following, limit)
        except (AwayError, TimeoutError) as error:
            raise unavailable(f"deltas cannot be read: {error}") from error

    def deltas_end(self, space: SpaceKey) -> int:
        """The position the next delta will have at least, as of a moment ago."""
        try:
            return self._telling.end(space)
        except AwayError as error:
            raise unavailable(str(error)) from error

    def canonical(self, space: SpaceKey, name: str) -> str:
        """The name it is known by now, case-folded."""
        with self._generations.held() as serving:
            return serving.replica.canonical(space)(name)

    def basis(self, space: SpaceKey) -> Basis:
        """What a read reflects now."""
        return self.read(space, None)[1]

    def account(self, space: SpaceKey) -> MessageAccount:
        """Where the messages are that this node has seen or accepted; the four add up."""
        with self._generations.held() as serving:
            replica = serving.replica
            known, unseen = replica.account(space), self._intake.unseen(replica, space)
        return msgspec.structs.replace(known, accepted=known.accepted + unseen, waiting=known.waiting + unseen)

    def spaces(self, tenant: str) -> Iterable[str]:
        """Names of the tenant's spaces that this node has seen."""
        with self._generations.held() as serving:
            replica = serving.replica
            return replica.spaces(tenant)

    def health(self) -> Health:
        """Not well until it has caught up with the log once, nor while a shared index cannot be used.

        A broker that goes away later stops no read.
        """
        with self._generations.held() as serving:
            replica = serving.replica
            behind = replica.behind()
            problem = None if replica.caught_up else f"this node is still reading the log: {behind} records to go"
            waiting, parked = replica.waiting(), replica.parked()
        return Health(problem=problem or self._index_problem(), waiting=waiting, parked=parked)

    def _index_problem(self) -> str | None:
        from views.vectors.points import IndexAwayError, IndexMismatchError

        if self._served.shared is None:
            return None
        try:
            return self._shared.problem()
        except (IndexAwayError, IndexMismatchError) as error:
            return str(error)

    def _lags(self) -> Iterator[Lag]:
        with self._generations.held() as serving:
            replica = serving.replica
            for (topic, partition), position in replica.positions().items():
                yield Lag(
                    stage="view", topic=topic, partition=partition, records=replica.end(topic, partition) - position
                )
            if serving.index is not None:
                yield from serving.index.lags()

    def verify(self, space: SpaceKey) -> Verification:
        """Compare the view with its definition over the same records, read from the broker."""
        kept, entries = self._frozen(space)
        return verification(space, kept, entries, self._now())

    def event_account(self, space: SpaceKey) -> EventAccount:
        """Where every event is that was ever distilled."""
        kept, entries = self._frozen(space)
        return account_of(kept, entries, self._now())

    def _frozen(self, space: SpaceKey) -> tuple[View, Sequence[Entry]]:
        """The view and the records it was folded from, of one moment."""
        with self._generations.held() as serving:
            replica = serving.replica
            with replica.changed:
                kept = replica.snapshot(space).view
                partition = replica.partition(space)
                ends: dict[TopicName, int] = {t: end for (t, p), end in replica.positions().items() if p == partition}
            return kept, tuple(self._ledger.entries(replica, space, ends))

    def close(self) -> None:
        """Let go of the broker and of the directory. The loop is not ours."""
        if "_desk" in self.__dict__ and self._desk is not None:
            self._desk.close()
        self._generations.current.close()
        self.stop_writing()
        if "_shared" in self.__dict__:
            self._shared.close()
