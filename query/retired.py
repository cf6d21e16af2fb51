"""What is known of a fact that no longer holds whatever is asked: its words, what took its place, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from views.rows import EventRow
from views.vectors.sparse import STOP_WORDS, term_id, words

from .cut import Cut

_HINT = 3
"""Letters that words of one stem have in common at their beginning, and digits that ``10,000`` and ``10000`` end on."""

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_DENIAL = re.compile(r"\b(?:not|never|no longer|cannot|without)\b|n['’]t\b", re.I)
_LONG_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3,}(?!\d)")
"""Three digits or more, but no year."""


class Retired(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that no longer holds.

    Attributes:
        row: of the fact.
        hints: what the text of a message must hold, or it is not worth reading.
        said: the words of its value.
        numbers: long numbers among them, when there are two or more and other words beside them.
        text: the other words of its text, without names.
        attribute: of the attribute's name.
        instead: of each statement that took its place, the words of the value that it does not share.
        before: when the first of those was made.
        denies: it denies something of its value.
    """

    row: EventRow
    hints: Sequence[str]
    said: frozenset[int]
    numbers: frozenset[int]
    text: frozenset[int]
    attribute: frozenset[int]
    instead: tuple[frozenset[int], ...]
    before: int
    denies: bool


@lru_cache(maxsize=16_384)
def content(text: str) -> frozenset[int]:
    """Stems of the words that are no stop words, as term ids; ``10,000`` is one number."""
    return frozenset(term_id(word) for word in _telling(text))


def _telling(text: str) -> list[str]:
    return [word for word in words(_THOUSANDS.sub("", text)) if word not in STOP_WORDS]


def retired_of(row: EventRow, cut: Cut) -> Retired | None:
    """A fact that something took the place of; None where it has no words, or nothing did."""
    value = value_of(row)
    said = content(value)
    by = cut.rows([superseder.event_id for superseder in row.superseders])
    if not said or not by:
        return None
    numbers = sorted(set(_LONG_NUMBER.findall(_THOUSANDS.sub("", value))))
    if not 2 <= len(numbers) < len(said):
        numbers = []
    return Retired(
        row=row,
        hints=[number[-_HINT:] for number in numbers] or [_hint(word) for word in _telling(value)],
        said=said,
        numbers=frozenset(term_id(number) for number in numbers),
        text=content(row.event.text) - said - _names(row),
        attribute=content(row.event.attribute or ""),
        instead=tuple(content(value_of(new)) - said for new in by),
        before=min(new.event.stated.sent_at for new in by),
        denies=denies(value, said),
    )


def denies(text: str, said: frozenset[int]) -> bool:
    """Whether a sentence that has one of these words denies."""
    return any(said & denied for denied in _denied(text))


@lru_cache(maxsize=16_384)
def _denied(text: str) -> Sequence[frozenset[int]]:
    """The words of every sentence that denies."""
    return [content(sentence) for sentence in _SENTENCE.split(text) if _DENIAL.search(sentence)]


def value_of(row: EventRow) -> str:
    """What a statement gives for its attribute, else all it says."""
    return row.event.value or row.event.text


def _names(row: EventRow) -> frozenset[int]:
    return frozenset(term for name in (*row.event.participants, row.event.speaker or "") for term in content(name))


def _hint(word: str) -> str:
    return word[-_HINT:] if word.isdigit() else word[:_HINT]
