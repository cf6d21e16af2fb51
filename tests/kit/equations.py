"""The signals of a path and their sum as the paper prints them, one equation per function (Eq. 16, 18-20).

The engine scores many paths at once in arrays; what it returns is compared with these, to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from query.api import Step
from query.settings import QuerySettings


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
