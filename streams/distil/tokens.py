"""Words of a text with their places. Contractions are two words ("I'm" = i, 'm), negative ones stay whole ("don't")."""

from __future__ import annotations

import re
from typing import NamedTuple

from .verbs import past_base


class Token(NamedTuple):
    """A word: lower case with straight apostrophes, its characters ``[start, end)``, if it had a name's capital."""

    word: str
    start: int
    end: int
    capital: bool


_WORD = re.compile(r"'(?:cause|til|em)\b|[^\W_]+(?:[-'’.&+/](?=[^\W_])[^\W_]+)*", re.UNICODE | re.IGNORECASE)
SHOUTED = 3
"""A verb of more letters, all of them capitals, is no name: "order 7 CANCELLED"."""
_CLITICS = ("'m", "'re", "'ve", "'ll", "'d", "'s")
_CASUAL = {"im": ("i", "'m"), "ive": ("i", "'ve"), "youre": ("you", "'re"), "theyre": ("they", "'re"),
           "thats": ("that", "'s"),
           "hes": ("he", "'s"), "shes": ("she", "'s"), "weve": ("we", "'ve"), "theres": ("there", "'s")}  # fmt: skip


def tokenize(text: str, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """The words of ``text[start:end]``; places are in ``text``."""
    tokens: list[Token] = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        _add(tokens, match[0], match.start(), match.end())
    return tuple(tokens)


def _add(tokens: list[Token], raw: str, start: int, end: int) -> None:
    """Add a word, split at its clitic."""
    word = raw.lower().replace("’", "'")
    capital = raw[0].isupper() and not (len(raw) > SHOUTED and raw.isupper() and past_base(word) is not None)
    if word in _CASUAL:
        host, clitic = _CASUAL[word]
        cut = start + len(host)
        tokens += [Token(host, start, cut, capital), Token(clitic, cut, end, capital=False)]
        return
    if "'" in word and len(word) == len(raw):
        for clitic in _CLITICS:
            if word.endswith(clitic) and len(word) > len(clitic):
                cut = end - len(clitic)
                tokens += [Token(word[: -len(clitic)], start, cut, capital), Token(clitic, cut, end, capital=False)]
                return
    tokens.append(Token(word, start, end, capital))
