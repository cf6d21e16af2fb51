"""Words in a message that are not its speaker's: quoted sentences and marked-up inserts."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"[\"“«]([^\"”»\n]{12,})[\"”»]|(?<!\w)['‘]([^'’\n]{16,})['’](?!\w)")
QUOTED_WORDS = 4
"""Fewer words in quotation marks are a name or a term, not somebody's sentence."""
_MARKUP = re.compile(r"<(\w{1,40})>.{0,1000}?</\1>|\[[^\[\]\n]{1,300}\]", re.DOTALL)
"""Tags with what is in them, and notes in square brackets: captions of pictures, times of a transcript."""


def mask_foreign_speech(text: str) -> str:
    """Quoted sentences and marked-up inserts replaced by as many spaces: they are not the speaker's."""
    masked = _MARKUP.sub(lambda m: " " * len(m[0]), text)
    return _QUOTED.sub(lambda m: " " * len(m[0]) if len(m[0].split()) >= QUOTED_WORDS else m[0], masked)


def quotes_in(text: str) -> tuple[tuple[int, int], ...]:
    """Places of quoted sentences: several words between quotation marks."""
    return tuple(m.span() for m in _QUOTED.finditer(text) if len(m[0].split()) >= QUOTED_WORDS)


def introduces_quote(text: str, start: int, end: int, quotes: tuple[tuple[int, int], ...]) -> bool:
    """Whether ``text[start:end]`` holds, leads up to, or goes on after a quoted sentence."""
    for a, b in quotes:
        if start < b and a < end:
            return True
        if end <= a and not text[end:a].strip(" \t:,-–—"):
            return True
        if b <= start and not text[b:start].strip(" \t,-–—") and text[start : start + 1].islower():
            return True
    return False
