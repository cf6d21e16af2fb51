"""From a phrase to an anchor: the interval in UTC that the text names, as its speaker's clock read."""

from __future__ import annotations

from typing import Literal

from schemas.events import Anchor

from . import units
from .clock import LocalClock, is_southern, zone_of
from .nodes import Context, Tense
from .phrases import Phrase, find_phrases
from .units import Span

Hemisphere = Literal["north", "south"]

__all__ = ["Hemisphere", "Tense", "context_of", "message_anchor", "resolve", "resolve_phrase"]


def context_of(
    sent_at_us: int, utc_offset_min: int, tz: str | None, tense: Tense, hemisphere: Hemisphere | None = None
) -> Context:
    """What a phrase is resolved against. Without a hemisphere the zone or the offset decides.

    Raises:
        OverflowError: ``sent_at_us`` is outside the years 1 to 9999.
    """
    southern = is_southern(tz, utc_offset_min) if hemisphere is None else hemisphere == "south"
    return Context(LocalClock(sent_at_us, zone_of(tz, utc_offset_min)), tense, southern)


def resolve(
    text_span: str,
    sent_at_us: int,
    utc_offset_min: int,
    tz: str | None,
    tense: Tense,
    hemisphere: Hemisphere | None = None,
) -> Anchor | None:
    """The first time phrase of ``text_span`` as an anchor; None when there is none or it names no one interval.

    Args:
        text_span: a time phrase, or a text that holds one.
        sent_at_us: when the message was sent, microseconds UTC.
        utc_offset_min: the offset it was sent with, minutes east of UTC; used where ``tz`` is unknown.
        tz: IANA zone, or None.
        tense: of the clause; says where phrases without a direction look.
        hemisphere: for seasons; None = by the zone.
    """
    context = context_of(sent_at_us, utc_offset_min, tz, tense, hemisphere)
    for phrase in find_phrases(text_span):
        anchor = resolve_phrase(phrase, context)
        if anchor is not None:
            return anchor
    return None


def resolve_phrase(phrase: Phrase, context: Context) -> Anchor | None:
    """One found phrase as an anchor. "since" looks back and "until", "by" look ahead unless the clause is past."""
    if phrase.role == "bound":
        return None
    if phrase.role == "since":
        context = context._replace(tense="past")
    try:
        span = phrase.named(context)
        return None if span is None else _anchor(span, context, phrase)
    except (ValueError, OverflowError):
        # 30 February, or a distance beyond the years 1 to 9999: the words name no date that exists.
        return None


def _anchor(span: Span, context: Context, phrase: Phrase) -> Anchor | None:
    start, until = context.clock.instant(span.start), context.clock.instant(span.until)
    if start >= until:
        return None
    return Anchor(
        start=start,
        until=until,
        precision=span.precision,
        phrase=phrase.text,
        resolution="explicit" if phrase.explicit else "relative",
    )


def message_anchor(context: Context) -> Anchor:
    """The local day the message was sent: the anchor of a statement without a time phrase."""
    span = units.day(context.clock.now.date())
    return Anchor(
        start=context.clock.instant(span.start),
        until=context.clock.instant(span.until),
        precision="day",
        phrase=None,
        resolution="message_time",
    )
