"""From what the model answered to events that rest on the text: every quote is looked up, or the event is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from schemas.events import Event, Source, Stated
from schemas.ids import SpaceKey, event_id, normal_text
from schemas.sessions import SessionMessage, SessionRevised

from ...participants import Roster, roster_of
from ..foreign_speech import mask_foreign_speech
from .parts import Part
from .reply import ModelEvent
from .times import times_of_reply

Drop = Literal["unknown message", "ungrounded", "unsaid", "elsewhere"]
"""Why an event is dropped: it names a message that was not shown; a quote is not in its message; no person said it, for
an assistant's words are not a person's, nor are words that somebody cites or pastes; it stands in messages that were
shown as context only, and belongs to the part that holds them."""

JOIN = " … "
"""Between the quotes of an event that rests on several messages."""


class _Found(NamedTuple):
    message: SessionMessage
    start: int
    end: int

    @property
    def stated(self) -> Stated:
        return Stated(self.message.sent_at, self.message.seq, self.message.message_id, self.start)

    @property
    def is_own(self) -> bool:
        """Whether any word of it is the speaker's own: not all of it stands in a quotation or in marked-up text."""
        return _has_word(mask_foreign_speech(self.message.content)[self.start : self.end])


def ground(event: ModelEvent, session: SessionRevised, part: Part) -> Event | Drop:
    """The event, or why it is dropped.

    Its text is what is quoted, never the model's own words. Its last source is the statement; the ones before it are
    what that answers.
    """
    found = _find(event, session, part)
    if isinstance(found, str):
        return found
    sources = sorted(found, key=lambda one: one.stated)
    last = sources[-1]
    if last.message.role not in ("user", "analyst") or not last.is_own:
        return "unsaid"
    if last.message not in session.messages[part.start : part.stop]:
        return "elsewhere"
    quotes = [one.message.content[one.start : one.end] for one in sources]
    times = times_of_reply(event, last.message, quotes[-1])
    if times is None:
        return "ungrounded"
    text = JOIN.join(quotes)
    roster = roster_of(session)
    subject = _named(event.subject, roster, session)
    people = {_named(name, roster, session) for name in event.participants}
    if subject is not None and (roster.knows(subject) or subject in people):
        people.add(subject)
    spans = tuple((session.conversation_id, one.message.message_id, one.start, one.end) for one in sources)
    return Event(
        id=event_id(SpaceKey(session.tenant, session.space), spans, event.type, text),
        type=event.type,
        subject=subject,
        participants=tuple(sorted(name for name in people if name)),
        speaker=last.message.speaker or None,
        text=text,
        sources=tuple(Source(conversation_id=c, message_id=m, start=s, end=e) for c, m, s, e in spans),
        stated=last.stated,
        anchor=times.anchor,
        valid_from=times.valid_from,
        ends_at=times.ends_at,
        holds=times.holds,
        modality=event.modality,
        polarity=event.polarity,
        attribute=_attribute(event.attribute),
        value=_said(event.value, quotes),
        expected_until=times.expected_until,
        confidence=event.confidence,
    )


def _find(event: ModelEvent, session: SessionRevised, part: Part) -> list[_Found] | Drop:
    found: list[_Found] = []
    for source in event.sources:
        if not 1 <= source.message <= part.stop:
            return "unknown message"
        message = session.messages[source.message - 1]
        quote = source.quote.strip()
        start = _place(quote, message.content) if _has_word(quote) else -1
        if start < 0:
            return "ungrounded"
        one = _Found(message, start, start + len(quote))
        if one not in found:
            found.append(one)
    return [one for one in found if not any(_is_within(one, other) for other in found)]


def _is_within(one: _Found, other: _Found) -> bool:
    """Whether it is part of the other, and so says nothing beside it."""
    return one != other and one.message == other.message and other.start <= one.start and one.end <= other.end


def _place(quote: str, content: str) -> int:
    """Where the speaker says it; else where others' words are that. -1: nowhere."""
    own = mask_foreign_speech(content).find(quote)
    return own if own >= 0 else content.find(quote)


def _has_word(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _named(name: str | None, roster: Roster, session: SessionRevised) -> str | None:
    """A name as it is known: a speaker's, somebody's ("Ann's sister"), or words of the session; else None."""
    plain = " ".join((name or "").split())
    if not plain:
        return None
    if roster.knows(plain):
        return roster.canonical(plain)
    owner, of, thing = plain.replace("’", "'").partition("'s ")
    if of and roster.knows(owner):
        return f"{roster.canonical(owner)}'s {thing}"
    wanted = normal_text(plain)
    if any(wanted in normal_text(message.content) for message in session.messages):
        return plain
    return None


def _attribute(name: str | None) -> str | None:
    """The model's own word, the only one that is kept; no control characters in it."""
    plain = " ".join((name or "").casefold().split())
    return plain if plain and plain.isprintable() else None


def _said(value: str | None, quotes: Sequence[str]) -> str | None:
    """The value, as it stands in a quote."""
    plain = (value or "").strip()
    for quote in reversed(quotes):
        at = quote.casefold().find(plain.casefold()) if plain else -1
        if at >= 0 and quote[at : at + len(plain)].casefold() == plain.casefold():
            return quote[at : at + len(plain)]
    return None
