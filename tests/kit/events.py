"""Events for tests, with everything that does not matter filled in."""

from __future__ import annotations

from typing import Any

from schemas.events import Anchor, Event, Stated
from schemas.times import US_PER_DAY, US_PER_MINUTE


def stated(event_id: str, text: str, sent_at: int, /, **changes: Any) -> Event:
    """An asserted state, said at an instant by nobody and about nobody, unless changed."""
    fields: dict[str, Any] = {
        "id": event_id,
        "type": "state_change",
        "subject": None,
        "participants": (),
        "speaker": None,
        "text": text,
        "sources": (),
        "stated": Stated(sent_at, 0, "m", 0),
        "anchor": minute(sent_at),
        "valid_from": None,
        "ends_at": None,
        "holds": True,
        "modality": "asserted",
        "polarity": "affirmed",
        "attribute": None,
        "value": None,
        "expected_until": None,
        "confidence": 1.0,
    }
    return Event(**(fields | changes))


def by(speaker: str) -> dict[str, Any]:
    """Said by somebody of themselves."""
    return {"subject": speaker, "participants": (speaker,), "speaker": speaker}


def minute(start: int) -> Anchor:
    """The minute in which something was said."""
    return Anchor(start=start, until=start + US_PER_MINUTE, precision="minute", phrase=None, resolution="message_time")


def anchor(start: int, days: int = 1, phrase: str | None = None) -> Anchor:
    """So many days: those in which something was said, or those that it names."""
    return Anchor(
        start=start, until=start + days * US_PER_DAY, precision="day", phrase=phrase,
        resolution="message_time" if phrase is None else "explicit",
    )  # fmt: skip
