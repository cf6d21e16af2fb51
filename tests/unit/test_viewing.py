"""The embedded view: what a basis says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from random import Random

import msgspec
import pytest

from ops.runtime import Embedded
from ops.viewing import LiveView
from schemas.codec import decode, encode
from schemas.deltas import EdgeChanged
from schemas.record import Record
from schemas.topics import TopicName
from streams.log import MemoryLog, partition_of
from tests.kit.messages import edit
from tests.kit.records import SPACE, distilled, edge, event, inferred
from tests.kit.sim import BEGIN
from tests.kit.simchat import NORTH
from tests.kit.simprocess import Stores
from tests.kit.simstores import Crash, Fate
from views.state import ViewState, space_prefix
from views.tables import MemoryTables, Write

UNREADABLE = b"\xc1"
UNKNOWN_MESSAGE = encode(edit("nobody posted this", "a", space=NORTH))


def stores() -> Stores:
    """Stores that never die."""
    return Stores(Random(0), Fate(Random(0), chance=0.0, most=0))


def fill(kept: Stores, what: Sequence[str]) -> Embedded:
    """A system after these arrived: a message, bytes that are no record, an edit of nothing."""
    system = kept.opened(BEGIN)
    for n, one in enumerate(what):
        if one == "message":
            message = {
                "message_id": f"m{n}", "conversation_id": "c", "speaker": "Ada", "content": f"I live at number {n}.",
                "sent_at": f"2031-01-01T10:{n:02}:00Z",
            }  # fmt: skip
            system.post(NORTH, [json.dumps(message).encode()])
        else:
            with kept.log.batch() as batch:
                batch.append("messages", NORTH, UNREADABLE if one == "unreadable" else UNKNOWN_MESSAGE, BEGIN)
    return system


@pytest.mark.parametrize(
    "what",
    [
        ["unreadable"],
        ["unknown"],
        ["message", "unreadable"],
        ["message", "unknown"],
        ["unreadable", "message"],
        ["message", "unreadable", "unknown", "unreadable"],
        ["message", "unknown", "message", "unreadable", "message"],
    ],
)
def test_a_parked_record_holds_nobody_up(what: list[str]) -> None:
    """Nothing will ever come of it: whoever waits for an offset behind it need not wait."""
    system = fill(stores(), what)
    assert system.health().waiting == len(what)
    system.flush()
    assert system.basis(NORTH).messages == len(what)
    assert system.wait(NORTH, len(what), timeout_s=0.0)
    assert system.health().waiting == 0


def test_a_parked_record_does_not_vouch_for_the_messages_before_it() -> None:
    """The second one is not published yet: its session was, just now."""
    kept = stores()
    fill(kept, ["message"]).run()
    system = fill(kept, ["message", "message", "unreadable"])
    system.run()
    assert system.basis(NORTH).messages == 1


def test_a_basis_does_not_run_ahead_of_the_retractions_it_covers() -> None:
    """Events may be folded before the messages; what an API producer rests on a withdrawn message is live till then."""
    kept = stores()
    system = fill(kept, ["message", "message", "message"])
    system.flush()
    behind = LiveView(kept.log, MemoryTables(), batch_records=1)
    for _ in range(3):
        assert behind.covers(NORTH) <= behind.position("messages", partition_of(NORTH, kept.log.partitions))
        behind.step(BEGIN)
    assert behind.covers(NORTH) == 3


def test_a_rebuild_of_a_wrong_view_tells_the_difference_to_the_index() -> None:
    """An event that the records do not give is taken out of the index, and the missing one is put back."""
    kept = stores()
    system = fill(kept, ["message"])
    system.flush()
    [right] = kept.index.refs(NORTH, "event")
    state, prefix = ViewState(kept.tables), space_prefix(NORTH)
    cell, wrong = state.events.get(prefix + right.encode()), state.events.get(prefix + b"wrong")
    assert cell.row is not None
    for one in (cell, wrong):
        state.events.changing(one)
    wrong.assertions = cell.assertions
    wrong.row = msgspec.structs.replace(cell.row, event=msgspec.structs.replace(cell.row.event, id="wrong"))
    cell.assertions, cell.row = (), None
    kept.tables.commit(state.drain())
    system = kept.opened(BEGIN)
    assert not system.verify(NORTH).equal
    assert system.rebuild(NORTH).equal
    system.run()
    assert kept.index.refs(NORTH, "event") == [right]


class DyingTables(MemoryTables):
    """Tables whose process dies before edges are committed, while ``dies``."""

    dies = False

    def commit(self, writes: Iterable[Write]) -> None:
        written = list(writes)
        if self.dies and any(table == "edges" for table, _, _ in written):
            raise Crash
        super().commit(written)


def test_what_was_told_and_not_kept_is_told_to_its_end() -> None:
    """An edge was told of, the process died, and one of its ends went before the edge was folded again."""
    log, tables = MemoryLog(partitions=1), DyingTables()

    def append(topic: TopicName, record: Record) -> None:
        with log.batch() as batch:
            batch.append(topic, SPACE, encode(record), BEGIN)

    append("events", distilled(event("a"), event("b")))
    append("edges", inferred(edge("a", "causes", "b")))
    tables.dies = True
    with pytest.raises(Crash):
        LiveView(log, tables, batch_records=10).step(BEGIN)
    tables.dies = False
    append("events", distilled(event("a"), revision=2))
    LiveView(log, tables, batch_records=10).step(BEGIN)
    told = [decode("deltas", entry.value) for entry in log.read_space("deltas", SPACE)]
    assert [delta.live for delta in told if isinstance(delta, EdgeChanged)] == [True, True, False]
