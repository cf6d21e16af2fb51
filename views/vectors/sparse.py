"""Text to sparse vectors in the manner of BM25. Pure.

A document's weights depend on that document alone, and everything that depends on other documents (the IDF) is in the
query's weights, from counts of the query's own space. So a stored vector never has to change when others are written,
and nothing of one space shows in another's ranking.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import snowballstemmer

from .protocol import Frequencies, SparseVector

K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 24.0
"""Tokens of a usual chat message (about 130 characters). A constant in place of the running mean of BM25: with a mean,
every message, of any tenant, would change the weights of all stored vectors. It only sets how much length damps."""

_STOP_WORDS = """
    a about above after again against all am an and any are as at be because been before being below between both but by
    can could d did do does doing don down during each few for from further had has have having he her here hers herself
    him himself his how i if in into is it its itself just ll m me more most my myself no nor not now of off on once
    only or other our ours ourselves out over own re s same she should so some such t than that the their theirs them
    themselves then there these they this those through to too under until up ve very was we were what when where which
    while who whom why will with would you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\uff07": "'"})
_WORD = re.compile(r"([^\W_]+)(?:'s\b)?")
_CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f]+)")

_stemmer = snowballstemmer.stemmer("english")
_stemmer_lock = threading.Lock()


def words(text: str) -> Iterator[str]:
    """Runs of letters and digits, NFKC and case-folded, a possessive 's dropped; CJK runs as character bigrams.

    CJK scripts have no spaces, so a run is not a word; two characters are the usual stand-in (one where it is alone).
    """
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    for match in _WORD.finditer(folded):
        for number, part in enumerate(_CJK.split(match.group(1))):
            if number % 2 == 0:
                if part:
                    yield part
            elif len(part) == 1:
                yield part
            else:
                yield from (part[at : at + 2] for at in range(len(part) - 1))


def document_vector(text: str) -> SparseVector:
    """The vector stored for a text: weight tf (k1 + 1) / (tf + k1 (1 - b + b length / AVERAGE_LENGTH)) by term."""
    tokens = [term_id(word) for word in words(text)]
    damping = K1 * (1.0 - B + B * len(tokens) / AVERAGE_LENGTH)
    frequencies = sorted(Counter(tokens).items())
    return SparseVector(
        indices=tuple(term for term, _ in frequencies),
        values=tuple(count * (K1 + 1.0) / (count + damping) for _, count in frequencies),
    )


def query_terms(text: str) -> tuple[int, ...]:
    """Term ids of a query, sorted and unique; without stop words unless there is nothing else."""
    found = list(words(text))
    telling = [word for word in found if word not in STOP_WORDS]
    return tuple(sorted({term_id(word) for word in telling or found}))


def query_vector(terms: Sequence[int], frequencies: Frequencies) -> SparseVector:
    """Weights of a query: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), always positive. Terms that occur nowhere go.

    Args:
        terms: as ``query_terms`` gives them.
        frequencies: n of each term and N, of the space and kind that is searched.
    """
    kept = [(term, count) for term, count in zip(terms, frequencies.counts, strict=True) if count > 0]
    total = frequencies.total
    return SparseVector(
        indices=tuple(term for term, _ in kept),
        values=tuple(math.log1p((total - count + 0.5) / (count + 0.5)) for _, count in kept),
    )


@lru_cache(maxsize=65_536)
def term_id(word: str) -> int:
    """31-bit hash of the word's stem. Of 5,000 words, two share an id in about one space of 170; they count as one."""
    with _stemmer_lock:  # the stemmer keeps the word it works on in itself
        stem = _stemmer.stemWord(word)
    raw = hashlib.blake2b(stem.encode("utf-8"), digest_size=4).digest()
    return int.from_bytes(raw, "big") & 0x7FFF_FFFF
