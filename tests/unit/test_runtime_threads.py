"""The embedded system while several threads use it: requests read and write, one thread processes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence

import msgspec
import pytest

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from ops.viewing import LiveView
from query.api import QueryRequest, QueryResult, StateRequest, StateResult
from schemas.ids import SpaceKey
from streams.log.memory import MemoryLog
from tests.kit.encoders import HashingEncoder
from views.reader import Basis
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex
from views.vectors.protocol import Point

SPACE = SpaceKey("default", "ilse")
NOW = 2_000_000_000_000_000


def parts(clock: Callable[[], int] = lambda: NOW) -> Parts:
    """In memory."""
    return Parts(
        log=MemoryLog(), tables=MemoryTables(), encoder=HashingEncoder,
        index=lambda encoder: MemoryIndex(encoder.dimension), clock=clock,
    )  # fmt: skip


def post(system: Embedded, number: int) -> int:
    """A message that closes its session; returns the offset to wait for."""
    message = {
        "message_id": f"m{number}", "conversation_id": "c", "speaker": "Ilse",
        "content": f"I live at {number} Mole Road.", "sent_at": f"2031-01-01T10:00:{number % 60:02}Z", "seq": number,
        "ends_session": True,
    }  # fmt: skip
    return system.post(SPACE, [json.dumps(message).encode()]).wait_for


def everything(system: Embedded) -> StateResult:
    """The whole state."""
    request = StateRequest(space=SPACE, as_of=NOW, known_at=None, participant=None, attribute=None, include_all=True)
    return system.state(request)


def asked(system: Embedded) -> QueryResult:
    """A question."""
    request = QueryRequest(
        space=SPACE, question="Where does Ilse live?", asked_at=NOW, as_of=None, known_at=None, mode="hybrid",
        budget_tokens=1_000, answer=True,
    )  # fmt: skip
    return system.query(request)


@pytest.mark.parametrize("read", ["state", "query", "history"])
def test_a_basis_is_of_the_moment_of_the_read(read: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread applies a message just before the basis is taken: then it must not claim that message."""
    system = Embedded(parts(), Settings())
    post(system, 1)
    system.run()
    event_id = everything(system).entries[0].event.id
    reads: dict[str, Callable[[], Basis]] = {
        "state": lambda: everything(system).basis,
        "query": lambda: asked(system).basis,
        "history": lambda: system.history(SPACE, event_id, None, None).basis,
    }
    post(system, 2)
    plain = LiveView.basis

    def late(view: LiveView, space: SpaceKey) -> Basis:
        other = threading.Thread(target=system.run, daemon=True)
        other.start()
        other.join(timeout=0.3)
        return plain(view, space)

    monkeypatch.setattr(LiveView, "basis", late)
    assert reads[read]().messages == 1
    monkeypatch.undo()
    system.run()
    assert reads[read]().messages == 2


class SlowIndex(MemoryIndex):
    """Says when the first vectors come, and takes them when it is let."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.reached = threading.Event()
        self.let = threading.Event()

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        """See ``VectorIndex``."""
        self.reached.set()
        assert self.let.wait(timeout=30)
        super().upsert(space, points)


def test_who_waited_for_a_message_can_ask_about_it() -> None:
    """Applied to the view is not enough: a question looks it up in the index."""
    index = SlowIndex(HashingEncoder().dimension)
    system = Embedded(msgspec.structs.replace(parts(), index=lambda _: index), Settings())
    offset = post(system, 1)
    processing = threading.Thread(target=system.run)
    processing.start()
    assert index.reached.wait(timeout=30)
    assert everything(system).basis.messages >= offset
    assert not system.wait(SPACE, offset, timeout_s=0.0)
    index.let.set()
    assert system.wait(SPACE, offset, timeout_s=30)
    assert asked(system).citations
    processing.join()
    assert system.wait(SPACE, offset, timeout_s=0.0)
