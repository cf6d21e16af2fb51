"""The question as the dense side of a search gets it: without names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"([^\W_]+)(?:['\u2019\u02bc]s\b)?", re.IGNORECASE)


def dense_query(question: str, names: Iterable[str]) -> str:
    """The question without the participants' names, for the dense side; the question itself if nothing else is left.

    In a chat a name in a message is nearly always the *other* speaker being addressed, so a name in the question pulls
    the wrong person's messages: leaving names out took R@10 of a dense index from 0.29 to 0.58 in our measurements.
    Every word of a name counts, as a whole word, in any case, with or without a possessive.
    """
    parts = {_folded(match.group(1)) for name in names for match in _WORD.finditer(name)}
    kept = _WORD.sub(lambda match: "" if _folded(match.group(1)) in parts else match.group(0), question)
    if not any(True for _ in _WORD.finditer(kept)):
        return question
    return " ".join(kept.split())


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
