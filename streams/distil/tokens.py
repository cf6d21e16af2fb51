"""Words of a text with their places. Contractions are two words ("I'm" = i, 'm), negative ones stay whole ("don't")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..casual import IT_IS, JOINED, SPELLED
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


def tokenize(text: str, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """The words of ``text[start:end]``; places are in ``text``."""
    tokens: list[Token] = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        _add(tokens, match[0], match.start(), match.end())
    return tuple(_of_it(tokens)) if any(token.word == "its" for token in tokens) else tuple(tokens)


def _of_it(tokens: list[Token]) -> Iterator[Token]:
    """ "its" before what is no noun is "it's": "its gone", "its at 8"."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.word == "its" and after is not None and after.word in IT_IS:
            cut = token.start + 2
            yield from (Token("it", token.start, cut, token.capital), Token("'s", cut, token.end, capital=False))
        else:
            yield token


def _add(tokens: list[Token], raw: str, start: int, end: int) -> None:
    """Add a word, split at its clitic."""
    word = raw.lower().replace("’", "'")
    capital = raw[0].isupper() and not (len(raw) > SHOUTED and raw.isupper() and past_base(word) is not None)
    if word in JOINED:
        host, clitic = JOINED[word]
        cut = start + len(host)
        tokens += [Token(host, start, cut, capital), Token(clitic, cut, end, capital=False)]
        return
    if "'" in word and len(word) == len(raw):
        for clitic in _CLITICS:
            if word.endswith(clitic) and len(word) > len(clitic):
                cut = end - len(clitic)
                host = word[: -len(clitic)]
                tokens += [Token(SPELLED.get(host, host), start, cut, capital), Token(clitic, cut, end, capital=False)]
                return
    tokens.append(Token(SPELLED.get(word, word), start, end, capital))
