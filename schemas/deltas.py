"""Topic ``deltas``: changes of the view, keyed by what changed, each with its cause."""

from __future__ import annotations

from typing import Literal

import msgspec

from .record import Record

Status = Literal["not_yet", "valid", "partial", "ended", "superseded", "corrected", "withdrawn", "lapsed"]
"""The one status of a live event at an instant (``views.rows.status_at``)."""

Reason = Literal[
    "+valid", "-valid", "lapsed", "corrected", "doubted", "risen", "contested", "settled", "appeared", "went", "changed"
]
"""What a change of an event means for who relies on it.

``+valid``: it holds now and did not; ``-valid``: it holds no longer. ``lapsed``: a plan whose time has passed, outcome
unknown. ``corrected``: it never held. ``doubted``: something it rests on no longer holds; ``risen``: that is over.
``contested``: another statement that holds contradicts it; ``settled``: none does any more. ``appeared`` and ``went``:
it came to be known, or is no longer, without holding at the time. ``changed``: anything else, for example its interval.
"""


class Cause(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The record that led to the change; the message it is about, where it is about one."""

    topic: str
    partition: int
    offset: int
    conversation_id: str | None = None
    message_id: str | None = None


class Validity(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Derived validity of an event, as intervals: instants in microseconds UTC, None = open or never.

    ``demoted_from``: since when v is at most 0.5, by a superseded cause (section II-D of the paper).
    """

    valid_from: int
    valid_until: int | None
    demoted_from: int | None
    corrected: bool
    withdrawal: bool
    superseded_by: tuple[str, ...]
    contested_by: tuple[str, ...]


class About(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Whom and what a statement is about: enough to find who relies on it, also when it is gone. Not what it says."""

    participants: tuple[str, ...]
    attribute: str | None


class EventChanged(Record, frozen=True, kw_only=True, omit_defaults=True, tag="event_changed"):
    """An event appeared (old None), changed, or went (new None).

    Intervals may be as before: time alone changes a status (cause: ``clock``), and so does what contradicts it.

    Attributes:
        old_status: the status before, None where it was not live.
        status: the status now; both at the later of ``learned_at`` and the instant the space's clock had reached.
        reason: what that means.
        about: as the producer has it; None of what is erased.
    """

    event_id: str
    old: Validity | None
    new: Validity | None
    cause: Cause
    learned_at: int
    old_status: Status | None = None
    status: Status | None = None
    reason: Reason = "changed"
    about: About | None = None


class EdgeChanged(Record, frozen=True, kw_only=True, tag="edge_changed"):
    """An edge appeared, went, or was invalidated (``invalid_from``, Eq. 12). ``live`` tells which."""

    edge_id: str
    was_live: bool
    live: bool
    old_invalid_from: int | None
    invalid_from: int | None
    cause: Cause
    learned_at: int


DeltaRecord = EventChanged | EdgeChanged
