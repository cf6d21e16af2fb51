"""One batch of raw records into the view: what becomes deltas, and what is parked. The same for every runtime."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from schemas.codec import BadRecordError
from schemas.dead_letters import DeadLetter
from schemas.deltas import DeltaRecord
from schemas.parking import Raw, dead_letter, decoded

from .maintain import Maintainer

STAGE = "view"
"""Name of the view in its dead letters."""


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch led to, in the order it happened. All of it is written out before the view commits."""

    deltas: list[DeltaRecord]
    parked: list[DeadLetter]


def fold_batch(maintainer: Maintainer, batch: Iterable[Raw], now: int) -> Folded:
    """Fold records in order, without committing.

    Args:
        maintainer: the view's one writer; its positions move past every record of the batch.
        batch: records of ``VIEW_TOPICS`` as bytes, each partition's in order.
        now: when they are parked, microseconds UTC.

    Raises:
        GapError: an offset was skipped.
    """
    folded = Folded(deltas=[], parked=[])
    for raw in batch:
        try:
            entry = decoded(raw)
        except BadRecordError as error:
            if maintainer.skip(raw.topic, raw.partition, raw.offset):
                folded.parked.append(dead_letter(STAGE, raw, str(error), now))
            continue
        folded.deltas.extend(maintainer.fold([entry]))
    return folded
