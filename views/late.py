"""Records that come late: whether what they change can be put at their own transaction time.

A record of time t that comes when the space has come to n > t changes the present at once. What was true in ``[t, n)``
is what it would have been had the record come in time, if the record and those that came before it do not concern each
other: nothing that it reads or changes was changed after t. Then its changes are put at t and the history stays exact.
Otherwise ``[t, n)`` is noted as inexact (``moments``).

So it is with most late records: each conversation of a space has sessions of its own, which are distilled and linked
later than they were said, and published once more when they close.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.ids import MessageKey

from .held import Control, EventAssertion, message_part
from .liveness import is_erased
from .state import ViewState
from .touched import Touched


def is_apart(state: ViewState, prefix: bytes, set_key: bytes, at: int) -> bool:
    """Whether a set that was just folded at a transaction time concerns nothing that changed after it.

    ``state.touched`` must be of this record alone. A set that touches what an analyst ruled on, or what an erasure
    reached, rests on more than what it touches: then it is said to concern what changed.
    """
    if state.control.since(prefix) > at or state.sets.since(set_key) > at:
        return False
    touched = state.touched.get(prefix)
    if touched is None or not (touched.events or touched.edges):
        return True  # issued again, as it was
    control = state.control.get(prefix)
    if not _stands(state, prefix, control, touched) or (control.is_ruled and _is_ruled(state, prefix, touched)):
        return False
    return state.moved is not None and state.moved.none_since(
        prefix, at, (c.key for c in touched.events.values()), (c.key for c in touched.edges.values())
    )


def _stands(state: ViewState, prefix: bytes, control: Control, touched: Touched) -> bool:
    """Whether every message that the touched events rest on is as it was posted, and out of reach of erasures.

    Then it can be rested on, whatever a set had read, at every time.
    """
    for message in _messages(a for cell in touched.events.values() for a in cell.assertions):
        cell = state.messages.get(prefix + message_part(message))
        if cell.edited is not None or cell.retracted or (control.erases and is_erased(control, message, cell)):
            return False
    return True


def _is_ruled(state: ViewState, prefix: bytes, touched: Touched) -> bool:
    """Whether a ruling concerns a touched edge, or names a touched event or what one rests on, or rested on before.

    If none does now, none did since the last ruling of the space was made (``Moved.ruled``).
    """
    if any(arc.rulings for arc in touched.edges.values()) or any(cell.ruled for cell in touched.events.values()):
        return True
    asserted = [*touched.assertions_before(), *(a for cell in touched.events.values() for a in cell.assertions)]
    return any(state.messages.get(prefix + message_part(message)).ruled for message in _messages(asserted))


def _messages(assertions: Iterable[EventAssertion]) -> dict[MessageKey, None]:
    """What assertions rest on."""
    return {MessageKey(s.conversation_id, s.message_id): None for a in assertions for s in a.event.sources}
