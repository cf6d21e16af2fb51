"""Whether what a letter holds is erased by now: on a broker the letter lies there still. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.control import ConversationErased, ErasureRecord, MessageErased
from schemas.dead_letters import DeadLetter
from schemas.ids import MessageKey
from schemas.parking import concerned
from streams.erasure import Extent


def erased_by(letter: DeadLetter, erasures: Iterable[ErasureRecord]) -> ErasureRecord | None:
    """The first erasure of the letter's space that covers the record, or a message it is about; None when none does.

    A record of ``messages`` is covered when it lies below the erasure's bound, as everywhere; any other one when it was
    parked before: what was derived from the text afterwards was derived without it.
    """
    about = concerned(letter)
    keys = [MessageKey(about.conversation_id or "", name) for name in about.message_ids]
    for erasure in erasures:
        before = letter.offset < erasure.upto if letter.topic == "messages" else letter.parked_at <= erasure.at
        extent = extent_of(erasure)
        if before and (extent.whole_space or any(extent.holds(key) for key in keys)):
            return erasure
    return None


def extent_of(erasure: ErasureRecord) -> Extent:
    """What it erases."""
    match erasure:
        case MessageErased():
            return Extent(conversation_id=erasure.conversation_id, message_id=erasure.message_id)
        case ConversationErased():
            return Extent(conversation_id=erasure.conversation_id)
        case _:
            return Extent()
