"""The offline classifier in use: rules, and the trained scorer where its base model is the one in use."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streams.classify.protocol import Classifier, Judgement, Pair
    from streams.ports import Encoder


class LazyClassifier:
    """Satisfies ``Classifier``. What it is shows when it is first needed: opening the scorer takes half a second.

    Without all-MiniLM-L6-v2 as the encoder it is the rules alone, and its producer's name says so.

    Args:
        model: of the settings, as ``ops.model.find`` takes it.
        encoder: in use; may be lazy itself.
    """

    prompt_hash: str | None = None

    def __init__(self, model: str | None, encoder: Encoder) -> None:
        self._model = model
        self._encoder = encoder
        self._opened: Classifier | None = None
        self._lock = threading.Lock()

    @property
    def producer(self) -> str:
        """See ``Classifier``."""
        return self._open().producer

    def classify(self, pairs: Sequence[Pair]) -> Sequence[Judgement]:
        """See ``Classifier``."""
        return self._open().classify(pairs)

    def _open(self) -> Classifier:
        with self._lock:
            if self._opened is None:
                self._opened = open_classifier(self._model, self._encoder.name)
            return self._opened


def open_classifier(model: str | None, encoder_name: str, *, own_bound: bool = False) -> Classifier:
    """The rules, with the scorer when the encoder is the model it was trained on.

    Args:
        model: as ``ops.model.find`` takes it.
        encoder_name: of the encoder in use.
        own_bound: an update from the scorer's own bound on, chosen on pairs; a system asks for more (``learned.SURE``).
    """
    from ops.model import find, graph_cache
    from streams.classify.offline import OfflineClassifier
    from views.encoder.minilm import MINILM_SHA256
    from views.encoder.minilm import encoder_name as official

    rules = OfflineClassifier()
    if encoder_name != official(MINILM_SHA256):
        return rules
    found = find(model)
    if found.sha256 is None:
        return rules
    from streams.classify.learned import SURE, LearnedClassifier

    from .scorer import load_scorer

    scorer = load_scorer(Path(found.location), found.sha256, graph_cache())
    return rules if scorer is None else LearnedClassifier(rules, scorer, sure=scorer.sure if own_bound else SURE)
