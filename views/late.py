"""Records that come late: whether what they change can be put at their own transaction time.

A record of time t that comes when the space has come to n > t changes the present at once. What was true in ``[t, n)``
is what it would have been had the record come in time, if the record and those that came before it do not concern each
other: nothing that it reads or changes was changed after t. Then its changes are put at t and the history stays exact.
Otherwise ``[t, n)`` is noted as inexact (``moments``).

So it is with most late records: each conversation of a space has sessions of its own, which are distilled and linked
later than they were said, and published once more when they close.
"""

from __future__ import annotations

from schemas.ids import MessageKey

from .held import message_part
from .state import ViewState


def is_apart(state: ViewState, prefix: bytes, set_key: bytes, at: int) -> bool:
    """Whether a set that was just folded at a transaction time concerns nothing that changed after it.

    ``state.touched`` must be of this record alone. Where analysts ruled on edges or something is erased, what a set
    touches is not all that it depends on: then it is said to concern everything.
    """
    control = state.control.get(prefix)
    if control.erases or control.is_ruled:
        return False
    if state.control.since(prefix) > at or state.sets.since(set_key) > at:
        return False
    touched = state.touched.get(prefix)
    if touched is None or not (touched.events or touched.edges):
        return True  # issued again, as it was
    messages = {
        MessageKey(source.conversation_id, source.message_id)
        for cell in touched.events.values()
        for assertion in cell.assertions
        for source in assertion.event.sources
    }
    for message in messages:
        cell = state.messages.get(prefix + message_part(message))
        if cell.edited is not None or cell.retracted:
            return False
    return state.moved is not None and state.moved.none_since(
        prefix, at, (c.key for c in touched.events.values()), (c.key for c in touched.edges.values())
    )
