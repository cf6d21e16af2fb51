"""A system to measure: the embedded runtime, filled by the normal path and asked by the normal API."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path

import msgspec

from ops.cli.feed import feed
from ops.importers.locomo import open_locomo
from ops.limits import ingest_limits
from ops.llm.settings import LlmSettings
from ops.opening import open_parts
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from ops.system import System
from query.api import Mode, QueryRequest, QueryResult, StateEntry, StateRequest
from schemas.codec import decode
from schemas.ids import SpaceKey
from schemas.messages import MessagePosted
from schemas.topics import TopicName
from schemas.wire import ScopeIn
from streams.message_in import read_message
from views.encoder.protocol import Encoder

DAY_US = 86_400_000_000

Say = Callable[[str], None]
"""Told what is being done, for people."""


class Memory:
    """One system and the instants at which its spaces were last spoken in.

    Args:
        parts: of the system: empty, or filled by an earlier run of the same suite.
        settings: of the system.
        store: where its files are.
        say: progress.
    """

    def __init__(self, parts: Parts, settings: Settings, store: Path, say: Say) -> None:
        self.system: System = Embedded(parts, settings)
        self.settings = settings
        self.say = say
        self._parts = parts
        self._store = store

    def import_locomo(self, path: Path, place: int) -> SpaceKey:
        """Import the conversation at a place of the file into a space of its own, unless that was done before.

        Where a model is asked its replies are waited for.
        """
        space = _space(place)
        source = open_locomo(path, place)
        self.say(f"importing conversation {place}: {source.total} messages")
        batch = self.settings.import_batch_messages
        for _ in feed(self.system, space, source, batch=batch, received_at="sent_at", tz="UTC"):
            pass
        self.system.flush(space)
        while self.system.settle():
            pass
        return space

    def post(
        self, space: SpaceKey, messages: Iterable[Mapping[str, object]], *, received_at: str = "sent_at"
    ) -> Sequence[str]:
        """Post messages as they are, in this order; returns what became of each."""
        raws = [msgspec.json.encode(message) for message in messages]
        taken = self.system.post(space, raws, received_at=received_at)
        return [status.status for status in taken.statuses]

    def messages(self, path: Path, place: int) -> list[MessagePosted]:
        """The messages of a LoCoMo conversation as they are accepted, in order."""
        items = (item.message for item in open_locomo(path, place).items())
        limits = ingest_limits(self.settings)
        return [read_message(_space(place), raw, 0, "UTC", limits) for raw in items if raw is not None]

    @property
    def encoder(self) -> Encoder:
        """The encoder that the settings name."""
        return self._parts.encoder()

    def append_raw(self, space: SpaceKey, raw: bytes) -> None:
        """Put bytes on ``messages`` that no API would take: what a broken producer leaves there."""
        with self._parts.log.batch() as batch:
            batch.append("messages", space, raw, self._parts.clock())

    def records(self, topic: TopicName, space: SpaceKey) -> Iterator[bytes]:
        """Every record of a space, as bytes."""
        return (entry.value for entry in self._parts.log.read_space(topic, space))

    def posted(self, space: SpaceKey) -> list[MessagePosted]:
        """Every accepted message of a space, as it was posted."""
        found = (decode("messages", raw) for raw in self.records("messages", space))
        return [record for record in found if isinstance(record, MessagePosted)]

    def files(self) -> list[Path]:
        """Every file of the store."""
        return sorted(path for path in self._store.rglob("*") if path.is_file())

    def another(self, llm: LlmSettings | None = None) -> AbstractContextManager[Memory]:
        """A second, empty one with the same encoder, and another model if one is given; removed at the end."""
        settings = self.settings if llm is None else msgspec.structs.replace(self.settings, llm=llm)
        return memory(settings, self.say, None, self._parts.encoder)

    def settle(self, space: SpaceKey) -> list[int]:
        """Work off the model's replies; after each, how many messages of the space count as read without any event."""
        seen: list[int] = []
        while self.system.settle():
            seen.append(self.system.account(space).read_yielded_none)
        return seen

    def statements(self, space: SpaceKey, at: int) -> tuple[StateEntry, ...]:
        """Every live statement of a space, as it stands at an instant."""
        request = StateRequest(space=space, as_of=at, known_at=None, participant=None, attribute=None, include_all=True)
        return self.system.state(request).entries

    def ask(
        self,
        space: SpaceKey,
        question: str,
        at: int,
        budget: int,
        *,
        mode: Mode = "hybrid",
        answer: bool = False,
        scope: ScopeIn | None = None,
    ) -> QueryResult:
        """Ask at an instant."""
        return self.system.query(
            QueryRequest(
                space=space, question=question, asked_at=at, as_of=None, known_at=None, mode=mode,
                budget_tokens=budget, answer=answer, scope=scope,
            )
        )  # fmt: skip


def _space(place: int) -> SpaceKey:
    return SpaceKey("evaluate", f"locomo-{place}")


def after_last(entries: Iterable[StateEntry]) -> int:
    """Just after the newest statement: the "now" of a conversation of the past."""
    return max((entry.event.stated.sent_at for entry in entries), default=0) + 1


@contextmanager
def memory(
    settings: Settings, say: Say, store: Path | None, encoder: Callable[[], Encoder] | None = None
) -> Generator[Memory]:
    """A memory in ``store``, or in a temporary folder that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="stilltrue-evaluate-") as scratch:
        folder = Path(scratch) if store is None else store
        parts = open_parts(folder, settings, writer=True)
        shared = cache(parts.encoder if encoder is None else encoder)
        filled = Memory(msgspec.structs.replace(parts, encoder=shared), settings, folder, say)
        try:
            yield filled
        finally:
            filled.system.close()
