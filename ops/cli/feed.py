"""An opened file into the system, batch by batch, with a count of what became of every item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from ops.importers import Item, SourceFile
    from ops.system import Ingested
    from schemas.ids import SpaceKey
    from schemas.wire import MessageStatus

REASONS_KEPT = 20
"""A file in the wrong format parks every line; nobody reads more than the first screen of them."""


class Fed(Protocol):
    """Where messages go: a store (``ops.system.System``) or a running service."""

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
    ) -> Ingested: ...
    def run(self) -> int: ...


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """An item that was not taken: its place in the file, its id as far as known, and why."""

    where: str
    message_id: str | None
    reason: str


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the file so far. ``reasons`` are the first of the parked ones."""

    accepted: int = 0
    duplicate: int = 0
    parked: int = 0
    reasons: tuple[Parked, ...] = ()

    @property
    def done(self) -> int:
        """Items read."""
        return self.accepted + self.duplicate + self.parked


def feed(
    system: Fed, space: SpaceKey, source: SourceFile, *, batch: int, received_at: str, tz: str | None
) -> Iterator[Totals]:
    """Post the file's messages, ``batch`` at a time, process each batch, and yield the totals after it.

    Args:
        system: where to post to.
        space: the space to import into.
        source: the opened file.
        batch: messages per post.
        received_at: "now" or "sent_at", see ``System.post``.
        tz: IANA zone for times without one; None takes the format's own default.

    Raises:
        Refused: the system takes none of it (an unknown zone). What was posted before stays.
    """
    totals = Totals()
    items = source.items()
    while chunk := list(islice(items, batch)):
        messages = [item.message for item in chunk if item.message is not None]
        statuses: tuple[MessageStatus, ...] = ()
        if messages:
            zone = source.default_tz if tz is None else tz
            statuses = system.post(space, messages, received_at=received_at, default_tz=zone).statuses
            system.run()
        totals = _count(totals, chunk, statuses)
        yield totals


def _count(totals: Totals, items: list[Item], statuses: tuple[MessageStatus, ...]) -> Totals:
    """Totals after a batch. ``statuses``: one for each item that has a message, in order."""
    outcome = iter(statuses)
    accepted, duplicate = totals.accepted, totals.duplicate
    parked: list[Parked] = []
    for item in items:
        status = None if item.message is None else next(outcome)
        if status is None or status.status == "refused":
            parked.append(Parked(where=item.where, message_id=item.message_id, reason=_reason(item, status)))
        elif status.status == "duplicate":
            duplicate += 1
        else:
            accepted += 1
    return Totals(
        accepted=accepted,
        duplicate=duplicate,
        parked=totals.parked + len(parked),
        reasons=(*totals.reasons, *parked)[:REASONS_KEPT],
    )


def _reason(item: Item, status: MessageStatus | None) -> str:
    if status is None or status.error is None:
        return item.problem or "refused"
    field = "" if status.error.field is None else f"{status.error.field}: "
    return field + status.error.message
