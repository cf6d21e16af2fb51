"""The stages as the settings want them: with a model or without. The same for both runtimes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ops.scoring.lazy import LazyClassifier
from ops.settings import Settings
from streams.classify.protocol import Classifier
from streams.classify.remembered import RememberedClassifier
from streams.distil.offline import OfflineDistiller
from streams.distil.stage import DistilStage
from streams.link.stage import LinkStage
from streams.ports import Encoder, Stage

if TYPE_CHECKING:
    from streams.link.model.stage import ModelLinkStage


def distil_stage(settings: Settings) -> Stage:
    """Rules alone, or a model beside them."""
    model, rules = settings.llm.asked_model(), OfflineDistiller()
    if model is None or not settings.llm.distil:
        return DistilStage(rules)
    from streams.distil.model.stage import ModelDistilStage

    return ModelDistilStage(rules, model)


def link_stage(
    settings: Settings, encoder: Encoder, classifier: Classifier | None = None
) -> LinkStage | ModelLinkStage:
    """Offline alone, or a model for what that leaves open.

    Args:
        settings: which.
        encoder: for the gate.
        classifier: the offline one, shared with other instances; None makes one. Opening it takes half a second.
    """
    model = settings.llm.asked_model()
    rules = RememberedClassifier(classifier or LazyClassifier(settings.model, encoder))
    if model is None or not settings.llm.link:
        return LinkStage(rules, encoder)
    from streams.link.model.stage import ModelLinkStage

    return ModelLinkStage(rules, encoder, model, distil_producer(settings))


def distil_producer(settings: Settings) -> str:
    """Whose sets of events count once all is read."""
    model = settings.llm.asked_model()
    if model is None or not settings.llm.distil:
        return OfflineDistiller.producer
    from streams.distil.model.parts import distil_producer as named

    return named(model)
