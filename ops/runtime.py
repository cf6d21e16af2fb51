"""The embedded system: log, processors, view, index and queries in one process, on one directory.

The composition root. It wires the parts and decides nothing about what is true; every rule is in a core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from ops.adjudicating import Adjudicating
from ops.answering import Answering
from ops.asked import Asked
from ops.erased import Erased
from ops.erasing.run import Erasing
from ops.erasing.work import forgotten
from ops.limits import ingest_limits
from ops.llm.questions import Questions
from ops.observing import Lag
from ops.once import opened_once
from ops.parts import Parts
from ops.proving import verification, with_forgotten
from ops.read import Read
from ops.ruled import Ruled, refusals
from ops.settings import Settings
from ops.system import Health, Ingested, Verification
from ops.telling import Telling
from ops.viewing import LiveView
from query.api import DeltaPage
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivateIn
from schemas.wire import AssertedOut, AssertionsIn
from streams.assertions import assert_events
from streams.ingest import Ingest
from streams.intake import ReceivedAt
from streams.log import partition_of
from views.conservation import EventAccount, account_of
from views.reader import Basis, MessageAccount
from views.snapshot import Snapshot

if TYPE_CHECKING:
    from ops.llm.redistilling import Redistilled
    from ops.processing import Processors
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex

POLL_S = 0.02
"""How often a waiting request looks whether its messages are applied."""


class Embedded(Ruled, Erased, Asked, Read):
    """``ops.system.System`` in one process. Thread-safe; see there for what each method means."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self._parts = parts
        self._log = parts.log
        self._settings = settings
        self._now = parts.clock
        self._observer = parts.observer
        self._view = LiveView(parts.log, parts.tables, settings.stage_batch_records, parts.observer)
        self._telling = Telling(parts.log, self._view)
        self._ingest = Ingest(parts.log, ingest_limits(settings))
        self.analysts = Adjudicating(
            parts.log, self._view, clock=parts.clock, apply=self._apply_rulings, relink=self._relink
        )
        self.erasing = Erasing(
            parts, self._view, processors=lambda: self._processors, index=lambda: self._index
        )  # fmt: skip
        self.questions = Questions(parts.log, settings.llm, parts.asker, clock=parts.clock)
        self.answering = Answering(
            parts, settings, self._view, encoder=lambda: self._encoder, index=lambda: self._index
        )  # fmt: skip
        self._closed = False
        self._observer.watch(self._lags)

    # --- parts that are opened late: reading the state needs no model -----------------------------------------------

    @opened_once
    def _encoder(self) -> Encoder:
        return self._parts.encoder()

    @opened_once
    def _index(self) -> VectorIndex:
        return self._parts.index(self._encoder)

    @opened_once
    def _processors(self) -> Processors:
        from ops.processing import Processors

        return Processors(
            self._log,
            self._view,
            self._settings,
            clock=self._now,
            observer=self._observer,
            encoder=self._encoder,
            index=self._index,
            asker=self._parts.asker,
        )

    # --- taking in --------------------------------------------------------------------------------------------------

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
        with refusals():
            taken = self._ingest.post(
                space,
                messages,
                now=self._now(),
                received_at=cast("ReceivedAt", received_at),
                default_tz=default_tz,
                seq_start=seq_start,
            )
        return Ingested(statuses=taken.statuses, wait_for=taken.wait_for)

    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> Ingested:
        """Replace the content of an accepted message."""
        with refusals():
            taken = self._ingest.edit(space, conversation_id, message_id, content, now=self._now())
        return Ingested(statuses=taken.statuses, wait_for=taken.wait_for)

    def retract(self, space: SpaceKey, conversation_id: str, message_id: str) -> Ingested:
        """Withdraw an accepted message."""
        with refusals():
            taken = self._ingest.retract(space, conversation_id, message_id, now=self._now())
        return Ingested(statuses=taken.statuses, wait_for=taken.wait_for)

    def assert_events(self, space: SpaceKey, assertions: AssertionsIn) -> AssertedOut:
        """Accept a producer's batch and apply it before returning: it has no offset of ``messages`` to wait for."""
        with refusals():
            out = assert_events(self._log, self._ingest, space, assertions, now=self._now())
        self._processors.apply_events(partition_of(space, self._log.partitions))
        return out

    def _apply_rulings(self, space: SpaceKey) -> None:
        """No model is needed for that: the view alone reads rulings on edges."""
        self._view.read_up_to("adjudications", space, self._now)

    def _relink(self, space: SpaceKey) -> None:
        self._processors.relink(partition_of(space, self._log.partitions))

    # --- processing -------------------------------------------------------------------------------------------------

    def run(self) -> int:
        """Process what is waiting until nothing is left to do now."""
        self.erasing.resume()
        return self._processors.run()

    def step(self) -> int:
        """One batch of every consumer."""
        self.erasing.resume()
        return self._processors.step()

    def flush(self, space: SpaceKey | None = None) -> None:
        """Close open sessions and process everything."""
        self.erasing.resume()
        self._processors.flush(space)

    def settle(self) -> bool:
        """Wait for a reply of the model and work it off; False when none is to be expected now."""
        return self._processors.settle()

    def redistill(self, space: SpaceKey, other: Settings, *, switch: bool) -> Redistilled:
        """Read the space anew with another producer and compare; make it count when nothing is left to ask."""
        from ops.llm.redistilling import Redistilling

        self._processors.run()
        ours = (other.llm.endpoint, other.llm.model) == (self._settings.llm.endpoint, self._settings.llm.model)
        asker = self._parts.asker if ours else self._parts.other_asker(other)
        try:
            with self._processors.held():
                anew = Redistilling(self._log, self._view, self._encoder, self._settings, other, asker, self._now())
                result = anew.run(space, record=switch)
                if switch and not result.open:
                    wanted = ActivateIn(stage="distil", producer=result.producer, fallback=None)
                    with refusals():
                        self.analysts.activate(space, wanted, then=anew.switched)
        finally:
            if asker is not None and not ours:
                asker.close()
        self._processors.run()
        return result

    def wait(self, space: SpaceKey, offset: int, timeout_s: float) -> bool:
        """Look until all messages below the offset are applied, in the view and then in the index, or the time is up.

        Somebody else calls ``run``.
        """
        from ops.indexing import is_indexed

        deadline = time.monotonic() + timeout_s
        if not _look(lambda: self._view.covers(space) >= offset, deadline):
            return False
        partition = partition_of(space, self._log.partitions)
        deltas = self._log.end("deltas", partition)
        return _look(lambda: is_indexed(self._log, partition, messages=offset, deltas=deltas), deadline)

    # --- reading ----------------------------------------------------------------------------------------------------

    def read(self, space: SpaceKey, known_at: int | None) -> tuple[Snapshot, Basis]:
        """A cut and what it reflects, of one moment."""
        return self._view.read(space, known_at)

    def deltas(self, space: SpaceKey, following: int, limit: int) -> DeltaPage:
        """Deltas of the space from a position on."""
        return self._telling.page(space, following, limit)

    def canonical(self, space: SpaceKey, name: str) -> str:
        """A name as it is looked up."""
        return self._view.canonical(space)(name)

    def deltas_end(self, space: SpaceKey) -> int:
        """The position the next delta will have at least."""
        return self._telling.end(space)

    def basis(self, space: SpaceKey) -> Basis:
        """What a read reflects now."""
        return self._view.basis(space)

    def account(self, space: SpaceKey) -> MessageAccount:
        """Where the accepted messages are; the four add up."""
        return self._view.account(space)

    def spaces(self, tenant: str) -> Iterable[str]:
        """Names of the tenant's spaces."""
        return self._log.spaces(tenant)

    def health(self) -> Health:
        """Whether log and view are open, and what is waiting and parked."""
        if self._closed:
            return Health(problem="the system was closed", waiting=0, parked=0)
        return Health(problem=None, waiting=self._view.waiting(), parked=self._view.parked())

    def _lags(self) -> Iterator[Lag]:
        """What every consumer that has run so far has still to read; nothing once closed."""
        if self._closed:
            return
        yield from self._view.lags()
        if "_processors" in self.__dict__:
            yield from self._processors.lags()

    # --- proving ----------------------------------------------------------------------------------------------------

    def verify(self, space: SpaceKey) -> Verification:
        """Compare the incremental view with its definition over the same records."""
        snapshot, entries = self._view.frozen(space)
        return verification(space, snapshot.view, entries, self._now(), forgotten=forgotten(self._log, space))

    def event_account(self, space: SpaceKey) -> EventAccount:
        """Where every event is that was ever distilled."""
        snapshot, entries = self._view.frozen(space)
        return with_forgotten(account_of(snapshot.view, entries, self._now()), forgotten(self._log, space))

    def rebuild(self, space: SpaceKey) -> Verification:
        """Drop the space's view, fold the log anew, and compare with the definition."""
        self._view.rebuild(space, self._now())
        return self.verify(space)

    def close(self) -> None:
        """Make everything durable and let go of the directory."""
        if "_processors" in self.__dict__:
            self._processors.close()
            with self._processors.held():
                self._close()
        else:
            self._close()

    def _close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if "_index" in self.__dict__:
            self._index.flush()
            self._index.close()
        self._view.close()
        self._log.close()


def _look(reached: Callable[[], bool], deadline: float) -> bool:
    """Look again and again, at least once; False when the time is up (of ``time.monotonic``)."""
    while not reached():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_S)
    return True
