"""An erasure whose process is killed at any durable step is finished by the next one, with the same outcome."""

from __future__ import annotations

import json
from random import Random

import pytest

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from schemas.codec import decode
from schemas.erasure_wire import ErasureIn
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from schemas.topics import TOPICS
from tests.kit.encoders import HashingEncoder
from tests.kit.simstores import Crash, Fate, MortalIndex, MortalLog, MortalTables, Place
from views.tables import TABLES

SPACE = SpaceKey("default", "ilse")
NOW = 2_000_000_000_000_000
TEXTS = (
    "I live in Oslo.",
    "I moved to Quillmark last week.",
    "I work at the harbour.",
    "I sold the boat.",
)


class Sentence(Fate):
    """Dies at the n-th durable step from now on (0 is the first); ``spared`` tells that there were fewer."""

    def __init__(self) -> None:
        super().__init__(Random(1), chance=0.0, most=0)
        self.left: int | None = None

    @property
    def spared(self) -> bool:
        return self.left is not None and self.left >= 0

    def at(self, place: Place) -> None:
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0:
            self.left = None
            self.deaths[place] += 1
            raise Crash(place)


class Stores:
    def __init__(self) -> None:
        self.fate = Sentence()
        self.log = MortalLog(self.fate, 1)
        self.tables = MortalTables(self.fate)
        self.index = MortalIndex(HashingEncoder().dimension, self.fate, Random(2))
        self.system = self.process()
        posted = [
            {"message_id": f"m{n}", "conversation_id": "c", "speaker": "Ilse", "content": text,
             "sent_at": f"2031-01-0{n + 1}T10:00:00Z"}
            for n, text in enumerate(TEXTS)
        ]  # fmt: skip
        self.system.post(SPACE, [json.dumps(one).encode() for one in posted])
        self.system.flush()
        self.needles = [b"Quillmark", *self.events_of("Quillmark")]

    def events_of(self, word: str) -> list[bytes]:
        """Ids of the events that say it."""
        sets = [decode("events", e.value) for e in self.log.read_space("events", SPACE)]
        return [e.id.encode() for s in sets if isinstance(s, EventsDistilled) for e in s.events if word in e.text]

    def process(self) -> Embedded:
        parts = Parts(
            log=self.log, tables=self.tables, encoder=HashingEncoder, index=lambda _: self.index, clock=lambda: NOW
        )  # fmt: skip
        return Embedded(parts, Settings())

    def outcome(self) -> tuple[object, ...]:
        verified, account = self.system.verify(SPACE), self.system.account(SPACE)
        assert verified.equal
        return (
            verified.checksum,
            verified.account,
            account,
            self.index.refs(SPACE, "note"),
            self.index.refs(SPACE, "event"),
        )

    def told(self) -> list[str]:
        """Where the erased text stands, or an event that said it is named; deltas say that it went, and may."""
        values = [(topic, e.value) for topic in TOPICS if topic != "deltas" for e in self.log.read_space(topic, SPACE)]
        values += [(t, v) for t in ("stages", "ingest") for _, v in self.log.scan(t, b"", b"\xff" * 9)]
        values += [(f"view {t}", v) for t in TABLES for _, v in self.tables.scan(t, b"")]
        return [place for place, value in values if any(needle in value for needle in self.needles)]


@pytest.mark.parametrize(
    "wanted",
    [
        ErasureIn(scope="message", conversation_id="c", message_id="m1"),
        ErasureIn(scope="conversation", conversation_id="c"),
    ],
    ids=lambda wanted: wanted.scope,
)
def test_killed_at_any_step_it_is_finished_by_the_next_process(wanted: ErasureIn) -> None:
    whole = Stores()
    whole.system.erase(SPACE, wanted)
    steps, died = 0, True
    while died:
        stores = Stores()
        stores.fate.left = steps
        try:
            stores.system.erase(SPACE, wanted)
            died = False
        except Crash:
            stores.index.reopen()
            stores.system = stores.process()
            begun = stores.log.end("erasures", 0) == 1
            stores.system.run()
            if begun:
                assert stores.outcome() == whole.outcome(), f"killed at step {steps}"
                assert stores.told() == [], f"killed at step {steps}"
        stores.fate.left = None
        receipt = stores.system.erase(SPACE, wanted)
        assert receipt.finished_at is not None
        assert stores.log.end("erasures", 0) == 1
        assert stores.outcome() == whole.outcome(), f"killed at step {steps}, then asked again"
        assert stores.told() == []
        steps += 1
    assert steps > 20, "the erasure has fewer durable steps than it had; are they still all reached?"
