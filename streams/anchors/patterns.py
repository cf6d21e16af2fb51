"""Pieces of regular expressions shared by the grammar's rules, and how their groups are read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .words import MONTHS, NUMBERS, ORDINALS, SEASONS, WEEKDAYS


def one_of(words: Iterable[str]) -> str:
    """An alternation, longest first, so that no word hides a longer one."""
    return "|".join(sorted((re.escape(word) for word in words), key=len, reverse=True))


WEEKDAY = one_of(WEEKDAYS)
MONTH = one_of(MONTHS)
SEASON = one_of(SEASONS)
NUMBER = rf"\d{{1,4}}|{one_of(NUMBERS)}"
ORDINAL = one_of(ORDINALS)
DAY_NUMBER = rf"\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL}"
YEAR = r"(?:19|20)\d\d"
UNIT = r"minute|min|hour|hr|day|night|week|fortnight|weekend|month|year|yr"


def compiled(pattern: str) -> re.Pattern[str]:
    """A rule's pattern: any case, ending at a word's end."""
    return re.compile(rf"(?:{pattern})(?!\w)", re.IGNORECASE)


def spaced(text: str) -> str:
    """Lower case, one space between words, straight apostrophes: the form the tables use."""
    return " ".join(text.lower().replace("’", "'").split())


def number(text: str) -> int:
    """A count in digits or words."""
    text = spaced(text)
    return int(text) if text.isdecimal() else NUMBERS[text]


def day_number(text: str) -> int:
    """A day of the month: "12", "12th", "twelfth"."""
    text = spaced(text)
    digits = text.rstrip("stndrh") if text[0].isdecimal() else ""
    return int(digits) if digits else ORDINALS[text]
