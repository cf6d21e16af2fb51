"""Evidence ranking: the four signals of a path and their sum, one equation per function (Eq. 16-20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from .api import Step
from .settings import QuerySettings


def event_similarity(note_cosines: Sequence[float]) -> float:
    """Inner term of Eq. 17: ``max over n in N(e) of cos(phi(q), phi(n))``; 0 for an event without a note."""
    return max(note_cosines, default=0.0)


def neural_relevance(similarities: Sequence[float]) -> float:
    """Eq. 17: ``NS = 1/L * sum over e in path of event_similarity(e)``. A mean, so that padding costs."""
    return sum(similarities) / len(similarities)


def path_confidence(steps: Sequence[Step], settings: QuerySettings) -> float:
    """Eq. 18: ``PC = prod over i of c_i * d(l_i) * (1 - 0.5 * [contradicts in path])``; 1 for a single event."""
    chain = prod(step.confidence * settings.discounts.of(step.relation) for step in steps)
    contested = any(step.relation == "contradicts" for step in steps)
    return chain * (1.0 - settings.contradiction_penalty * contested)


def temporal_consistency(steps: Sequence[Step], starts: Mapping[str, int]) -> float:
    """Eq. 19: ``TC = [a(e_i) <= a(e_j) for every before edge e_i -> e_j of the path]``, 1 or 0.

    ``starts``: anchor start of each event. The direction is the relation's own, whichever way the path was walked.
    """
    return float(all(starts[s.src] <= starts[s.dst] for s in steps if s.relation == "before"))


def update_validity(validities: Sequence[float]) -> float:
    """Eq. 20: ``UV = min over e in path of v(e)``. One superseded event makes the path's staleness visible."""
    return min(validities)


def path_score(ns: float, pc: float, tc: float, uv: float, settings: QuerySettings) -> float:
    """Eq. 16: ``S = alpha NS + beta PC + gamma TC + delta UV``."""
    return settings.alpha * ns + settings.beta * pc + settings.gamma * tc + settings.delta * uv
