"""An assistant's words on what it was told: "As you told me before, you live in Graz".

An echo is nobody's statement: it makes no event, so no update ends it, and whoever reads it in a context takes it for
what the person said. It is marked when a statement that holds says otherwise of the one it is about:

- the message is an assistant's, and a sentence of it says that the person said so;
- the statement has an attribute and a value, and is about somebody else than the assistant;
- the sentence has all other content words of the statement, and none of its value's;
- both deny, or both affirm.

That the two exclude each other is not sure (one may live in two towns): it is marked as possibly superseded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from schemas.ids import MessageKey
from views.reader import MessageText
from views.rows import EventRow, in_force

from .cut import Cut
from .retired import content

_ECHO = re.compile(
    r"\b(?:as|like) you(?:'ve| have)? (?:\w+ )?(?:told|said|mentioned|wrote|asked|noted|shared)\b"
    r"|\byou(?:'ve| have)? (?:\w+ )?(?:told me|said|mentioned|let me know|wrote)\b"
    r"|\bfrom what you(?:'ve| have)? (?:told|said|mentioned|shared)\b"
    r"|\b(?:i remember|i recall|i have noted|i noted|i have it|my notes say|according to you)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_DENIAL = re.compile(r"\b(?:not|never|no longer|cannot)\b|n['’]t\b", re.IGNORECASE)


class _Told(msgspec.Struct, frozen=True):
    """A statement that holds: the words of its value, and the others but for names."""

    row: EventRow
    value: frozenset[int]
    rest: frozenset[int]


def may_echo(note: MessageText) -> bool:
    """Whether a message is an assistant's that says it was told something."""
    return note.role == "assistant" and _ECHO.search(note.content) is not None


class Echoes:
    """What holds near one question, to look an assistant's messages up.

    Args:
        cut: the space as read by this query.
        near: events to look at, each once.
        at: instant from which they are judged.
    """

    def __init__(self, cut: Cut, near: Sequence[str], at: int) -> None:
        self._cut = cut
        self._near = near
        self._at = at
        self._pairs = cut.memo.pairs("echoes")

    def otherwise(self, key: MessageKey) -> EventRow | None:
        """The latest statement that holds and says otherwise than an assistant's message; None for every other one."""
        note = self._cut.note(key)
        if note is None or not may_echo(note):
            return None
        seen, differing = self._pairs.known.get(key, (0, 0))
        if self._bits & ~seen:
            differing |= self._look(note)
            self._pairs.known[key] = (seen | self._bits, differing)
        found = [told.row for bit, told in self._told if bit & differing]
        return max(found, key=lambda row: (row.event.stated, row.event.id), default=None)

    def _look(self, note: MessageText) -> int:
        """Those near the question that say otherwise. Remembered."""
        echoed = [part for part in _SENTENCE.split(note.content) if _ECHO.search(part)]
        found = 0
        for bit, told in self._told:
            if told.row.event.subject != note.speaker and any(_differs(part, told) for part in echoed):
                found |= bit
        return found

    @cached_property
    def _told(self) -> Sequence[tuple[int, _Told]]:
        """Each with its bit."""
        rows = (row for row in self._cut.rows(self._near) if in_force(row, self._at))
        return [(self._pairs.bit(row.event.id), told) for row in rows if (told := self._read(row)) is not None]

    @cached_property
    def _bits(self) -> int:
        found = 0
        for bit, _ in self._told:
            found |= bit
        return found

    def _read(self, row: EventRow) -> _Told | None:
        """Remembered."""
        known = self._cut.memo.of_events("told")
        if row.event.id not in known:
            known[row.event.id] = _read(row)
        found: _Told | None = known[row.event.id]
        return found


def _read(row: EventRow) -> _Told | None:
    event = row.event
    if event.attribute is None or event.value is None or event.subject not in event.participants:
        return None
    value = content(event.value)
    names = frozenset[int]().union(*(content(name) for name in (*event.participants, event.speaker or "")))
    rest = content(event.text) - value - names
    return _Told(row, value, rest) if value and rest else None


def _differs(sentence: str, told: _Told) -> bool:
    words = content(sentence)
    denied = _DENIAL.search(sentence) is not None
    return told.rest <= words and told.value.isdisjoint(words) and denied == (told.row.event.polarity == "negated")
