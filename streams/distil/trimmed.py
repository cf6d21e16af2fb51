"""A clause without the words before its statement: whom it addresses, interjections, what introduces it."""

from __future__ import annotations

from . import acts
from .clauses import Clause
from .finite import Tokens
from .frames import strip_frame
from .lexicon import grammar as g
from .lexicon.acts import GREETING_WORDS
from .parse import parse


def trimmed(text: str, clause: Clause) -> Clause:
    """The clause as its statement begins: "Mia, so I think we moved" is "we moved"."""
    return _without_openers(text, _ungarbled(text, _without_openers(text, clause)))


def _without_openers(text: str, clause: Clause) -> Clause:
    tokens = clause.tokens
    n = _address(text, tokens)
    n += strip_frame(text, tokens[n:])
    openers = g.DISCOURSE | g.CONJUNCTIONS
    while n < len(tokens) - 1 and tokens[n].word in openers and tokens[n + 1].word not in g.AUXILIARIES:
        n += 1
    if n == 0 or n >= len(tokens):
        return clause
    rest = tokens[n:]
    return clause._replace(start=rest[0].start, tokens=rest, reading=parse(rest))


def _ungarbled(text: str, clause: Clause) -> Clause:
    """A subject with a comma in it: what follows the comma, when that alone has a subject; else unreadable."""
    reading, tokens = clause.reading, clause.tokens
    if reading is None or not acts.is_garbled(text, tokens, reading):
        return clause
    cut = max(i for i in range(1, reading.finite + 1) if "," in text[tokens[i - 1].end : tokens[i].start])
    rest = tokens[cut:]
    again = parse(rest)
    if again is not None and (again.form == "verbless" or again.subject[0] == again.subject[1]):
        again = None
    return clause._replace(start=rest[0].start, tokens=rest, reading=again)


def _address(text: str, tokens: Tokens) -> int:
    """How many words before the statement address somebody: "Mia,", "Hi all,"."""
    if not acts.named_token(tokens[0]) and tokens[0].word not in GREETING_WORDS:
        return 0
    greeting = tokens[0].word in GREETING_WORDS
    for n in range(1, min(len(tokens) - 1, 4 if greeting else 2)):
        if text[tokens[n - 1].end : tokens[n].start].startswith(","):
            return n
    return 0
