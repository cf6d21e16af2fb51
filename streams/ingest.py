"""The edge of the embedded system: messages, edits and retractions into the log, whatever is killed meanwhile.

The record and the index row that recognises it are committed in one batch: after kill -9 a message is accepted with
its row, or it is not, and may be sent again.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import msgspec

from schemas.codec import decode
from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted
from schemas.record import Record

from .intake import Intake, Step
from .log import Log, partition_of
from .message_in import IngestLimits
from .message_index import IndexedBatch, known_message, message_row


class Ingest(Intake):
    """``Intake`` into the log. Thread-safe: the log's batch is the one lock."""

    def __init__(self, log: Log, limits: IngestLimits | None = None) -> None:
        super().__init__(limits)
        self._log = log

    @contextmanager
    def _step(self, space: SpaceKey, now: int) -> Generator[Step]:
        """One batch of the log."""
        with self._log.batch() as batch:
            step = IndexedBatch(self._log, batch, space, now)
            yield step
            step.finish()

    def find(self, space: SpaceKey, conversation_id: str, message_id: str) -> MessagePosted | None:
        """An accepted message with its current content; None when it was never accepted, or withdrawn."""
        known = known_message(self._log, message_row(space, conversation_id, message_id))
        if known is None or known.retracted:
            return None
        message = self._record(space, known.offset)
        assert isinstance(message, MessagePosted), "the index names another record"
        if known.edited is None:
            return message
        edit = self._record(space, known.edited)
        assert isinstance(edit, MessageEdited), "the index names another record"
        return msgspec.structs.replace(message, content=edit.content)

    def _record(self, space: SpaceKey, offset: int) -> Record:
        [entry] = self._log.read("messages", partition_of(space, self._log.partitions), offset, 1)
        return decode("messages", entry.value)
