"""Which messages can still be rested on, and which assertions, events and edges are therefore live."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from schemas.adjudications import EdgeAccepted, EdgeRuledOut
from schemas.control import ConversationErased, ErasureRecord, MessageErased, SpaceErased
from schemas.edges import Edge
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey, edge_id
from schemas.messages import MessageEdited, MessagePosted, MessageRecord

from .held import (
    UNHEARD,
    Concern,
    Control,
    EdgeAssertion,
    EdgeState,
    EventAssertion,
    MessageState,
    message_part,
    source_part,
    space_prefix,
)
from .read_below import read_below_of
from .state import ViewState


class LiveEvent(msgspec.Struct, frozen=True, gc=False):
    """An event with at least one live assertion: the fields of the smallest producer, and all who hold it."""

    event: Event
    producers: tuple[str, ...]
    session_ids: tuple[str, ...]


class LiveEdge(msgspec.Struct, frozen=True, gc=False):
    """An edge that is asserted and not ruled out; whether its ends are live is not looked at here."""

    edge: Edge
    producers: tuple[str, ...]
    accepted: bool


def fold_message(state: ViewState, record: MessageRecord, offset: int, prefix: bytes) -> bytes:
    """Fold a ``messages`` record of the space with this prefix; returns the key of the message's cell."""
    key = prefix + source_part(record)
    cell = state.messages.get(key)
    if type(record) is MessagePosted:
        cell = _with_posting(cell, record, offset)
    elif isinstance(record, MessageEdited):
        if cell.edited is None or _edit_rank(record, offset) > _edit_rank(cell.edited, cell.edited_offset or 0):
            cell = msgspec.structs.replace(cell, edited=record, edited_offset=offset)
    elif cell.retracted_offset is None or offset > cell.retracted_offset:
        cell = msgspec.structs.replace(cell, retracted_offset=offset)
    state.messages.put(key, cell)
    return key


def _edit_rank(record: MessageEdited, offset: int) -> tuple[int, int]:
    """Of the edits of a message the one received last counts: one that was parked may come after it."""
    return record.received_at, offset


def _with_posting(cell: MessageState, record: MessagePosted, offset: int) -> MessageState:
    """One more posting of the id: a repetition that slipped through, or anew after an erasure; that decides later."""
    if cell is UNHEARD:
        return MessageState(posted=record, posted_offset=offset)
    if cell.posted is None or cell.posted_offset is None:
        return msgspec.structs.replace(cell, posted=record, posted_offset=offset)
    postings = {cell.posted_offset: cell.posted, **dict(cell.later), offset: record}
    (first_offset, first), *later = sorted(postings.items(), key=lambda posting: posting[0])
    return msgspec.structs.replace(cell, posted=first, posted_offset=first_offset, later=tuple(later))


def fold_erasure(state: ViewState, record: ErasureRecord) -> None:
    """Remember below which offsets what is erased."""
    cell = space_prefix(record.key)
    control = state.control.get(cell)
    match record:
        case SpaceErased():
            changed = msgspec.structs.replace(control, erased_below=max(control.erased_below, record.upto))
        case ConversationErased():
            bounds = control.erased_conversations
            below = max(bounds.get(record.conversation_id, 0), record.upto)
            changed = msgspec.structs.replace(control, erased_conversations={**bounds, record.conversation_id: below})
        case MessageErased():
            bounds = control.erased_messages
            name = message_part(MessageKey(record.conversation_id, record.message_id)).hex()
            changed = msgspec.structs.replace(
                control, erased_messages={**bounds, name: max(bounds.get(name, 0), record.upto)}
            )
    state.control.put(cell, changed)


def without_erased(state: ViewState, space: SpaceKey, key: MessageKey, cell: MessageState) -> MessageState | None:
    """A message without what is erased of it; None when all of it is.

    A posting, edit or retraction below the bound of an erasure counts as if it had never been.
    """
    return _current(state.control.get(space_prefix(space)), key, cell)


def _current(control: Control, key: MessageKey, cell: MessageState) -> MessageState | None:
    """See ``without_erased``."""
    below = _erased_below(control, key)
    if cell.posted_offset is None or cell.posted_offset >= below:
        return cell
    later = [posting for posting in cell.later if posting[0] >= below]
    if not later:
        return None
    (offset, posted), *others = later
    edited = cell.edited_offset is not None and cell.edited_offset >= below
    retracted = cell.retracted_offset is not None and cell.retracted_offset >= below
    return MessageState(
        posted=posted,
        posted_offset=offset,
        edited=cell.edited if edited else None,
        edited_offset=cell.edited_offset if edited else None,
        retracted_offset=cell.retracted_offset if retracted else None,
        later=tuple(others),
    )


