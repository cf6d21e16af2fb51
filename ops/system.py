"""The whole system as one object: what the commands and the HTTP service need, whatever runs behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from ops.llm.completion import Completion
from ops.llm.questions import Recorded, Standing
from query.api import (
    DeltaPage,
    EdgesResult,
    HistoryResult,
    ParticipantsResult,
    ProducersResult,
    QueryRequest,
    QueryResult,
    RulingsResult,
    StateRequest,
    StateResult,
)
from query.service.ports import Health, Ingested, Refused
from schemas.asking import AskingStage, ModelAsked
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivatedOut, ActivateIn, AdjudicatedOut, AdjudicationIn
from schemas.wire import AssertedOut, AssertionsIn
from views.conservation import EventAccount
from views.reader import Basis, MessageAccount

if TYPE_CHECKING:
    from ops.llm.redistilling import Redistilled
    from ops.settings import Settings

__all__ = ["Health", "Ingested", "Refused", "System", "Verification"]


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """Incremental view against the definition, over the same records. ``account``: where its events are."""

    space: str
    equal: bool
    checksum: str
    recomputed: str
    events: int
    edges: int
    first_difference: str | None
    account: EventAccount | None = None


class System(Protocol):
    """Thread-safe. Raises ``Refused`` for what the caller must change."""

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
        seq_start: int = 0,
    ) -> Ingested:
        """Accept a batch of messages (each the JSON of a ``MessageIn``).

        ``received_at``: "now" or "sent_at" (transaction time of a backfill). ``default_tz``: IANA zone for times
        without one; None refuses them. ``seq_start``: position of the first message in its file.
        """
        ...

    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> Ingested: ...
    def retract(self, space: SpaceKey, conversation_id: str, message_id: str) -> Ingested: ...
    def assert_events(self, space: SpaceKey, assertions: AssertionsIn) -> AssertedOut: ...
    def adjudicate(self, space: SpaceKey, wanted: AdjudicationIn) -> AdjudicatedOut:
        """Append an analyst's ruling, and return once it is in the view. One that stands already is a duplicate."""
        ...

    def activate(self, space: SpaceKey, wanted: ActivateIn) -> ActivatedOut:
        """Choose whose sets count for a stage, and return once that is in the view."""
        ...

    def erasable(self, space: SpaceKey, wanted: ErasureIn) -> int:
        """How many messages an erasure would reach now."""
        ...

    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut:
        """Erase for good; returns the receipt when every store has forgotten. The same again tells the same receipt."""
        ...

    def erasure(self, space: SpaceKey, erasure_id: str) -> ErasureOut:
        """The receipt of an erasure; not finished while a killed one waits for the next writer."""
        ...

    def run(self) -> int:
        """Process what is waiting until nothing is left to do now; returns the number of records processed."""
        ...

    def step(self) -> int:
        """Process one batch of everything that is waiting; 0 when nothing is. For callers that may have to stop."""
        ...

    def flush(self, space: SpaceKey | None = None) -> None:
        """Publish and close open sessions without waiting for silence, and process everything (end of an import)."""
        ...

    def settle(self) -> bool:
        """Wait for a reply of the model and work it off; False when none is to be expected now, or nobody is asked."""
        ...

    def questions_of(self, space: SpaceKey) -> Standing:
        """What a model is still to be asked about the space, and whether it can be."""
        ...

    def open_questions(self, space: SpaceKey, stage: AskingStage) -> Iterator[ModelAsked]:
        """The open ones of a stage, oldest first."""
        ...

    def record_reply(self, ask_id: str, answer: Completion) -> tuple[SpaceKey | None, Recorded]:
        """Record what a model was heard to say elsewhere; ``run`` works it off. Also the space, of an open question."""
        ...

    def redistill(self, space: SpaceKey, other: Settings, *, switch: bool) -> Redistilled:
        """Read the space anew with other settings' producer, beside what counts, and compare.

        ``switch``: make that producer count, unless questions to its model are open.
        """
        ...

    def wait(self, space: SpaceKey, offset: int, timeout_s: float) -> bool:
        """Wait until all messages below the offset are applied; False when time ran out."""
        ...

    def state(self, request: StateRequest) -> StateResult: ...
    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult: ...
    def query(self, request: QueryRequest) -> QueryResult: ...
    def ask_later(self, request: QueryRequest) -> QueryResult:
        """The answer as far as it is known, and what a model is to be asked for it among the open questions."""
        ...

    def edges(self, space: SpaceKey, event_id: str | None, known_at: int | None) -> EdgesResult:
        """The edges at an event, or all of the space, those that are ruled out included."""
        ...

    def participants(self, space: SpaceKey) -> ParticipantsResult: ...
    def rulings(self, space: SpaceKey) -> RulingsResult: ...
    def producers(self, space: SpaceKey) -> ProducersResult: ...
    def conversations(self, space: SpaceKey, message_id: str) -> Sequence[str]:
        """The conversations that hold a message of this id, sorted: ids are unique within one of them."""
        ...

    def deltas(self, space: SpaceKey, following: int, limit: int) -> DeltaPage:
        """Deltas of the space from a position on, at most ``limit``; returns at once, with none where there are none.

        A position is an offset of the space's partition of ``deltas``; of what was compacted the rest is told.
        """
        ...

    def deltas_end(self, space: SpaceKey) -> int:
        """The position the next delta will have at least. Asked again and again: it must be cheap."""
        ...

    def canonical(self, space: SpaceKey, name: str) -> str:
        """A participant's name as it is looked up: case-folded, through the alias table."""
        ...

    def health(self) -> Health:
        """Whether log and view are open, and what is waiting and parked over all spaces (``/readyz``, ``/metrics``)."""
        ...

    def basis(self, space: SpaceKey) -> Basis: ...
    def account(self, space: SpaceKey) -> MessageAccount: ...
    def event_account(self, space: SpaceKey) -> EventAccount:
        """Where every event is that was ever distilled. Costs by the space's records."""
        ...

    def spaces(self, tenant: str) -> Iterable[str]: ...
    def verify(self, space: SpaceKey) -> Verification: ...
    def rebuild(self, space: SpaceKey) -> Verification: ...
    def close(self) -> None: ...
