"""The part of ``ops.system.System`` that answers from one cut of a space, whoever makes the cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from ops.settings import Settings
from ops.system import Refused
from query.api import EdgesResult, HistoryResult, StateRequest, StateResult
from query.edges import edges
from query.history import UnknownEventError, history
from query.state import state
from schemas.ids import SpaceKey
from schemas.wire import Problem
from views.reader import Basis
from views.snapshot import Snapshot


class Read(ABC):
    """See ``ops.system.System`` for what each method means."""

    _now: Callable[[], int]
    _settings: Settings

    @abstractmethod
    def read(self, space: SpaceKey, known_at: int | None) -> tuple[Snapshot, Basis]:
        """A cut and what it reflects, of one moment."""

    def state(self, request: StateRequest) -> StateResult:
        """What holds at an instant."""
        cut, basis = self.read(request.space, request.known_at)
        return state(cut, cut, request, basis)

    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult:
        """The chain of an event."""
        cut, basis = self.read(space, known_at)
        at = self._now() if as_of is None else as_of
        try:
            return history(cut, cut, event_id, at, basis, self._settings.query.chain_max, cut.ruled_out())
        except UnknownEventError as error:
            problem = Problem(code="not_found", message=f"no such event in this space: {event_id!r}", field="id")
            raise Refused(problem) from error

    def edges(self, space: SpaceKey, event_id: str | None, known_at: int | None) -> EdgesResult:
        """Edges, those that are ruled out included."""
        cut, basis = self.read(space, known_at)
        return edges(cut, cut.ruled_out(), basis, event_id=event_id)
