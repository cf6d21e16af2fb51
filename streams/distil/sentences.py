"""Sentences of a message, as spans with the mark that ends them."""

from __future__ import annotations

import re
from typing import NamedTuple


class Sentence(NamedTuple):
    """Characters ``[start, end)`` without the closing mark; ``question``: it ended with a question mark."""

    start: int
    end: int
    question: bool


_END = re.compile(
    r"[.!?…。！？؟।]+[\"'”’)\]]*(?=\s|$|[^\w\s.,;:'\"”’)\]])|[。！？]|\n+|[\U0001F300-\U0001FAFF☀-➿]+", re.UNICODE
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|vs|etc|e\.g|i\.e|approx|jr|sr|prof|a\.m|p\.m|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
    r"|mon|tue|wed|thu|fri|sat|sun)|\b[A-Z])$",
    re.IGNORECASE,
)
_QUESTION_MARKS = "?？؟"


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Sentences in order; those without a letter or digit are left out. A dot after an abbreviation ends nothing."""
    found: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _abbreviated(text, start, match.start(), match.end()):
            continue
        _add(found, text, start, match.start(), question=any(c in _QUESTION_MARKS for c in match[0]))
        start = match.end()
    _add(found, text, start, len(text), question=False)
    return tuple(found)


def _abbreviated(text: str, start: int, dot: int, after: int) -> bool:
    """Whether the dot belongs to an abbreviation: a known one or an initial, with more text after it."""
    if after >= len(text) or _ABBREVIATION.search(text, max(start, dot - 7), dot) is None:
        return False
    rest = text[after:].lstrip()
    return bool(rest) and (
        rest[0].islower()
        or rest[0].isdigit()
        or text[dot - 2 : dot].lower() in ("dr", "mr", "rs", "ms")
        or (text[dot - 2 : dot] == "St" and _is_saint(text, start, dot - 2))
    )


def _is_saint(text: str, start: int, at: int) -> bool:
    """ "At St. Florian" names a saint, "in Mill St." a street: that has its name before it."""
    before = text[start:at].split()
    return not before or before[-1][0].islower()


def _add(found: list[Sentence], text: str, start: int, end: int, *, question: bool) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if any(c.isalnum() for c in text[start:end]):
        found.append(Sentence(start, end, question))
