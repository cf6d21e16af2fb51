"""Statements as they stand, what changed, and the chain of one: requests and replies."""

from __future__ import annotations

from typing import Literal

import msgspec

from schemas.edges import UpdateKind
from schemas.events import Event
from schemas.ids import SpaceKey
from views.reader import Basis
from views.rows import Status


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """A message quoted as evidence; ``quote`` is verbatim. ``utc_offset_min``: the offset the message was sent with.

    ``event_id`` is empty where the message itself is cited, not a statement that was distilled from it.
    """

    event_id: str
    conversation_id: str
    message_id: str
    speaker: str
    sent_at: int
    utc_offset_min: int
    quote: str


class ReplacedBy(msgspec.Struct, frozen=True, kw_only=True):
    """Who superseded a statement, and by which message."""

    event_id: str
    kind: UpdateKind
    text: str
    conversation_id: str | None
    message_id: str | None


PlanStatus = Literal["planned", "done", "changed", "cancelled", "lapsed"]
"""What became of a plan (``outcomes.plan_status``)."""


class StateEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A statement as it stands at T: its status, interval and evidence.

    ``contested_by`` the events that contradict it and are current at T. ``plan``: of a plan, what became of it by T.
    """

    event: Event
    status: Status
    validity: float
    valid_from: int
    valid_until: int | None
    contested_by: tuple[str, ...]
    superseded_by: tuple[ReplacedBy, ...]
    citations: tuple[Citation, ...]
    plan: PlanStatus | None = None


class StateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What holds at ``as_of``, as known at ``known_at``.

    ``include_all`` adds what no longer or not yet holds, and actions. ``theme``: only statements of its sessions.
    """

    space: SpaceKey
    as_of: int
    known_at: int | None
    participant: str | None
    attribute: str | None
    include_all: bool
    theme: str | None = None


class StateResult(msgspec.Struct, frozen=True, kw_only=True):
    """The state, in a fixed order: participant, attribute, valid_from, id."""

    as_of: int
    known_at: int | None
    entries: tuple[StateEntry, ...]
    basis: Basis


class ChangeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that began or ceased to hold, when, and as it stands now with what replaced it."""

    at: int
    change: Literal["began", "ended"]
    entry: StateEntry


class ChangesResult(msgspec.Struct, frozen=True, kw_only=True):
    """What changed after ``since`` and up to ``until``, in the order in which it took effect."""

    since: int
    until: int
    entries: tuple[ChangeEntry, ...]
    basis: Basis


class ChainLink(msgspec.Struct, frozen=True, kw_only=True):
    """One ``updates`` or ``contradicts`` edge at an event: who asserts it, why, and whether it has effect.

    ``kind`` only of updates. ``live`` is False for an edge that analysts ruled out: nobody's assertion of it counts.
    """

    edge_id: str
    src: str
    dst: str
    kind: UpdateKind | None
    effective: bool
    confidence: float
    justification: str
    producers: tuple[str, ...]
    relation: Literal["updates", "contradicts"] = "updates"
    live: bool = True


class HistoryResult(msgspec.Struct, frozen=True, kw_only=True):
    """The chain of an event: every statement connected to it by updates, in stated order, and these edges.

    With them the statements that contradict the event itself, and the edges of the chain that analysts ruled out.
    """

    event_id: str
    entries: tuple[StateEntry, ...]
    links: tuple[ChainLink, ...]
    producers: tuple[str, ...]
    basis: Basis
