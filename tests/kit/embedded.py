"""The whole embedded system in memory, on a clock that is set by hand: for tests of what a user sees."""

from __future__ import annotations

import json
from random import Random

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from query.api import StateEntry, StateRequest
from schemas.ids import SpaceKey
from schemas.times import US_PER_SECOND, format_time, parse_time
from streams.log.memory import MemoryLog
from tests.kit.encoders import HashingEncoder
from tests.kit.simchat import saying
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


def side_by_side(messages: int, conversations: int) -> Home:
    """A space of several conversations at once, each with pauses that end sessions, processed as the clock goes on."""
    rng, home = Random(5), Home()
    turns = [home.now + rng.randrange(60 * US_PER_SECOND) for _ in range(conversations)]
    for n in range(messages):
        turn = min(range(conversations), key=lambda i: turns[i])
        for pause_s in (0.3, 2.1, 3.0):
            if home.now + pause_s * US_PER_SECOND < turns[turn]:
                home.now += int(pause_s * US_PER_SECOND)
                home.system.run()
        home.now = turns[turn]
        said = {
            "message_id": f"m{n}", "conversation_id": f"c{turn}", "speaker": rng.choice(("Ewout", "Fenna")),
            "content": saying(rng), "sent_at": format_time(home.now),
        }  # fmt: skip
        home.system.post(SPACE, [json.dumps(said).encode()])
        home.system.run()
        turns[turn] += int(
            (rng.expovariate(1 / 6) if rng.random() < 0.8 else rng.uniform(1_800, 7_200)) * US_PER_SECOND
        )
    home.now += 10_000 * US_PER_SECOND
    home.system.flush()
    return home
