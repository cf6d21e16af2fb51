"""Text the English rules cannot read: told by its letters and by frequent words of other languages."""

from __future__ import annotations

from .lexicon import grammar as g
from .lexicon.foreign import FOREIGN
from .tokens import Token

_ENGLISH = g.AUXILIARIES | g.SUBJECT_PRONOUNS | g.DETERMINERS | g.PREPOSITIONS | g.CONJUNCTIONS
LEAST_WORDS = 3
"""A shorter sentence in Latin letters does not tell its language; a greeting would become an event."""
LEAST_LETTERS = 5
"""The same for scripts that put no spaces between words."""
LATIN_END = 0x24F
"""Letters up to here are Latin."""


def is_foreign(text: str, tokens: tuple[Token, ...]) -> bool:
    """Whether a sentence is in another language: mostly letters beyond Latin, or more foreign than English words."""
    if not text.isascii():
        letters = [c for c in text if c.isalpha()]
        if 2 * sum(ord(c) > LATIN_END for c in letters) > len(letters):
            return len(letters) >= LEAST_LETTERS
    if len(tokens) < LEAST_WORDS:
        return False
    foreign = sum(t.word in FOREIGN for t in tokens)
    english = sum(t.word in _ENGLISH and t.word not in FOREIGN for t in tokens)
    return foreign > english and (foreign > 1 or english == 0)
