"""A deterministic encoder for tests: texts that share words are close, and no model is needed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

_WORD = re.compile(r"\w+")
_WORD_WEIGHT = 1.0
_TRIGRAM_WEIGHT = 0.25


class HashingEncoder:
    """A bag of hashed words and character trigrams, as unit vectors. Satisfies ``streams.ports.Encoder``.

    A text without a word gets the first basis vector, so that rows are always of length 1.
    """

    def __init__(self, dimension: int = 64) -> None:
        self.name = f"hashing-{dimension}"
        self.dimension = dimension

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dimension) float32, rows L2-normalised; a row depends on its own text only."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = _unit(text, self.dimension)
        return rows


@lru_cache(maxsize=10_000)
def _unit(text: str, dimension: int) -> npt.NDArray[np.float32]:
    """Tests say the same few things again and again."""
    row = np.zeros(dimension, dtype=np.float64)
    for feature, weight in _features(text):
        raw = hashlib.blake2b(feature.encode("utf-8"), digest_size=8).digest()
        number = int.from_bytes(raw, "big")
        row[(number >> 1) % dimension] += weight if number & 1 else -weight
    norm = float(np.sqrt(np.dot(row, row)))
    if norm == 0.0:
        row[0] = norm = 1.0
    row /= norm
    return row.astype(np.float32)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield f"w:{word}", _WORD_WEIGHT
        padded = f"^{word}$"
        for start in range(len(padded) - 2):
            yield f"t:{padded[start : start + 3]}", _TRIGRAM_WEIGHT
