"""Messages that say what a fact said which no longer holds, though the fact does not rest on them.

A producer may assert a fact and its replacement without naming messages, and one person may say the same thing three
times where one saying became the fact. Whoever reads such a message in a context takes it for the present state unless
it is marked like the fact. A message restates a superseded or corrected fact when

- it has all content words of the fact's value (where it has one, else of its text), as stems, in any order. Three words
  or more tell by themselves what they are about; of fewer the message must also have the other words of the fact's
  text, or one of its attribute's. Of a value with two long numbers (an order, an amount) they and one more word do;
- the fact is not about somebody else: its subject said the message, or is named in it;
- it was said before the first statement that took the fact's place, and does not say what that one says instead;
- it denies where the fact denies and affirms where it affirms, in the sentences that have words of the value;
- no fact that holds says the same: none that was stated since, and none of a producer that names no messages.

Only facts near the question are looked at, those the search found and those around the seeds: a space is never scanned.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property

from schemas.ids import MessageKey
from views.reader import MessageText
from views.rows import EventRow, in_force, status_at

from .cut import Cut
from .retired import Retired, content, denies, retired_of, value_of

TELLING_WORDS = 3
"""Content words that tell by themselves what they are about: "approved for 900" does, "Paris" does not."""

_Fact = tuple[float, str, frozenset[int]]
"""A fact that holds: when it was said, ``_ALWAYS`` of one that names no messages, its id, all its words."""

_ALWAYS = float("inf")
_UNSEEN = (0, 0)

Holding = Mapping[int, Sequence[_Fact]]
"""Facts that hold by single words."""


class Restated:
    """The retired facts near one question, to look messages up.

    Args:
        cut: the space as read by this query.
        near: events to look at, each once.
        at: instant from which they are judged: when the question is asked.
    """

    def __init__(self, cut: Cut, near: Sequence[str], at: int) -> None:
        self._cut = cut
        self._near = near
        self._at = at
        self._found: dict[int, EventRow] = {}
        self._retold: dict[str, EventRow | None] = {}
        self._pairs = cut.memo.pairs("restates")

    def of(self, key: MessageKey) -> EventRow | None:
        """The fact that a message restates; of several the one stated last. None of a message that may not be shown."""
        bits = self._bits
        if not bits:
            return None
        seen, told = self._pairs.known.get(key, _UNSEEN)
        if bits & ~seen:
            told = self._look(key, seen, told)
        told &= bits
        return self._last(told) if told else None

    def _last(self, told: int) -> EventRow:
        found = self._found.get(told)
        if found is None:
            rows = (one.row for bit, one in self._retired if bit & told)
            found = self._found[told] = max(rows, key=lambda row: (row.event.stated, row.event.id))
        return found

    def of_event(self, row: EventRow) -> EventRow | None:
        """The fact that a statement says once more: one its message restates, of whose value it has words."""
        if not self._bits:
            return None
        if row.event.id not in self._retold:
            self._retold[row.event.id] = self._of_event(row)
        return self._retold[row.event.id]

    def _of_event(self, row: EventRow) -> EventRow | None:
        for key in self._cut.sources(row.event.id):
            fact = self.of(key)
            if fact is not None and content(row.event.text) & content(value_of(fact)):
                return fact
        return None

    def _look(self, key: MessageKey, seen: int, told: int) -> int:
        """Of the facts that a message restates those near the question, and others. Remembered."""
        note = self._cut.note(key)
        if note is None:
            return 0
        words_of, by_term = content(note.content), self._by_term
        if not words_of.isdisjoint(by_term):
            folded = _folded(note.content)
            for bit, one in [pair for term in words_of if term in by_term for pair in by_term[term]]:
                if not bit & seen and all(hint in folded for hint in one.hints) and self._restates(note, words_of, one):
                    told |= bit
        self._pairs.known[key] = (seen | self._bits, told)
        return told

    @cached_property
    def _retired(self) -> list[tuple[int, Retired]]:
        """Those of which no fact that holds says the same, each with its bit."""
        known, found = self._cut.memo.of_events("retired"), list[Retired]()
        for row in self._cut.rows(self._near):
            if row.superseders and status_at(row, self._at) in ("superseded", "corrected"):
                event_id = row.event.id
                one = known[event_id] if event_id in known else known.setdefault(event_id, retired_of(row, self._cut))
                if one is not None:
                    found.append(one)
        if not found:
            return []
        again = _Again(self._cut, found, self._near, self._at).said()
        return [(self._pairs.bit(one.row.event.id), one) for one in found if one.row.event.id not in again]

    @cached_property
    def _bits(self) -> int:
        found = 0
        for bit, _ in self._retired:
            found |= bit
        return found

    @cached_property
    def _by_term(self) -> Mapping[int, Sequence[tuple[int, Retired]]]:
        """By one of the words that a message must have."""
        found: dict[int, list[tuple[int, Retired]]] = {}
        for bit, one in self._retired:
            found.setdefault(min(one.numbers or one.said), []).append((bit, one))
        return found

    def _restates(self, note: MessageText, told: frozenset[int], one: Retired) -> bool:
        return (
            note.sent_at <= one.before
            and MessageKey(note.conversation_id, note.message_id) not in self._cut.sources(one.row.event.id)
            and _says(told, one)
            and _may_be_about(note, one.row)
            and not any(instead and instead <= told for instead in one.instead)
            and denies(note.content, one.said) == one.denies
        )


class _Again:
    """Whether a fact that holds says what a retired one said: stated since, or by a producer that names no messages.

    What took its place does not say the same, however much of it the words repeat.
    """

    def __init__(self, cut: Cut, retired: Sequence[Retired], near: Sequence[str], at: int) -> None:
        self._cut = cut
        self._retired = retired
        self._rows = [row for row in cut.rows(near) if in_force(row, at)]
        self._pairs = cut.memo.pairs("said again")
        self._bits = self._pairs.bits([row.event.id for row in self._rows])

    def said(self) -> set[str]:
        """Of which of the facts."""
        found, known, bits = set[str](), self._pairs.known, self._bits
        for one in self._retired:
            event_id = one.row.event.id
            seen, again = known.get(event_id, _UNSEEN)
            if bits & ~seen:
                again |= self._look(one)
                known[event_id] = (seen | bits, again)
            if again & bits:
                found.add(event_id)
        return found

    def _look(self, one: Retired) -> int:
        """The facts near the question that do. Remembered."""
        near = self._holding.get(min(one.said), ())
        said, before = one.said, one.before
        instead = {superseder.event_id for superseder in one.row.superseders}
        again = [fact_id for sent_at, fact_id, words_of in near if sent_at > before and said <= words_of]
        return self._pairs.bits([fact_id for fact_id in again if fact_id not in instead])

    @cached_property
    def _holding(self) -> Holding:
        """Facts that hold and their words, by those words that one of the retired facts is looked up by."""
        found: dict[int, list[_Fact]] = {}
        terms = {min(one.said) for one in self._retired}
        known = self._cut.memo.of_events("words")
        for row in self._rows:
            words_of: frozenset[int] | None = known.get(row.event.id)
            if words_of is None:
                words_of = known[row.event.id] = content(value_of(row)) | content(row.event.text)
            event = row.event
            fact = (event.stated.sent_at if event.sources else _ALWAYS, event.id, words_of)
            for term in words_of & terms:
                found.setdefault(term, []).append(fact)
        return found


def _says(told: frozenset[int], one: Retired) -> bool:
    if one.numbers and one.numbers <= told:
        return len(one.said & told) > len(one.numbers)
    if not one.said <= told:
        return False
    return len(one.said) >= TELLING_WORDS or bool(one.attribute & told) or (bool(one.text) and one.text <= told)


def _may_be_about(note: MessageText, row: EventRow) -> bool:
    """Whether the subject said it or is named. A fact without one is of its own conversation, where it has any."""
    subject = row.event.subject
    if subject is None:
        sources = row.event.sources
        return not sources or any(source.conversation_id == note.conversation_id for source in sources)
    return subject.casefold() == note.speaker.casefold() or bool(content(subject) & content(note.content))


def _folded(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()
