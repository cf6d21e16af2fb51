"""The whole embedded system in memory, on a clock that is set by hand: for tests of what a user sees."""

from __future__ import annotations

import json

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from query.api import StateEntry, StateRequest
from schemas.ids import SpaceKey
from schemas.times import parse_time
from streams.log.memory import MemoryLog
from tests.kit.encoders import HashingEncoder
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

SPACE = SpaceKey("default", "ilse")


def us(text: str) -> int:
    """Microseconds UTC of an RFC 3339 time."""
    return parse_time(text)[0]


class Home:
    """A system, its stores and its clock. ``reopened`` is a new process on the same stores."""

    def __init__(self, now: str = "2031-06-01T12:00:00Z") -> None:
        self.now = us(now)
        self.log = MemoryLog()
        self.tables = MemoryTables()
        self.index = MemoryIndex(64)
        self.system = self.reopened()

    def reopened(self) -> Embedded:
        """A system on what is stored."""
        parts = Parts(
            log=self.log, tables=self.tables, encoder=lambda: HashingEncoder(64), index=lambda _: self.index,
            clock=lambda: self.now,
        )  # fmt: skip
        self.system = Embedded(parts, Settings())
        return self.system

    def say(self, message_id: str, content: str, sent_at: str, *, speaker: str = "Ilse", flush: bool = True) -> int:
        """Post a message and process it; returns the offset to wait for."""
        message = {
            "message_id": message_id, "conversation_id": "harbour", "speaker": speaker, "content": content,
            "sent_at": sent_at,
        }  # fmt: skip
        posted = self.system.post(SPACE, [json.dumps(message).encode()])
        assert [status.status for status in posted.statuses] == ["accepted"]
        if flush:
            self.system.flush()
        return posted.wait_for

    def edit(self, message_id: str, content: str) -> None:
        """Give a message other words."""
        self.system.edit(SPACE, "harbour", message_id, content)
        self.system.flush()

    def retract(self, message_id: str) -> None:
        """Withdraw a message."""
        self.system.retract(SPACE, "harbour", message_id)
        self.system.flush()

    def entries(self, as_of: str | None = None, known_at: str | None = None) -> dict[str, StateEntry]:
        """Everything of the space by its text."""
        request = StateRequest(
            space=SPACE, as_of=self.now if as_of is None else us(as_of),
            known_at=None if known_at is None else us(known_at), participant=None, attribute=None, include_all=True,
        )  # fmt: skip
        return {entry.event.text: entry for entry in self.system.state(request).entries}

    def id_of(self, text: str) -> str:
        """The id of the statement with this text."""
        return self.entries()[text].event.id
