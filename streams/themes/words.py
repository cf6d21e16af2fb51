"""What a session is about, as one vector: its most repeated rare words, encoded together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from schemas.sessions import SessionMessage

from ..classify.words import rare_words, stem, words
from ..ports import Encoder
from ..unit_vectors import IntVector, quantize

WORDS = 12
"""Words that stand for a session. Twelve set sessions apart; forty blur them, as does the mean of all messages: between
the sessions of one pair of people its cosine never falls below 0.5 (ops/adr/0010)."""


def session_vector(encoder: Encoder, messages: Sequence[SessionMessage]) -> IntVector:
    """Unit vector of what a session is about; zero, near to nothing, when no message holds a rare word."""
    text = " ".join(session_words(messages))
    if not text:
        return np.zeros(encoder.dimension, dtype=np.int32)
    return quantize(np.asarray(encoder.encode([text]), dtype=np.float32))[0]


def session_words(messages: Sequence[SessionMessage]) -> list[str]:
    """The rare words that occur in the most messages, ties by alphabet. The speakers' names are left out."""
    names = {stem(word) for message in messages for word in words(message.speaker)}
    counts = Counter(word for message in messages for word in rare_words(message.content) if stem(word) not in names)
    return sorted(counts, key=lambda word: (-counts[word], word))[:WORDS]
