"""What an erasure takes away: which messages, and what was made of them or asked about them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from schemas.adjudications import AliasMerged, AliasSplit
from schemas.asking import ModelAsked
from schemas.events import Event, EventsAsserted, EventsDistilled, read_below
from schemas.ids import MessageKey
from schemas.parts import whole_of
from schemas.record import Record
from schemas.topics import TopicName
from streams.erasure import Begun, Extent
from streams.link.space import SetOf


class Gone(msgspec.Struct, frozen=True, kw_only=True):
    """What is to go.

    Attributes:
        extent: which messages.
        begun: where the erasure stands in the log.
        sessions: those of which a set was made from an erased message.
        kept: the events of all other distilled sets, by id.
        events: ids of events that are nowhere any more once the records of ``events`` are rewritten.
        asks: ids of questions to a model that quote what is erased.
        pairs: keys of the pairs that were asked about in them.
        words: (alias, hour) of words on names that were learned from an erased message, or took that back.
    """

    extent: Extent
    begun: Begun
    sessions: frozenset[str]
    kept: Mapping[str, Event]
    events: frozenset[str]
    asks: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    words: frozenset[tuple[str, int]] = frozenset()

    def message(self, key: MessageKey, offset: int) -> bool:
        """Whether a message that was read at an offset of ``messages`` is erased."""
        return offset < self.begun.upto and self.extent.holds(key)

    def keeps(self, record: EventsDistilled | EventsAsserted, event: Event) -> bool:
        """Whether an event stays in its set.

        An API batch loses what rests on an erased message (of a whole space, everything). A distilled set that had read
        an erased message keeps only what came out without it as well: whoever distils may put into one event what
        another message said.
        """
        if isinstance(record, EventsDistilled):
            return not _has_read(record, self.extent, self.begun) or self.kept.get(event.id) == event
        if read_below(record) > self.begun.upto:
            return True
        sources = [MessageKey(s.conversation_id, s.message_id) for s in event.sources]
        return not self.extent.whole_space and not any(self.extent.holds(key) for key in sources)

    def keeps_in_link(self, which: SetOf, event: Event) -> bool:
        """The same of a set that the link stage holds: those of API producers have been replaced by then."""
        if event.id in self.events:
            return False
        return which.asserted or whole_of(which.session_id) not in self.sessions or self.kept.get(event.id) == event

    def tainted(self, session_id: str, offset: int, topic: TopicName) -> bool:
        """Whether what was said of a session's pairs by then may quote what is erased."""
        return (whole_of(session_id) in self.sessions or self.extent.whole_space) and offset < self.begun.ends[topic]


def find_gone(
    extent: Extent,
    begun: Begun,
    events: Iterable[Record],
    asks: Iterable[tuple[int, Record]] = (),
    words: Iterable[tuple[int, Record]] = (),
) -> Gone:
    """What is to go.

    Args:
        extent: which messages.
        begun: where the erasure stands in the log.
        events: all records of ``events`` of the space.
        asks: all (offset, record) of ``asks`` of the space; those that were cleaned before a kill are known by that.
        words: all (offset, record) of ``adjudications`` of the space, in order.
    """
    sets = [record for record in events if isinstance(record, EventsDistilled | EventsAsserted)]
    distilled = [record for record in sets if isinstance(record, EventsDistilled)]
    read = [record for record in distilled if _has_read(record, extent, begun)]
    clean = [record for record in distilled if not _has_read(record, extent, begun)]
    first = Gone(
        extent=extent,
        begun=begun,
        sessions=frozenset(whole_of(record.session_id) for record in read),
        kept={event.id: event for record in clean for event in record.events},
        events=frozenset(),
    )
    dropped = {event.id: event.text for s in sets for event in s.events if not first.keeps(s, event)}
    stay = {event.id for s in sets for event in s.events if first.keeps(s, event)}
    texts = [text for event_id, text in dropped.items() if event_id not in stay]
    asked = [a for offset, a in asks if isinstance(a, ModelAsked) and _quotes(a, offset, first, texts)]
    return msgspec.structs.replace(
        first,
        events=frozenset(dropped.keys() - stay),
        asks=frozenset(record.ask_id for record in asked),
        pairs=frozenset(pair for record in asked for pair in record.about),
        words=frozenset(_learned(first, words)),
    )


def _learned(gone: Gone, words: Iterable[tuple[int, Record]]) -> Iterator[tuple[str, int]]:
    """What was learned of names from an erased message, and the words by which the same producer took it back."""
    taught: dict[tuple[str, str], bool] = {}
    for offset, word in words:
        if not isinstance(word, AliasMerged | AliasSplit):
            continue
        name = word.analyst, word.alias.casefold()
        if isinstance(word, AliasMerged):
            keys = [MessageKey(source.conversation_id, source.message_id) for source in word.sources]
            before = offset < gone.begun.ends.get("adjudications", offset + 1)
            taught[name] = before and any(gone.extent.holds(key) for key in keys)
        if taught.get(name, False):
            yield name[1], word.at


def _quotes(record: ModelAsked, offset: int, gone: Gone, texts: Sequence[str]) -> bool:
    """Whether a question holds erased text: of a session that does, or about statements that are gone.

    What readers asked goes whole: its context shows messages that nothing was distilled from, and asking anew is cheap.
    """
    if record.stage == "answer" and offset < gone.begun.ends["asks"]:
        return True
    if not record.prompt.messages or gone.tainted(record.session_id, offset, "asks"):
        return True
    written = [form for text in texts for form in _written(text)]
    return any(form in message.content for message in record.prompt.messages for form in written)


def _written(text: str) -> tuple[str, ...]:
    """A text as a question may hold it: as it is, or within JSON, where quotes and line ends are escaped."""
    return (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])


def _has_read(record: EventsDistilled, extent: Extent, begun: Begun) -> bool:
    """Whether an erased message was read for the set: one under its id that was posted anew is not erased."""
    if read_below(record) > begun.upto:
        return False
    return any(extent.holds(MessageKey(record.conversation_id, message_id)) for message_id in record.read)
