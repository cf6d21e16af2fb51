"""What the HTTP service needs from the system behind it: the part of ``ops.system.System`` it calls.

Methods block and are thread-safe; the service calls them from worker threads, never from its event loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from query.api import (
    DeltaPage,
    EdgesResult,
    HistoryResult,
    ParticipantsResult,
    ProducersResult,
    QueryRequest,
    QueryResult,
    StateRequest,
    StateResult,
)
from query.status import StatusSource
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivatedOut, ActivateIn, AdjudicatedOut, AdjudicationIn
from schemas.wire import AssertedOut, AssertionsIn, MessageStatus, Problem


class Refused(Exception):  # noqa: N818 - an answer to the caller, not an error of ours
    """A request that cannot be taken; the caller must change it. Carries the problem to show."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Ingested(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of one batch; ``wait_for`` as in ``schemas.wire.PostedOut``."""

    statuses: tuple[MessageStatus, ...]
    wait_for: int


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the system can serve, over all tenants and spaces.

    Attributes:
        problem: why it cannot ("the log is closed"); None when log and view are open.
        waiting: accepted messages not yet read by the processors.
        parked: dead-lettered records.
    """

    problem: str | None
    waiting: int
    parked: int


class ServedSystem(StatusSource, Protocol):
    """Structurally part of ``ops.system.System``; see there. Raises ``Refused`` for what the caller must change."""

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
        seq_start: int = 0,
    ) -> Ingested: ...
    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> Ingested: ...
    def retract(self, space: SpaceKey, conversation_id: str, message_id: str) -> Ingested: ...
    def assert_events(self, space: SpaceKey, assertions: AssertionsIn) -> AssertedOut: ...
    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut: ...
    def erasure(self, space: SpaceKey, erasure_id: str) -> ErasureOut: ...
    def wait(self, space: SpaceKey, offset: int, timeout_s: float) -> bool: ...
    def state(self, request: StateRequest) -> StateResult: ...
    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult: ...
    def query(self, request: QueryRequest) -> QueryResult: ...
    def adjudicate(self, space: SpaceKey, wanted: AdjudicationIn) -> AdjudicatedOut: ...
    def activate(self, space: SpaceKey, wanted: ActivateIn) -> ActivatedOut: ...
    def producers(self, space: SpaceKey) -> ProducersResult: ...
    def edges(self, space: SpaceKey, event_id: str | None, known_at: int | None) -> EdgesResult: ...
    def participants(self, space: SpaceKey) -> ParticipantsResult: ...
    def deltas(self, space: SpaceKey, following: int, limit: int) -> DeltaPage: ...
    def deltas_end(self, space: SpaceKey) -> int: ...
    def canonical(self, space: SpaceKey, name: str) -> str: ...
    def spaces(self, tenant: str) -> Iterable[str]: ...
    def health(self) -> Health: ...
