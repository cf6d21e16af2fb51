"""One record through a stage: its outputs, or the letter that parks it, or a fault. The same for every runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from schemas.codec import BadRecordError
from schemas.dead_letters import DeadLetter
from schemas.entry import Entry
from schemas.faults import Faults, can_be_the_records
from schemas.parking import Raw, dead_letter, decoded

from .log.errors import StoreError
from .ports import Output, Stage, StageState
from .state import OverlayState

_FAULTS = b"\0faults"
"""Before the rows of the faults in a stage's state. No stage's own key begins with NUL."""


class Guarded(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a record.

    Attributes:
        outputs: of a record that was folded.
        letter: of one that is parked; it left no trace in the state.
        faulted: it is parked because the stage failed at it again.
        fault: the stage failed at it for the first time. Commit the state, which holds the count, and what was folded
            before it, stay at this record, and raise this.
    """

    outputs: Sequence[Output] = ()
    letter: DeadLetter | None = None
    faulted: bool = False
    fault: Exception | None = None


def apply_guarded(
    stage: Stage,
    raw: Raw,
    state: OverlayState,
    now: int,
    accept: Callable[[Entry], None] = lambda _: None,
) -> Guarded:
    """Fold one record.

    Args:
        stage: folds it.
        raw: the record.
        state: of the stage; what it holds of earlier records stays.
        now: microseconds UTC.
        accept: looks at the record; raises ``BadRecordError`` when the runtime cannot use it.

    Raises:
        StoreError, OSError: what is no record's doing. Give the step up.
    """
    state.mark()
    try:
        entry = decoded(raw)
        accept(entry)
        return Guarded(outputs=stage.apply(entry, state, now))
    except BadRecordError as error:
        state.rollback()
        return Guarded(letter=dead_letter(stage.name, raw, str(error), now))
    except StoreError:
        raise
    except Exception as error:  # whatever a processor does, one record must not stop the others (schemas.faults)
        if not can_be_the_records(error):
            raise
        state.rollback()
        why = Faults(_Rows(state)).note(raw, error)
        if why is not None:
            return Guarded(letter=dead_letter(stage.name, raw, why, now), faulted=True)
        error.add_note(
            f"stage {stage.name}, record {raw.topic}/{raw.partition}/{raw.offset}: it is parked if this happens again"
        )
        return Guarded(fault=error)


class _Rows:
    """``FaultRows`` in the stage's own state: committed with its position, and found by whoever goes on."""

    def __init__(self, state: StageState) -> None:
        self._state = state

    def get(self, key: bytes) -> bytes | None:
        """See ``FaultRows``."""
        return self._state.get(_FAULTS + key)

    def put(self, key: bytes, value: bytes) -> None:
        """See ``FaultRows``."""
        self._state.put(_FAULTS + key, value)
