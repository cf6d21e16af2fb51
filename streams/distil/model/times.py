"""The times of an event from the phrase that the model copied. The model names words; dates are computed here."""

from __future__ import annotations

from schemas.sessions import SessionMessage

from ...anchors import find_phrases, message_anchor, resolve_phrase
from ...anchors.nodes import Context
from ...anchors.resolve import context_of
from ..times import Dated, Times
from .reply import ModelEvent

_BEGINS = ("since", "for", "from", "range")


def times_of_reply(event: ModelEvent, message: SessionMessage, quote: str) -> Times | None:
    """Anchor, beginning, end and whether it holds; None when the message has no local day (at the calendar's ends).

    Args:
        event: as the model reads it.
        message: its last source.
        quote: what is quoted of it. The phrase counts only where it stands in the message; without one, the time
            phrases of the quote do, as they do for the rules.
    """
    try:
        context = context_of(message.sent_at, message.utc_offset_min, message.tz, event.tense)
        day = message_anchor(context)
    except (OverflowError, ValueError):
        return None
    phrase = event.when if event.when and event.when in message.content else quote
    dates = _dates(phrase, context)
    main = next((dated for dated in dates if dated[0] not in ("until", "by")), None)
    if main is None and dates and event.tense != "present":
        main = dates[0]
    anchor = main[1] if main else day
    ends_at = next((found.until for role, found in dates if role == "until"), None)
    if event.modality == "planned":
        return Times(anchor, None, ends_at, holds=True, expected_until=anchor.until if main else None)
    if main is not None and main[0] == "range":
        ends_at = anchor.until
    over = ends_at is not None and ends_at <= message.sent_at
    return Times(anchor, _begin(event, main), ends_at, holds=event.holds and not over, expected_until=None)


def _dates(phrase: str, context: Context) -> tuple[Dated, ...]:
    found: list[Dated] = []
    for one in find_phrases(phrase):
        anchor = resolve_phrase(one, context)
        if anchor is not None:
            found.append((one.role, anchor))
    return tuple(found)


def _begin(event: ModelEvent, main: Dated | None) -> int | None:
    """When the text says it began: "since", "from", a range; or when a past change took place."""
    if main is None:
        return None
    role, anchor = main
    if role in _BEGINS or (event.tense == "past" and role == "at"):
        return anchor.start
    return None
