"""The incremental validity view: apply one record, touch what it touches, say what changed.

Equal to ``spec.recompute`` after every prefix of every interleaving (tests/property). The cost of a record depends on
the events it names and their neighbours, not on how much history there is.
"""

from __future__ import annotations

from typing import assert_never, cast

import msgspec

from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.codec import encode
from schemas.control import ClockReached, ConversationErased, MessageErased, ProducerActivated, SpaceErased
from schemas.deltas import Cause, DeltaRecord
from schemas.edges import EdgesAsserted, EdgesInferred
from schemas.entry import Entry
from schemas.events import EventsAsserted, EventsDistilled
from schemas.ids import record_hash
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted

from .aliases import fold_alias
from .change import Change
from .known import transaction_time
from .liveness import fold_erasure, fold_message
from .sets import fold_activation, fold_set
from .state import ViewState, space_prefix

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


def apply(state: ViewState, entry: Entry) -> list[DeltaRecord]:
    """Fold one record into the state (not yet committed); returns what changed.

    Args:
        state: cells of the view; reads and writes go through its cache.
        entry: the record and its place, which becomes the cause of the deltas. Redelivery changes nothing.
    """
    record = cast(ViewRecord, entry.record)
    change = Change(state, record.key)
    match record:
        case MessagePosted() | MessageEdited() | MessageRetracted():
            change.rests_on(fold_message(state, record, entry.offset))
        case EventsDistilled() | EventsAsserted() | EdgesInferred() | EdgesAsserted():
            replaced = fold_set(state, record)
            if replaced is not None:
                change.set_replaced(replaced)
        case EdgeAccepted() | EdgeRuledOut() | RulingWithdrawn():
            _rule(state, change, record)
        case ProducerActivated():
            for replaced in fold_activation(state, record):
                change.set_replaced(replaced)
        case SpaceErased() | ConversationErased() | MessageErased():
            fold_erasure(state, record)
            for cell, _ in state.sources.scan(space_prefix(record.key)):
                change.rests_on(cell)
        case AliasMerged() | AliasSplit():
            fold_alias(state, record)
        case ClockReached():
            pass  # rows hold intervals; that time passed one of their ends changes none
        case _:
            assert_never(record)
    cause = Cause(topic=entry.topic, partition=entry.partition, offset=entry.offset)
    return change.settle(cause, transaction_time(record))


def _rule(state: ViewState, change: Change, record: Ruling) -> None:
    """Keep an analyst's ruling if it is the last word on its edge."""
    key = space_prefix(record.key) + record.edge_id.encode()
    cell = state.edges.get(key)
    if cell.ruling is not None and _rank(record) <= _rank(cell.ruling):
        return
    state.edges.put(key, msgspec.structs.replace(cell, ruling=record))
    ends = (record.src.event_id, record.dst.event_id) if isinstance(record, EdgeAccepted) else None
    change.ruled(record.edge_id, ends)


def _rank(record: Ruling) -> tuple[int, str]:
    return record.at, record_hash(encode(record))
