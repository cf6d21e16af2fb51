"""Rules first, a trained scorer for what they leave open: most changes are told without a word that says so.

The rules' verdicts stand: a correction, a call-off or a taken-back word is known by its words, and what a rule decides
can be explained. Of the rest the scorer reads those where an end is possible at all. An update needs a high score; a
middling one links the two as ``possibly_updates``, which changes no validity.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.edges import UpdateKind

from . import cues
from .features import plain
from .offline import OfflineClassifier
from .protocol import Judgement, Pair, Scorer
from .subjects import about, same_subject
from .wording import same_author, wording
from .words import rare_stems

CLOSE = 0.35
"""Least cosine of a pair that is scored."""

SURE_CLOSE = 0.5
"""Least cosine of a pair that is linked as an update: of what lies further apart in a long chat, far too much ends
nothing (of 5,900 scored pairs of six conversations about 35 scored 0.95 and more, and 2 were right; from 0.5 on 15)."""

SPECIFIC = 2
"""Least number of rare words on either side."""

REASONS: dict[UpdateKind, str] = {
    "change": "Read together, the newer statement replaces the older one.",
    "done": "Read together, the newer statement tells what became of the plan.",
    "cancelled": "Read together, the newer statement drops the plan.",
}
POSSIBLY = "Read together, the newer statement may end the older one; that is not certain enough."
UNLIKELY = "Read together, both statements may hold."


class LearnedClassifier:
    """Satisfies ``Classifier``. Its producer names the rules and the weights."""

    prompt_hash: str | None = None

    def __init__(self, rules: OfflineClassifier, scorer: Scorer) -> None:
        self._rules = rules
        self._scorer = scorer
        self.producer = f"{rules.producer}+{scorer.name}"

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair, in order; a judgement depends on its pair only."""
        judged = self._rules.classify(pairs)
        unsettled = [place for place, pair in enumerate(pairs) if judged[place].relation is None and may_end(pair)]
        scores = self._scorer.score([wording(pairs[place]) for place in unsettled])
        for place, score in zip(unsettled, scores, strict=True):
            judged[place] = self._verdict(pairs[place], score)
        return judged

    def _verdict(self, pair: Pair, score: float) -> Judgement:
        if score >= self._scorer.sure and pair.similarity >= SURE_CLOSE:
            kind = kind_of(pair)
            return Judgement(relation="updates", kind=kind, confidence=score, reason=REASONS[kind])
        if score >= self._scorer.possible:
            return Judgement(relation="possibly_updates", kind=None, confidence=score, reason=POSSIBLY)
        return Judgement(relation=None, kind=None, confidence=1 - score, reason=UNLIKELY)


def may_end(pair: Pair) -> bool:
    """Whether the newer statement can end the older one at all: what is asked of the scorer.

    Of one author or about one subject, in another message; a plan ends plans only; what was over already ends no more.
    "It went well" may be about anything: both must say enough to be judged alone, about something alike.
    """
    newer, older = pair.newer, pair.older
    if pair.similarity < CLOSE or newer.stated.message_id == older.stated.message_id or not older.holds:
        return False
    if min(len(rare_stems(newer.text)), len(rare_stems(older.text))) < SPECIFIC:
        return False
    if newer.modality == "planned" and older.modality != "planned":
        return False
    return same_author(newer, older) or same_subject(about(newer), about(older))


def kind_of(pair: Pair) -> UpdateKind:
    """Of a plan: moved, dropped or carried out; of what was so: changed."""
    newer, older = pair.newer, pair.older
    if older.modality != "planned":
        return "change"
    if newer.polarity == "negated" or cues.CANCELLED.search(plain(newer.text)):
        return "cancelled"
    return "change" if newer.modality == "planned" else "done"
