"""The cascade: the rules judge every pair; where they are unsure, what the model said of it counts, once it has.

The same pair gets the same judgement as long as the recorded verdicts are the same: edges are a function of the live
sets and of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from ...classify.features import Features, compare
from ...classify.protocol import Classifier, Judgement, Pair
from ...llm.asking import Model
from .question import AskedPair, asked_pair, judge_of, link_hash
from .reply import MEANING, PairVerdictName

SURE = 0.8
"""Confidence from which on a verdict of the rules stands. Those below rest on likeness, not on a word that says it."""

FLOOR = 0.5
"""Confidence below which the model itself thinks it more likely wrong: such an update is shown and ends nothing."""

CLOSE = 0.5
"""Cosine from which on two statements that share neither attribute nor rare word may still be about one thing."""


class KnownVerdict(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What is recorded of a pair: asked and not answered, answered, or given up (then the rules' verdict stands).

    ``newer``: the id of its later statement, as long as it is asked about.
    """

    state: Literal["asked", "answered", "given up"]
    verdict: PairVerdictName = "none"
    reason: str = ""
    confidence: float = 0.0
    newer: str = ""


GIVEN_UP = KnownVerdict(state="given up")

Lookup = Callable[[str], KnownVerdict | None]


class Cascade:
    """``streams.classify.protocol.Classifier`` by rules and recorded verdicts.

    Attributes:
        judge: the model with its prompt, as verdicts name it.
        unknown: pairs seen since ``bind`` on which there is no verdict and nothing was asked.
    """

    def __init__(self, rules: Classifier, model: Model) -> None:
        self.prompt_hash: str | None = link_hash()
        self.judge = judge_of(model)
        self.producer = f"{rules.producer}+{self.judge}"
        self._rules = rules
        self._known: Lookup = lambda _: None
        self.unknown: list[AskedPair] = []

    def bind(self, known: Lookup) -> None:
        """Look verdicts up here from now on, and forget what was unknown."""
        self._known = known
        self.unknown = []

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair, in order."""
        ruled = self._rules.classify(pairs)
        return [self._judged(pair, rule) for pair, rule in zip(pairs, ruled, strict=True)]

    def _judged(self, pair: Pair, rule: Judgement) -> Judgement:
        by_rules = msgspec.structs.replace(rule, judge=self._rules.producer)
        if is_settled(pair, rule):
            return by_rules
        asked = asked_pair(pair, self.judge)
        known = self._known(asked.key)
        if known is None:
            self.unknown.append(asked)
        if known is None or known.state != "answered":
            return by_rules
        relation, kind = MEANING[known.verdict]
        if relation == "updates" and known.confidence < FLOOR:
            relation, kind = "possibly_updates", None
        return Judgement(
            relation=relation, kind=kind, confidence=known.confidence, reason=known.reason, judge=self.judge,
            by_time=True,
        )  # fmt: skip


def is_settled(pair: Pair, rule: Judgement) -> bool:
    """Whether the rules' word stands without asking: they found something and are sure, or there is nothing to find."""
    if rule.relation is not None:
        return rule.confidence >= SURE
    return _is_hopeless(pair, compare(pair))


def _is_hopeless(pair: Pair, f: Features) -> bool:
    """Nothing ties the two together but that they passed the gate."""
    if f.same_speaker and f.adjacent:
        return False
    if not f.same_subject:
        return True
    return f.attribute is None and not f.shared and pair.similarity < CLOSE
