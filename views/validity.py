"""The incremental validity view: apply one record, touch what it touches, say what changed.

Equal to ``spec.recompute`` after every prefix of every interleaving (tests/property). The cost of a record depends on
the events it names and their neighbours, not on how much history there is.
"""

from __future__ import annotations

from typing import assert_never

from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.control import ClockReached, ConversationErased, MessageErased, ProducerActivated, SpaceErased
from schemas.deltas import DeltaRecord
from schemas.edges import EdgesAsserted, EdgesInferred
from schemas.entry import Entry
from schemas.events import EventsAsserted, EventsDistilled
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted

from .aliases import fold_alias
from .change import Change
from .deltas import cause_of
from .held import prefix_of
from .known import counts_from, transaction_time
from .late import is_apart
from .liveness import fold_erasure, fold_message
from .moments import ROWS, TEXTS
from .sets import SET_KINDS, SetRecord, fold_activation, fold_set, set_key
from .state import ViewState
from .telling import fold_clock

Ruling = EdgeAccepted | EdgeRuledOut | RulingWithdrawn
ViewRecord = (
    MessagePosted
    | MessageEdited
    | MessageRetracted
    | EventsDistilled
    | EventsAsserted
    | EdgesInferred
    | EdgesAsserted
    | Ruling
    | AliasMerged
    | AliasSplit
    | ProducerActivated
    | ClockReached
    | SpaceErased
    | ConversationErased
    | MessageErased
)
"""What the validity view is a function of."""


def apply(state: ViewState, entry: Entry, value: bytes | None = None) -> list[DeltaRecord]:
    """Fold one record into the state (not yet committed); returns what changed.

    Args:
        state: cells of the view; reads and writes go through its cache.
        entry: the record and its place, which becomes the cause of the deltas. Redelivery changes nothing.
        value: the record's bytes as they lie in the log, where they are at hand.
    """
    record = entry.record
    prefix = prefix_of(record.tenant, record.space)
    learned_at = transaction_time(record)
    if type(record) is ClockReached:  # rows hold intervals: none changes because time passed one of their ends
        return list(fold_clock(state, record, cause_of(entry)))
    if type(record) in SET_KINDS:
        return _fold_set(state, entry, prefix, learned_at, value)
    change = _begun(state, entry, prefix, learned_at)
    return [] if change is None else change.settle(entry, learned_at)


def _fold_set(state: ViewState, entry: Entry, prefix: bytes, learned_at: int, value: bytes | None) -> list[DeltaRecord]:
    """Fold a set: at its own transaction time, also when it comes late (``late``)."""
    record: SetRecord = entry.record  # pyright: ignore[reportAssignmentType]  # one of SET_KINDS
    newest = state.enter(prefix, learned_at)
    if newest > learned_at:
        state.touched.pop(prefix, None)  # what this record touches is looked at alone
    replaced = fold_set(state, record, prefix, value)
    deltas: list[DeltaRecord] = []
    if replaced is not None:
        change = Change(state, prefix)
        change.set_replaced(replaced)
        deltas = change.settle(entry, learned_at)
    if newest > learned_at and not is_apart(state, prefix, set_key(record, prefix), learned_at):
        state.blur(prefix, learned_at, newest)
    return deltas


def _begun(state: ViewState, entry: Entry, prefix: bytes, learned_at: int) -> Change | None:
    """Fold what a record says itself; what it touches comes back to be settled, None when it touches nothing."""
    record: ViewRecord = entry.record  # pyright: ignore[reportAssignmentType]  # of the topics the view reads
    match record:
        case MessagePosted() | MessageEdited() | MessageRetracted():
            newest = state.enter(prefix, learned_at, TEXTS)
            cell = fold_message(state, record, entry.offset, prefix)
            if newest > learned_at and state.messages.since(cell) > learned_at:
                state.blur(prefix, learned_at, newest)
            if isinstance(record, MessagePosted) and not state.control.get(prefix).erases:
                return None  # what rests on it does so already, whether it has come or not
            state.reach(prefix, learned_at)
            change = Change(state, prefix)
            change.rests_on(cell)
        case EdgeAccepted() | EdgeRuledOut() | RulingWithdrawn():
            state.ruling(prefix, learned_at)
            change = Change(state, prefix)
            change.ruled(record)
        case ProducerActivated():
            state.reach(prefix, learned_at)
            change = Change(state, prefix)
            for replaced in fold_activation(state, record):
                change.set_replaced(replaced)
        case SpaceErased() | ConversationErased() | MessageErased():
            state.reach(prefix, counts_from(record), ROWS, after=TEXTS)
            fold_erasure(state, record)
            state.versions.clear(prefix)  # no read of the past may show them now, and nothing erased is to stay in them
            change = Change(state, prefix)
            for key, message in state.messages.scan(prefix):
                if message.events:
                    change.rests_on(key)
        case AliasMerged() | AliasSplit():
            state.reach(prefix, learned_at)
            fold_alias(state, record)
            return None
        case ClockReached():
            raise AssertionError("time touches no row")
        case EventsDistilled() | EventsAsserted() | EdgesInferred() | EdgesAsserted():
            raise AssertionError("folded by _fold_set")
        case _:
            assert_never(record)
    return change
