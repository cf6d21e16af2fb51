"""An embedded system in memory whose processors can be broken and mended, and bytes that nobody can use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest import mock

import msgspec

from ops.deadletters.letters import Listed
from ops.deadletters.local import LocalLetters
from ops.deadletters.redrive import choose, listed_in
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from query.api import StateRequest
from schemas.codec import encode
from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.log import MemoryLog
from tests.golden.samples import SAMPLES
from tests.kit.encoders import HashingEncoder
from views.reader import MessageAccount
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

SPACE = SpaceKey("orchard", "row")
OTHER = SpaceKey("orchard", "hedge")
BOOM = "kaboom"
"""A broken processor fails at what mentions it."""

BROKEN = {
    "sessionize": "streams.sessions.stage.said",
    "distil": "streams.distil.offline.OfflineDistiller.distil",
    "themes": "streams.themes.stage.session_vector",
    "link": "streams.link.space._rows",
    "view": "views.maintain.apply",
}
"""What each processor calls for every record."""


class BugError(Exception):
    """What a broken processor raises."""


@contextmanager
def broken(stage: str) -> Generator[None]:
    """The processor has a bug: it fails at whatever mentions ``BOOM``."""
    module, _, name = BROKEN[stage].rpartition(".")
    owner: object = _resolve(module)
    works = getattr(owner, name)

    def fails(*arguments: object, **named: object) -> object:
        result = works(*arguments, **named)
        if BOOM in repr((arguments, result)):
            raise BugError(stage)
        return result

    with mock.patch.object(owner, name, fails):
        yield


def _resolve(path: str) -> object:
    import importlib

    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)


def said(n: int, content: str, day: int) -> bytes:
    """A message as a producer sends it; those of another day are of another session."""
    at = datetime(2031, 3, 3, 9, tzinfo=UTC) + timedelta(days=day, minutes=n)
    return json.dumps(
        {
            "message_id": f"m{n}", "conversation_id": "c", "speaker": "Ewout", "content": content,
            "sent_at": at.isoformat(), "seq": n,
        }
    ).encode()  # fmt: skip


class World:
    """A log in memory and the processes that come and go on it."""

    def __init__(self) -> None:
        self.log = MemoryLog(partitions=1)
        self.now = NOW
        encoder = HashingEncoder()
        parts = Parts(
            log=self.log, tables=MemoryTables(), encoder=lambda: encoder, clock=lambda: self.now,
            index=lambda _: MemoryIndex(encoder.dimension),
        )  # fmt: skip
        self.system = Embedded(parts, Settings(session_max_messages=12, open_revision_messages=4))
        self.restarts = 0

    def settle(self, limit: int = 20) -> None:
        """Process everything, starting again after every fault, as a supervisor does."""
        for _ in range(limit):
            try:
                return self.system.flush()
            except BugError:
                self.restarts += 1
        raise AssertionError(f"still failing after {limit} restarts")

    def letters(self) -> Sequence[Listed]:
        """All dead letters."""
        return asyncio.run(listed_in(LocalLetters(self.log)))

    def redrive(self, *, again: bool = False) -> int:
        """Everything that was not re-driven yet; how many records."""
        letters = self.letters()
        chosen, _ = choose(letters, letters, again=again)
        for one in chosen:
            asyncio.run(LocalLetters(self.log).redrive(one, None, self.now))
        return len(chosen)

    def payload(self, one: Listed) -> bytes:
        """The untouched bytes of a letter."""
        record = asyncio.run(LocalLetters(self.log).fetch(one.lies_at)).record
        assert isinstance(record, DeadLetter)
        return record.payload

    def told(self) -> Sequence[str]:
        """Every live statement of the space."""
        request = StateRequest(
            space=SPACE, as_of=self.now, known_at=None, participant=None, attribute=None, include_all=True
        )
        return [entry.event.text for entry in self.system.state(request).entries]

    def account(self, space: SpaceKey = SPACE) -> MessageAccount:
        """Where the messages are; checked to add up."""
        account = self.system.account(space)
        places = (account.source_of_event, account.read_yielded_none, account.waiting, account.parked)
        assert sum(places) == account.accepted
        return account


NOW = 2_000_000_000_000_000


def chat(*contents: str) -> list[bytes]:
    """Messages, each of a day of its own."""
    return [said(n, content, day=n) for n, content in enumerate(contents)]


def poison(topic: TopicName) -> Mapping[str, bytes]:
    """What is no record of a topic, by its kind. All under the key of ``SPACE``."""
    sample = next(record for name, record in SAMPLES if name == topic)
    own = msgspec.structs.replace(sample, tenant=SPACE.tenant, space=SPACE.space)
    foreign = next(record for name, record in SAMPLES if name != topic and type(record) is not type(sample))
    fields = msgspec.msgpack.decode(encode(own))
    return {
        "garbage": b"\xc1 garbage",
        "empty": b"",
        "utf-16": "not a record".encode("utf-16"),
        "nested": b"\x91" * 3_000 + b"\xc0",
        "cut off": encode(own)[:-3],
        "another type": msgspec.msgpack.encode([1, 2, 3]),
        "unknown version": msgspec.msgpack.encode({**fields, "t": f"{fields['t']}_v9"}),
        "a field is missing": msgspec.msgpack.encode({"t": fields["t"], "tenant": "orchard", "space": "row"}),
        "a field of another type": msgspec.msgpack.encode({**fields, "tenant": 7}),
        "of another topic": encode(msgspec.structs.replace(foreign, tenant=SPACE.tenant, space=SPACE.space)),
        "of another space": encode(msgspec.structs.replace(sample, tenant=OTHER.tenant, space=OTHER.space)),
        "of another tenant": encode(msgspec.structs.replace(sample, tenant="meadow", space=SPACE.space)),
        "of no space": encode(msgspec.structs.replace(sample, tenant="", space="")),
        "of a space with a slash": encode(msgspec.structs.replace(sample, tenant="orchard/row", space="x")),
    }
