"""Who made the sets of a space, and whose count."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from schemas.control import ProducerActivated, StageName
from views.reader import Basis

from .api import ProducersResult, StageProducers


def producers(
    activations: Mapping[str, ProducerActivated], distilled: Collection[str], inferred: Collection[str], basis: Basis
) -> ProducersResult:
    """Producers by stage, in the order of the flow.

    Args:
        activations: the last activation of each stage.
        distilled: who made sets of events of sessions.
        inferred: who made sets of edges.
        basis: what the reader reflects.
    """
    stages = (_stage("distil", activations, distilled), _stage("link", activations, inferred))
    return ProducersResult(stages=stages, basis=basis)


def _stage(stage: StageName, activations: Mapping[str, ProducerActivated], made: Collection[str]) -> StageProducers:
    """Where nothing was activated, the smallest id counts (``schemas.control.active_producer``)."""
    ruling = activations.get(stage)
    if ruling is None:
        return StageProducers(stage=stage, active=min(made, default=None), fallbacks=(), producers=tuple(sorted(made)))
    fallbacks = tuple(name for name in (ruling.fallback, *ruling.further) if name is not None)
    return StageProducers(stage=stage, active=ruling.producer, fallbacks=fallbacks, producers=tuple(sorted(made)))
