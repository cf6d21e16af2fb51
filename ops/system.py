"""The whole system as one object: what the commands and the HTTP service need, whatever runs behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from query.api import HistoryResult, QueryRequest, QueryResult, StateRequest, StateResult
from query.service.ports import Health, Ingested, Refused
from schemas.ids import SpaceKey
from schemas.wire import AssertedOut, AssertionsIn
from views.reader import Basis, MessageAccount

__all__ = ["Health", "Ingested", "Refused", "System", "Verification"]


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """Incremental view against the definition, over the same records."""

    space: str
    equal: bool
    checksum: str
    recomputed: str
    events: int
    edges: int
    first_difference: str | None


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
    def run(self) -> int:
        """Process what is waiting until nothing is left to do now; returns the number of records processed."""
        ...

    def step(self) -> int:
        """Process one batch of everything that is waiting; 0 when nothing is. For callers that may have to stop."""
        ...

    def flush(self, space: SpaceKey | None = None) -> None:
        """Publish and close open sessions without waiting for silence, and process everything (end of an import)."""
        ...

    def wait(self, space: SpaceKey, offset: int, timeout_s: float) -> bool:
        """Wait until all messages below the offset are applied; False when time ran out."""
        ...

    def state(self, request: StateRequest) -> StateResult: ...
    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult: ...
    def query(self, request: QueryRequest) -> QueryResult: ...
    def health(self) -> Health:
        """Whether log and view are open, and what is waiting and parked over all spaces (``/readyz``, ``/metrics``)."""
        ...

    def basis(self, space: SpaceKey) -> Basis: ...
    def account(self, space: SpaceKey) -> MessageAccount: ...
    def spaces(self, tenant: str) -> Iterable[str]: ...
    def verify(self, space: SpaceKey) -> Verification: ...
    def rebuild(self, space: SpaceKey) -> Verification: ...
    def close(self) -> None: ...
