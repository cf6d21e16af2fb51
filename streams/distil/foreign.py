"""Text the English rules cannot read: told by its letters and by frequent words of other languages.

Such a sentence is kept as it stands. Of what it says only two things are read: whether it denies, and whether it only
greets or thanks.
"""

from __future__ import annotations

from .lexicon import foreign as words
from .lexicon import grammar as g
from .lexicon.verbs import BASES
from .tokens import Token
from .verbs import ing_base, past_base, third_base

_ENGLISH = g.AUXILIARIES | g.SUBJECT_PRONOUNS | g.DETERMINERS | g.PREPOSITIONS | g.CONJUNCTIONS
LEAST_WORDS = 2
"""A shorter sentence in Latin letters does not tell its language."""
LEAST_LETTERS = 5
"""The same for scripts that put no spaces between words."""
LATIN_END = 0x24F
"""Letters up to here are Latin; so are those of the block for Vietnamese."""
_VIETNAMESE = range(0x1E00, 0x1F00)
COURTESY_WORDS = 4
"""A longer sentence that begins with a greeting may go on to say something."""


def is_foreign(text: str, tokens: tuple[Token, ...]) -> bool:
    """Whether a sentence is in another language.

    Mostly letters beyond Latin; or more foreign than English words; or accents, and no English word at all.
    """
    if text.isascii():
        return len(tokens) >= LEAST_WORDS and _by_words(tokens)
    letters = [c for c in text if c.isalpha()]
    if 2 * sum(ord(c) > LATIN_END and ord(c) not in _VIETNAMESE for c in letters) > len(letters):
        return len(letters) >= LEAST_LETTERS
    if len(tokens) < LEAST_WORDS:
        return False
    return _by_words(tokens) or (any(_accented(t) for t in tokens) and not any(_is_english(t.word) for t in tokens))


def greets(tokens: tuple[Token, ...]) -> bool:
    """Whether a foreign sentence only greets or thanks."""
    return len(tokens) <= COURTESY_WORDS and any(t.word in words.COURTESY for t in tokens)


def denies(text: str, tokens: tuple[Token, ...]) -> bool:
    """Whether a foreign sentence denies. Spanish "no" counts at its start only: elsewhere it may be Portuguese."""
    if any(t.word in words.NEGATIONS for t in tokens) or (tokens and tokens[0].word == "no"):
        return True
    return any(piece in text for piece in words.NEGATING)


def _by_words(tokens: tuple[Token, ...]) -> bool:
    foreign = sum(t.word in words.FOREIGN for t in tokens)
    english = sum(t.word in _ENGLISH and t.word not in words.FOREIGN and _as_written(t) for t in tokens)
    return foreign > english and (foreign > 1 or english == 0)


def _as_written(token: Token) -> bool:
    """Not looked up as a short form: "w" is Polish, "u" Dutch."""
    return len(token.word) == token.end - token.start


def _accented(token: Token) -> bool:
    return not token.word.isascii() and token.word not in words.BORROWED and any(c.isalpha() for c in token.word)


def _is_english(word: str) -> bool:
    """A word the English rules know: closed classes and verbs in all forms."""
    if word in _ENGLISH or word in g.ADVERBS or word in g.TIME_NOUNS or word in BASES:
        return True
    return past_base(word) is not None or third_base(word) is not None or ing_base(word) is not None
