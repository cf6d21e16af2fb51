"""Suite ``pairs``: hand-written statement pairs; which newer statement retires the older one, as classified offline.

Exempt from the normal path: a pair is two bare statements about their speakers, so that nothing but the classifier is
measured. Right is ``updates`` for pairs labelled updates or correction; every other label is none. Four folds of the
pairs are trained on (``ops/training``), the fifth is scored; of pairs that the weights have not seen, all.

The classifier is taken at the bound that was chosen for pairs. A system asks for more (``learned.SURE``), since a wrong
end costs more than a missed one: ``precision_in_use`` and ``recall_in_use`` tell what that leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from ops.scoring.lazy import open_classifier
from schemas.events import Event
from schemas.times import parse_time
from streams.classify.protocol import Classifier, Judgement, Pair

from .bare import bare_statement
from .data import LabelledPair, Said
from .suite import Scores, Task, share

RETIRING = ("updates", "correction")
"""Labels of pairs whose older statement no longer holds."""

PAIRS_FILE = "pairs.jsonl"
FOLDS = 5

SIMILARITY = 0.6
"""Taken for every pair: the gate has let it through."""


SCORED_FOLD = 4
"""Of five: the one that the weights in use were not trained on."""


def run(task: Task) -> Scores:
    """Classify every pair that the classifier in use has not been trained on."""
    from ops.scoring.weights import read_weights

    labelled = task.data.pairs()
    trained_on = read_weights().card.training_sha256.get(PAIRS_FILE)
    if trained_on == hashlib.sha256(task.data.path(f"pairs/{PAIRS_FILE}").read_bytes()).hexdigest():
        labelled = [pair for pair in labelled if fold_of(pair.id) == SCORED_FOLD]
    model, encoder = task.memory.settings.model, task.memory.encoder.name
    scores = score(labelled, open_classifier(model, encoder, own_bound=True))
    in_use = score(labelled, open_classifier(model, encoder)).metrics
    beside = {f"{name}_in_use": in_use[name] for name in ("precision", "recall")}
    return msgspec.structs.replace(scores, metrics={**scores.metrics, **beside})


def fold_of(pair_id: str) -> int:
    """Which of five parts a pair belongs to."""
    return int(hashlib.sha256(pair_id.encode()).hexdigest(), 16) % FOLDS


def as_pair(pair: LabelledPair) -> Pair:
    """The two sides as bare statements: speaker as subject, attribute and times unknown, both asserted."""
    return Pair(
        newer=_bare(pair.id, "new", pair.new), older=_bare(pair.id, "old", pair.old), similarity=SIMILARITY,
        adjacent=False,
    )  # fmt: skip


def _bare(pair_id: str, side: str, said: Said) -> Event:
    sent_at, _ = parse_time(said.sent_at)
    return bare_statement(said.speaker, said.text, sent_at, conversation_id=pair_id, message_id=f"{pair_id}-{side}")


def score(labelled: Sequence[LabelledPair], classifier: Classifier) -> Scores:
    """Compare verdicts with labels; and tell the curve behind the thresholds."""
    judged = classifier.classify([as_pair(pair) for pair in labelled])
    wanted = [pair.label in RETIRING for pair in labelled]
    found = [judgement.relation == "updates" for judgement in judged]
    right = sum(f and w for f, w in zip(found, wanted, strict=True))
    precision, recall = share(right, sum(found)), share(right, sum(wanted))
    wrongly = [
        f"{'missed' if w else 'wrong'} {pair.id} ({pair.label}, {pair.subtype}): {j.relation} {j.confidence:.2f}"
        for pair, j, f, w in zip(labelled, judged, found, wanted, strict=True)
        if f != w
    ]
    return Scores(
        metrics={
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
            "pairs": len(labelled),
            "gold": sum(wanted),
            "predicted": sum(found),
        },
        counts={"precision": (right, sum(found)), "recall": (right, sum(wanted))},
        details=[*wrongly, *_curve(judged, wanted)],
    )


def _curve(judged: Sequence[Judgement], wanted: Sequence[bool]) -> list[str]:
    """Precision and recall if every link of a confidence, also a possible one, were an update."""
    linked = [
        (j.confidence, w) for j, w in zip(judged, wanted, strict=True) if j.relation in ("updates", "possibly_updates")
    ]
    lines: list[str] = []
    for least in (0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95):
        kept = [w for confidence, w in linked if confidence >= least]
        precision, recall = share(sum(kept), len(kept)), share(sum(kept), sum(wanted))
        lines.append(f"links of confidence {least} and more: precision {precision:.3f} recall {recall:.3f}")
    return lines
