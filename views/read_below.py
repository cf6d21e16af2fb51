"""Which edits a set of events had read: asked only of messages that were edited, or erased, which few are."""

from __future__ import annotations

from schemas.codec import decode
from schemas.edges import BATCH
from schemas.events import EventsAsserted, session_read_below

from .held import EventAssertion
from .state import ViewState


def read_below_of(state: ViewState, prefix: bytes, assertion: EventAssertion) -> int:
    """Edits of a source message from this offset of ``messages`` on make the assertion stale.

    It is told by the set that counts, so a set that is issued again with the same events changes none of their cells.
    """
    session_id = assertion.session_id
    is_batch = session_id.startswith(BATCH)
    for stored in state.sets.get(prefix + (b"E" if is_batch else b"e") + session_id.encode()):
        if stored.producer == assertion.producer:
            if not is_batch:
                return session_read_below(stored.revision)
            record = decode("events", stored.value)
            assert isinstance(record, EventsAsserted), "a batch of events"
            return record.covers
    raise AssertionError("an assertion of no set")
