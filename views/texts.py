"""The text of a message as the view holds it: edited, retracted, and nothing of what is erased."""

from __future__ import annotations

from schemas.ids import MessageKey, SpaceKey

from .held import MessageState, message_part, space_prefix
from .liveness import without_erased
from .maintain import Maintainer
from .reader import MessageText
from .state import ViewState


def message_text(maintainer: Maintainer, space: SpaceKey, key: MessageKey) -> MessageText | None:
    """One message as it stands, without reading the space."""
    return stored_text(maintainer.state, space, key)


def stored_text(state: ViewState, space: SpaceKey, key: MessageKey) -> MessageText | None:
    """One message as the cells hold it."""
    return text_of(state, space, state.messages.get(space_prefix(space) + message_part(key)))


def text_of(state: ViewState, space: SpaceKey, cell: MessageState) -> MessageText | None:
    """A message as it stands; None when it was never posted or is erased."""
    if cell.posted is None:
        return None
    current = without_erased(state, space, cell.posted.message, cell)
    if current is None or current.posted is None:
        return None
    cell, posted = current, current.posted
    return MessageText(
        conversation_id=posted.conversation_id,
        message_id=posted.message_id,
        speaker=posted.speaker,
        role=posted.role,
        content=posted.content if cell.edited is None else cell.edited.content,
        sent_at=posted.sent_at,
        utc_offset_min=posted.utc_offset_min,
        seq=posted.seq,
        retracted=cell.retracted,
    )
