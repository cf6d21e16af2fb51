"""Where a space's messages and events are, and how its rulings stand. Pure."""

from __future__ import annotations

from typing import Protocol

from schemas.ids import SpaceKey
from views.conservation import EventAccount
from views.reader import Basis, MessageAccount

from .api import RulingsResult, StatusResult


class StatusSource(Protocol):
    """What tells it."""

    def account(self, space: SpaceKey) -> MessageAccount: ...
    def basis(self, space: SpaceKey) -> Basis: ...
    def rulings(self, space: SpaceKey) -> RulingsResult: ...
    def event_account(self, space: SpaceKey) -> EventAccount: ...


def status(source: StatusSource, space: SpaceKey, *, events: bool) -> StatusResult:
    """The status. ``events``: with the account of events, which costs by the records of the space."""
    rulings = source.rulings(space)
    return StatusResult(
        account=source.account(space), basis=source.basis(space), rulings=len(rulings.entries),
        orphaned=rulings.orphaned, events=source.event_account(space) if events else None,
    )  # fmt: skip