def is_erased(control: Control, key: MessageKey, cell: MessageState) -> bool:
    """Whether an erasure took anything of a message: all of it, or what was posted first under its id."""
    return _current(control, key, cell) is not cell


def _erased_below(control: Control, key: MessageKey) -> int:
    return max(
        control.erased_below,
        control.erased_conversations.get(key.conversation_id, 0),
        control.erased_messages.get(message_part(key).hex(), 0) if control.erased_messages else 0,
    )


def can_rest_on(control: Control, key: MessageKey, cell: MessageState, read_below: int) -> bool:
    """Not retracted, not edited at or after ``read_below`` (what the asserting set had read), and not erased.

    What was made from an erased message does not rest on the one that was posted anew under its id.
    """
    current = _current(control, key, cell) if control.erases else cell
    if current is None or current.retracted_offset is not None:
        return False
    if current.edited_offset is not None and current.edited_offset >= read_below:
        return False
    return current is cell or (current.posted_offset is not None and current.posted_offset < read_below)


def _event_rank(assertion: EventAssertion) -> tuple[str, str, bytes]:
    return assertion.producer, assertion.session_id, msgspec.msgpack.encode(assertion.event)


def _edge_rank(assertion: EdgeAssertion) -> tuple[str, str, bytes]:
    return assertion.producer, assertion.session_id, msgspec.msgpack.encode(assertion.edge)


def _is_live(state: ViewState, prefix: bytes, control: Control, assertion: EventAssertion) -> bool:
    """Whether everything the assertion rests on is still there."""
    for source in assertion.event.sources:
        cell = state.messages.get(prefix + source_part(source))
        if cell.retracted_offset is not None:
            if not control.erases:
                return False
        elif cell.edited_offset is None and not control.erases:
            continue  # most messages are as they were posted
        key = MessageKey(source.conversation_id, source.message_id)
        if not can_rest_on(control, key, cell, read_below_of(state, prefix, assertion)):
            return False
    return True


def live_event(
    state: ViewState, prefix: bytes, control: Control, assertions: Sequence[EventAssertion]
) -> LiveEvent | None:
    """The event as its live assertions make it, or None."""
    live = [a for a in assertions if _is_live(state, prefix, control, a)]
    if not live:
        return None
    if len(live) == 1:
        return LiveEvent(live[0].event, (live[0].producer,), (live[0].session_id,))
    return LiveEvent(
        min(live, key=_event_rank).event,
        tuple(sorted({a.producer for a in live})),
        tuple(sorted({a.session_id for a in live})),
    )


def asserted_edge(assertions: tuple[EdgeAssertion, ...], rulings: tuple[Concern, ...]) -> LiveEdge | None:
    """The edge as its assertions and the last ruling that concerns it make it, or None.

    An analyst's word on what the edge is comes before all producers'.
    """
    ruled: EdgeAssertion | None = None
    if rulings:
        concern = rulings[-1]
        if isinstance(concern.ruling, EdgeRuledOut):
            return None
        ruled = _accepted(concern, concern.ruling)
        assertions = (*assertions, ruled)
    if not assertions:
        return None
    if len(assertions) == 1:
        return LiveEdge(assertions[0].edge, (assertions[0].producer,), ruled is not None)
    first = (ruled or min(assertions, key=_edge_rank)).edge
    confidence = max(a.edge.confidence for a in assertions)
    if confidence != first.confidence:
        first = msgspec.structs.replace(first, confidence=confidence)
    return LiveEdge(first, tuple(sorted({a.producer for a in assertions})), ruled is not None)


def _accepted(concern: Concern, ruling: EdgeAccepted) -> EdgeAssertion:
    """The edge as an analyst asserts it, between the statements that are its ends now."""
    moved = (concern.src, concern.dst) != (ruling.src.event_id, ruling.dst.event_id)
    name = edge_id(ruling.key, concern.src, ruling.relation, concern.dst) if moved else ruling.edge_id
    edge = Edge(
        id=name, src=concern.src, dst=concern.dst, relation=ruling.relation, kind=ruling.kind, confidence=1.0,
        justification=ruling.reason, slice=(), span=None,
    )  # fmt: skip
    return EdgeAssertion(producer=f"analyst:{ruling.analyst}", session_id="", edge=edge)


def ruled_out_edge(cell: EdgeState) -> Edge | None:
    """The edge, as the smallest producer asserts it, when analysts ruled it out; else None."""
    if not cell.assertions or not cell.rulings or not isinstance(cell.rulings[-1].ruling, EdgeRuledOut):
        return None
    return min(cell.assertions, key=_edge_rank).edge
