"""Suite ``pairs``: hand-written statement pairs; which newer statement retires the older one, as classified offline.

Exempt from the normal path: a pair is two bare statements about their speakers, so that nothing but the classifier is
measured. Right is ``updates`` for pairs labelled updates or correction; every other label is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.events import Anchor, Event, Source, Stated
from schemas.times import parse_time
from streams.classify.offline import OfflineClassifier
from streams.classify.protocol import Judgement, Pair

from .data import LabelledPair, Said
from .suite import Scores, Task, share

RETIRING = ("updates", "correction")
"""Labels of pairs whose older statement no longer holds."""

SIMILARITY = 0.6
"""Taken for every pair: the gate has let it through."""


def run(task: Task) -> Scores:
    """Classify every pair."""
    labelled = task.data.pairs()
    judged = OfflineClassifier().classify([as_pair(pair) for pair in labelled])
    return _scores(labelled, judged)


def as_pair(pair: LabelledPair) -> Pair:
    """The two sides as bare statements: speaker as subject, attribute and times unknown, both asserted."""
    return Pair(
        newer=_bare(pair.id, "new", pair.new), older=_bare(pair.id, "old", pair.old), similarity=SIMILARITY,
        adjacent=False,
    )  # fmt: skip


def _bare(pair_id: str, side: str, said: Said) -> Event:
    sent_at, _ = parse_time(said.sent_at)
    message_id = f"{pair_id}-{side}"
    return Event(
        id=message_id,
        type="state_change",
        subject=said.speaker,
        participants=(said.speaker,),
        speaker=said.speaker,
        text=said.text,
        sources=(Source(conversation_id=pair_id, message_id=message_id, start=0, end=len(said.text)),),
        stated=Stated(sent_at, 0, message_id, len(said.text)),
        anchor=Anchor(start=sent_at, until=sent_at + 1, precision="minute", phrase=None, resolution="message_time"),
        valid_from=None,
        ends_at=None,
        holds=True,
        modality="asserted",
        polarity="affirmed",
        attribute=None,
        value=None,
        expected_until=None,
        confidence=1.0,
    )


def _scores(labelled: Sequence[LabelledPair], judged: Sequence[Judgement]) -> Scores:
    right = wrong = gold = 0
    details: list[str] = []
    for pair, judgement in zip(labelled, judged, strict=True):
        found, wanted = judgement.relation == "updates", pair.label in RETIRING
        gold += wanted
        right += found and wanted
        wrong += found and not wanted
        if found != wanted:
            details.append(f"{'missed' if wanted else 'wrong'} {pair.id} ({pair.label}, {pair.subtype})")
    precision, recall = share(right, right + wrong), share(right, gold)
    return Scores(
        metrics={
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
            "pairs": len(labelled),
            "gold": gold,
            "predicted": right + wrong,
        },
        counts={"precision": (right, right + wrong), "recall": (right, gold)},
        details=details,
    )
