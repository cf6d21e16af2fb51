"""Topic ``verdicts``: what was compared, by whom, with what result, and what the cap left out."""

from __future__ import annotations

import msgspec

from .edges import Relation, UpdateKind
from .record import Record


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One judged pair; ``relation`` None means "no relation". ``reason`` is for people.

    ``judge``: who judged this pair, where the producer is several (rules and a model); else empty.
    """

    newer: str
    older: str
    relation: Relation | None
    kind: UpdateKind | None
    confidence: float
    reason: str
    judge: str = ""


class PairsJudged(Record, frozen=True, kw_only=True, tag="pairs_judged"):
    """All verdicts of one linking of a session, or a part of them (``schemas.parts``); the first part has the counts.

    ``pool_size``: earlier events of the space that the gate looked at; ``left_out``: pairs that passed the gate and
    were cut by its cap. ``prompt_hash`` is None for a rule or a trained model.
    """

    session_id: str
    producer: str
    prompt_hash: str | None
    revision: int
    verdicts: tuple[Verdict, ...]
    pool_size: int
    left_out: int
    learned_at: int


VerdictRecord = PairsJudged
