"""Deltas as server-sent events: what is sent for a delta, and to whom. Pure.

The id of an event is its position in the space's partition of the deltas topic, so ``Last-Event-ID`` resumes after it.
What changed and why stays as it was told; ``event`` and ``by`` say what statements are when it is sent, so that nothing
erased comes back and names are those of now.
"""

from __future__ import annotations

from typing import Any

import msgspec

from query.api import Told
from schemas.deltas import EventChanged, Validity
from schemas.events import Event
from schemas.times import format_time

HEARTBEAT = b": still here\n\n"


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which deltas a reader wants; None: any. With a filter no edges are sent: they are about no one attribute.

    What cannot be judged, because it is erased what the event was about, is sent: it went, and a reader that used
    it must hear of that.
    """

    participant: str | None
    attribute: str | None

    def wants(self, told: Told) -> bool:
        """Whether a delta is to be sent. ``participant`` is canonical and case-folded."""
        if self.participant is None and self.attribute is None:
            return True
        if not isinstance(told.delta, EventChanged):
            return False
        about = told.delta.about
        if about is None:
            return True
        if self.participant is not None and self.participant not in told.names:
            return False
        return self.attribute is None or (about.attribute or "").casefold() == self.attribute.casefold()


def opening(following: int, retry_ms: int) -> bytes:
    """The first bytes: how soon to reconnect, and an id, so that a reader who heard nothing resumes where it began."""
    resume = f"id: {following - 1}\n" if following else ""
    return f"retry: {retry_ms}\n{resume}\n".encode()


def frame(told: Told) -> bytes:
    """A delta as an event. JSON has no line ends, so one data line is enough."""
    name = "event_changed" if isinstance(told.delta, EventChanged) else "edge_changed"
    data = msgspec.json.encode(delta_json(told)).decode("utf-8")
    return f"id: {told.position}\nevent: {name}\ndata: {data}\n\n".encode()


def delta_json(told: Told) -> dict[str, Any]:
    """The data of an event."""
    delta = told.delta
    common = {"cause": msgspec.to_builtins(delta.cause), "learned_at": format_time(delta.learned_at)}
    if isinstance(delta, EventChanged):
        return {
            "event_id": delta.event_id,
            "reason": delta.reason,
            "status": delta.status,
            "old_status": delta.old_status,
            "new": _validity(delta.new),
            "old": _validity(delta.old),
            "about": None if delta.about is None else msgspec.to_builtins(delta.about),
            "event": _event(told.event),
            "by": [list(key) for key in told.by],
            **common,
        }
    return {
        "edge_id": delta.edge_id,
        "live": delta.live,
        "was_live": delta.was_live,
        "invalid_from": _time(delta.invalid_from),
        "old_invalid_from": _time(delta.old_invalid_from),
        **common,
    }


def _validity(validity: Validity | None) -> dict[str, Any] | None:
    if validity is None:
        return None
    return {
        "valid_from": format_time(validity.valid_from),
        "valid_until": _time(validity.valid_until),
        "demoted_from": _time(validity.demoted_from),
        "corrected": validity.corrected,
        "withdrawal": validity.withdrawal,
        "superseded_by": list(validity.superseded_by),
        "contested_by": list(validity.contested_by),
    }


def _event(event: Event | None) -> dict[str, Any] | None:
    """What a reader needs to find the fact it relies on; the whole event is at ``GET …/events/{id}``."""
    if event is None:
        return None
    return {
        "text": event.text,
        "type": event.type,
        "subject": event.subject,
        "participants": list(event.participants),
        "attribute": event.attribute,
        "value": event.value,
        "sources": [[source.conversation_id, source.message_id] for source in event.sources],
    }


def _time(us: int | None) -> str | None:
    return None if us is None else format_time(us)
