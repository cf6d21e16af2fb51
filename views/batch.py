"""One batch of raw records into the view: what becomes deltas, and what is parked. The same for every runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from schemas.codec import BadRecordError
from schemas.dead_letters import DeadLetter
from schemas.deltas import DeltaRecord
from schemas.entry import Entry
from schemas.faults import can_be_the_records
from schemas.parking import Raw, dead_letter, decoded, is_letter_about_a_letter

from .maintain import Maintainer
from .refusals import ViewRefusedError

STAGE = "view"
"""Name of the view in its dead letters."""


class Folded(msgspec.Struct, kw_only=True):
    """What a batch led to, in the order it happened. All of it is written out before the view commits.

    ``faulted``: how many of the parked ones because the view failed at them again.
    """

    deltas: list[DeltaRecord]
    parked: list[DeadLetter]
    faulted: int = 0


def anywhere(entry: Entry) -> None:
    """Every place is right: a local log puts records where they belong itself."""


def fold_batch(
    maintainer: Maintainer, batch: Iterable[Raw], now: int, check: Callable[[Entry], None] = anywhere
) -> Folded:
    """Fold records in order, without committing.

    Args:
        maintainer: the view's one writer; its positions move past every record of the batch.
        batch: records of ``VIEW_TOPICS`` as bytes, each partition's in order.
        now: when they are parked, microseconds UTC.
        check: raises ``BadRecordError`` for a record that must not be folded, which is then parked.

    Raises:
        GapError: an offset was skipped.
        Exception: the view failed at a record for the first time (``schemas.faults``): end the process. Nothing of the
            batch is left in the maintainer.
    """
    records = list(batch)
    while True:
        folded = _fold(maintainer, records, now, check)
        if folded is not None:
            return folded


def _fold(maintainer: Maintainer, batch: Sequence[Raw], now: int, check: Callable[[Entry], None]) -> Folded | None:
    """None when a record is to be parked after a fault: what it left half done is given up, and all is folded again."""
    folded = Folded(deltas=[], parked=[], faulted=0)
    deltas, faulted = folded.deltas, maintainer.faulted()
    for raw in batch:
        why = maintainer.fault(raw) if faulted else None
        if why is not None:
            folded.faulted += _park(maintainer, folded, raw, why, now)
            continue
        try:
            entry = decoded(raw, maintainer.decode)
            check(entry)
        except BadRecordError as error:
            _park(maintainer, folded, raw, str(error), now)
            continue
        try:
            deltas += maintainer.fold_one(entry, raw.value)
        except ViewRefusedError:
            raise
        except Exception as error:
            maintainer.forget()
            if not can_be_the_records(error):
                raise
            if maintainer.faults.note(raw, error) is not None:
                return None
            error.add_note(f"view, record {raw.topic}/{raw.partition}/{raw.offset}: it is parked if this happens again")
            raise
    return folded


def _park(maintainer: Maintainer, folded: Folded, raw: Raw, why: str, now: int) -> bool:
    """Pass over a record; False when that was done before, or a letter about it would only call for the next one."""
    if not maintainer.skip(raw.topic, raw.partition, raw.offset) or is_letter_about_a_letter(raw):
        return False
    folded.parked.append(dead_letter(STAGE, raw, why, now))
    return True
