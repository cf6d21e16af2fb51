"""Evidence ranking: the similarity of an event, and of several (Eq. 17). Paths are scored in arrays (``growing``)."""

from __future__ import annotations

from collections.abc import Sequence


def event_similarity(note_cosines: Sequence[float]) -> float:
    """Inner term of Eq. 17: ``max over n in N(e) of cos(phi(q), phi(n))``; 0 for an event without a note."""
    return max(note_cosines, default=0.0)


def neural_relevance(similarities: Sequence[float]) -> float:
    """Eq. 17: ``NS = 1/L * sum over e in path of event_similarity(e)``. A mean, so that padding costs."""
    return sum(similarities) / len(similarities)
