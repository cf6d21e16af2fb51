"""Records that come late: in a normal run they leave no hole in what is known of the past."""

from __future__ import annotations

from msgspec.structs import replace

from schemas.entry import Entry
from schemas.parking import decoded
from schemas.themes import SessionThemed
from tests.kit.embedded import SPACE, side_by_side
from tests.kit.records import SPACE as ACME
from tests.kit.records import distilled, entries, event
from views.held import space_prefix
from views.known import known_by, transaction_time
from views.maintain import VIEW_TOPICS, Maintainer
from views.moved import MOST, Moved
from views.snapshot import read_space_at
from views.spec import recompute
from views.tables import MemoryTables


def test_conversations_side_by_side_leave_a_history_that_tells_all_of_the_past() -> None:
    """Sessions are published late, linked late, and once more when they close, an hour after what they say."""
    home = side_by_side(messages=70, conversations=3)
    log = [decoded(raw) for topic in VIEW_TOPICS for raw in home.log.read(topic, 0, 0, home.log.end(topic, 0))]
    view = Maintainer(home.tables)
    learned = sorted({transaction_time(entry.record) for entry in log})
    assert _late(log) > 10, "nothing came late"
    assert view.state.clocks.get(space_prefix(SPACE)).inexact == ()
    for known_at in learned[:: len(learned) // 12]:
        told = read_space_at(view, SPACE, known_at)
        assert told is not None
        assert told.view == recompute(e for e in log if known_by(e.record, known_at))


def _late(log: list[Entry]) -> int:
    """Of the sets of events, those of sessions that say something older than what came before."""
    times = [transaction_time(entry.record) for entry in log if entry.topic == "events"]
    return sum(time < max(times[: n + 1]) for n, time in enumerate(times))


def folded(*records: Entry) -> Maintainer:
    view = Maintainer(MemoryTables())
    for entry in records:
        view.fold_anywhere(entry)
    view.commit()
    return view


def test_what_changed_meanwhile_is_not_told() -> None:
    """Two sessions of one event: which fields count in between is not known without folding anew."""
    said = event("e1", said=10)
    at_20 = replace(distilled(said, session="s1"), learned_at=20)
    at_10 = replace(distilled(said, session="s2"), learned_at=10)
    view = folded(*entries([at_20, at_10]))
    assert view.state.clocks.get(space_prefix(ACME)).inexact == ((10, 20),)


def test_a_sessions_theme_of_the_highest_revision_counts_from_when_it_was_learned() -> None:
    def themed(revision: int, learned_at: int) -> SessionThemed:
        return SessionThemed(
            tenant=SPACE.tenant, space=SPACE.space, session_id="s1", theme_id=f"t{revision}", revision=revision,
            covers=1, learned_at=learned_at,
        )  # fmt: skip

    view = folded(*entries([themed(1, 10), themed(2, 20), themed(3, 30), themed(4, 15)]))
    told = {at: read_space_at(view, SPACE, at) for at in (10, 14, 15, 25, 40)}
    assert all(told.values())
    assert {at: cut.theme_of("s1") for at, cut in told.items() if cut is not None} == {
        10: "t1", 14: "t1", 15: "t4", 25: "t4", 40: "t4",
    }  # fmt: skip


def test_what_changed_too_many_changes_ago_is_taken_to_have_changed() -> None:
    moved = Moved()
    moved.watch(b"space", 5)
    moved.event(b"near", 8)
    assert moved.none_since(b"space", 8, [b"near", b"other"], [])
    assert not moved.none_since(b"space", 7, [b"near"], [])
    assert not moved.none_since(b"space", 4, [b"other"], []), "before it was looked at"
    for _ in range(2):
        for n in range(MOST + 1):
            moved.edge(n.to_bytes(4, "big"), 9)
        moved.age()
    assert not moved.none_since(b"space", 8, [b"near"], []), "forgotten"
