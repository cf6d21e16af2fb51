"""Evidence in words: verbatim quotes of source spans, and dates as their speaker would write them."""

from __future__ import annotations

from functools import lru_cache

from schemas.events import Anchor, Event
from schemas.ids import MessageKey
from schemas.times import calendar_time
from views.reader import MessageText

from .api import Citation
from .cut import Cut


def citations_of(event: Event, cut: Cut) -> tuple[Citation, ...]:
    """One citation for each source span that may be shown; ``quote`` is the exact slice of the message."""
    found: list[Citation] = []
    for source in event.sources:
        note = cut.note(MessageKey(source.conversation_id, source.message_id))
        if note is not None:
            found.append(
                Citation(
                    event_id=event.id,
                    conversation_id=source.conversation_id,
                    message_id=source.message_id,
                    speaker=note.speaker,
                    sent_at=note.sent_at,
                    utc_offset_min=note.utc_offset_min,
                    quote=note.content[source.start : source.end],
                )
            )
    return tuple(found)


def source_note(event: Event, cut: Cut) -> MessageText | None:
    """The message an event was first said in, if it may be shown."""
    for source in event.sources:
        note = cut.note(MessageKey(source.conversation_id, source.message_id))
        if note is not None:
            return note
    return None


def quoted(event: Event, cut: Cut, words_max: int | None = None) -> str:
    """``"the words" (speaker, date)``: the first source span, cut after ``words_max`` words (an ellipsis says so).

    An event asserted without a message is quoted by its own text and the day it was asserted.
    """
    return f"{quote(event, cut, words_max)} ({said(event, cut)})"


def quote(event: Event, cut: Cut, words_max: int | None = None) -> str:
    """``"the words"`` alone, for where the message itself stands beside them."""
    citations = citations_of(event, cut)
    words = " ".join((citations[0].quote if citations else event.text).split())
    parts = words.split(" ")
    if words_max is not None and len(parts) > words_max:
        words = " ".join(parts[:words_max]) + " …"
    return f'"{words}"'


def said(event: Event, cut: Cut) -> str:
    """``speaker, date`` of a statement."""
    note = source_note(event, cut)
    speaker = note.speaker if note is not None else event.speaker
    date = day(event.stated.sent_at, offset_of(event, cut))
    return f"{speaker}, {date}" if speaker else date


def offset_of(event: Event, cut: Cut) -> int:
    """Minutes east of UTC in which the event was said; its dates are written in them."""
    note = source_note(event, cut)
    return note.utc_offset_min if note is not None else 0


@lru_cache(maxsize=65_536)
def day(us: int, utc_offset_min: int) -> str:
    """An instant's calendar day at an offset, ISO."""
    return calendar_time(us, utc_offset_min).date().isoformat()


def anchored(anchor: Anchor, utc_offset_min: int) -> str:
    """The time a statement is about, as exactly as it was said and no more."""
    start = calendar_time(anchor.start, utc_offset_min)
    match anchor.precision:
        case "minute" | "hour":
            return start.strftime("%Y-%m-%d %H:%M")
        case "day":
            last = day(anchor.until - 1, utc_offset_min)
            first = start.date().isoformat()
            return first if last == first else f"{first} to {last}"
        case "week":
            return f"the week of {start.date().isoformat()}"
        case "month":
            return start.strftime("%Y-%m")
        case "season":
            return f"{start.strftime('%Y-%m')} to {calendar_time(anchor.until - 1, utc_offset_min).strftime('%Y-%m')}"
        case "year":
            return start.strftime("%Y")
