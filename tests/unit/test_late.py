"""Records that come late: in a normal run they leave no hole in what is known of the past."""

from __future__ import annotations

from msgspec.structs import replace

from schemas.adjudications import EdgeRuledOut, RuledEnd, RulingWithdrawn
from schemas.control import MessageErased
from schemas.edges import EdgesInferred
from schemas.entry import Entry
from schemas.events import EventsDistilled, Source
from schemas.parking import decoded
from schemas.themes import SessionThemed
from tests.kit.embedded import SPACE, side_by_side
from tests.kit.records import SPACE as ACME
from tests.kit.records import distilled, edge, entries, event, inferred, posted
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


def said_in(session: str, *, at: int, message: str = "m1", revision: int = 3) -> EventsDistilled:
    """A session's set of one event, learned at a time."""
    sources = (Source(conversation_id="c1", message_id=message, start=0, end=4),)
    found = event(f"e-{session}", sources=sources)
    return replace(
        distilled(found, event(f"f-{session}", sources=sources), session=session, revision=revision), learned_at=at
    )


def linked_in(session: str, *, at: int) -> EdgesInferred:
    """A session's set of the edge between its two events."""
    return replace(inferred(edge(f"e-{session}", "updates", f"f-{session}", "change"), session=session), learned_at=at)


def ruled_out(session: str, *, at: int) -> EdgeRuledOut:
    """An analyst's word on that edge."""
    link = edge(f"e-{session}", "updates", f"f-{session}", "change")
    src, dst = (RuledEnd(event_id=i, sources=(), type="state_change", attribute="home") for i in (link.src, link.dst))
    return EdgeRuledOut(
        tenant=ACME.tenant, space=ACME.space, edge_id=link.id, analyst="x", at=at, src=src, dst=dst,
        relation="updates", reason="read it",
    )  # fmt: skip


def erased(message: str, *, upto: int, at: int) -> MessageErased:
    return MessageErased(
        tenant=ACME.tenant, space=ACME.space, conversation_id="c1", message_id=message, upto=upto, at=at
    )


def assert_told_right(view: Maintainer, log: list[Entry], *, untold: tuple[int, ...]) -> None:
    """Each time's past is the definition's, but those that are not told."""
    for known_at in range(max(transaction_time(entry.record) for entry in log) + 1):
        told = read_space_at(view, ACME, known_at)
        assert (told is None) == (known_at in untold), known_at
        if told is not None:
            assert told.view == recompute(e for e in log if known_by(e.record, known_at))


def test_what_comes_late_is_told_beside_a_ruling_and_an_erasure_of_something_else() -> None:
    records = [
        erased("m9", upto=1, at=1), ruled_out("other", at=1), said_in("s2", at=6, message="m2"),
        said_in("s1", at=3), linked_in("s1", at=3),
    ]  # fmt: skip
    log = entries(records)
    assert_told_right(folded(*log), log, untold=())


def test_what_comes_late_and_was_ruled_on_meanwhile_is_not_told() -> None:
    """Also where the ruling was taken back, and nothing is left of it."""
    link = ruled_out("s1", at=3)
    taken_back = RulingWithdrawn(tenant=ACME.tenant, space=ACME.space, edge_id=link.edge_id, analyst="x", at=5)
    log = entries([ruled_out("other", at=1), link, taken_back, said_in("s1", at=2), linked_in("s1", at=2)])
    assert_told_right(folded(*log), log, untold=(2, 3, 4))


def test_what_comes_late_in_the_place_of_a_statement_that_a_ruling_concerned_in_between_is_not_told() -> None:
    """The ruling was made before all of it, on words that are said no more."""
    spans = event("d").sources
    src = RuledEnd(event_id="former", sources=spans, type="state_change", attribute="home")
    dst = RuledEnd(event_id="end", sources=(), type="state_change", attribute="home")
    word = EdgeRuledOut(
        tenant=ACME.tenant, space=ACME.space, edge_id=edge("former", "updates", "end", "change").id, analyst="x",
        at=1, src=src, dst=dst, relation="updates", reason="read it",
    )  # fmt: skip
    end = event("end", sources=(Source(conversation_id="c1", message_id="m2", start=0, end=4),))
    log = entries([
        replace(distilled(end, session="s0"), learned_at=1), word,
        replace(distilled(event("d"), session="s1"), learned_at=2),
        replace(distilled(session="s1", revision=2), learned_at=5),
        replace(distilled(event("e"), session="s2"), learned_at=3),
        replace(inferred(edge("e", "updates", "end", "change"), session="s2"), learned_at=3),
    ])  # fmt: skip
    assert_told_right(folded(*log), log, untold=(3, 4))


def test_what_comes_late_and_rests_on_what_was_erased_and_posted_anew_is_not_told() -> None:
    first, again = (replace(posted(), received_at=at) for at in (1, 5))
    log = entries([first, erased("m1", upto=1, at=1), said_in("s2", at=6, message="m2"), again, said_in("s1", at=3)])
    view = folded(*log)
    assert read_space_at(view, ACME, 4) is None
    assert_told_right(view, log, untold=(0, 3, 4, 5))


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
