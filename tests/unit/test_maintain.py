"""The maintainer: positions, redelivery, gaps, crashes between folding and committing, what is covered, rebuilding."""

from __future__ import annotations

import pytest

from schemas.deltas import EventChanged
from schemas.entry import Entry
from schemas.ids import MessageKey
from schemas.messages import MessageEdited, MessageRetracted
from schemas.record import Record
from tests.kit.records import DAY, SPACE, distilled, edge, entries, event, inferred, posted
from views.checksum import checksum
from views.maintain import GapError, Maintainer
from views.snapshot import cut, read_space
from views.spec import recompute
from views.tables import MemoryTables

CHAIN: list[Record] = [
    posted(message="m1"),
    posted(message="m2"),
    distilled(event("paris", said=1), event("berlin", said=4), revision=2),
    inferred(edge("berlin", "updates", "paris", "change"), revision=2),
]


def folded(records: list[Record]) -> Maintainer:
    """A committed view of some records."""
    maintainer = Maintainer(MemoryTables())
    maintainer.fold(entries(records))
    maintainer.commit()
    return maintainer


def test_redelivered_records_are_passed_over_and_tell_nothing_new() -> None:
    maintainer = folded(CHAIN)
    before = checksum(read_space(maintainer, SPACE).view)
    assert maintainer.fold(entries(CHAIN)) == []
    assert checksum(read_space(maintainer, SPACE).view) == before


def test_a_skipped_offset_is_refused_loudly() -> None:
    first, *_ = entries([posted()])
    with pytest.raises(GapError, match="messages/0: got offset 3, expected 0"):
        Maintainer(MemoryTables()).fold([Entry(topic="messages", partition=0, offset=3, record=first.record)])


def test_a_crash_before_the_commit_repeats_the_same_deltas() -> None:
    tables = MemoryTables()
    lost = Maintainer(tables).fold(entries(CHAIN))
    again = Maintainer(tables)
    assert again.position("events", 0) == 0
    assert again.fold(entries(CHAIN)) == lost
    assert {d.event_id for d in lost if isinstance(d, EventChanged)} == {"paris", "berlin"}


def test_positions_and_rows_survive_together() -> None:
    tables = MemoryTables()
    maintainer = Maintainer(tables)
    maintainer.fold(entries(CHAIN))
    maintainer.commit()
    reopened = Maintainer(tables)
    assert [reopened.position(t, 0) for t in ("messages", "events", "edges")] == [2, 1, 1]
    assert read_space(reopened, SPACE).view == recompute(entries(CHAIN))


def test_messages_are_covered_when_both_their_events_and_their_edges_are_applied() -> None:
    assert folded(CHAIN[:3]).covers(0) == 0
    assert folded(CHAIN).covers(0) == 2


def test_a_dropped_space_folded_anew_is_the_same_and_others_stay() -> None:
    maintainer = folded(CHAIN)
    before = read_space(maintainer, SPACE).view
    maintainer.drop(SPACE)
    assert read_space(maintainer, SPACE).view.events == {}
    for entry in entries(CHAIN):
        maintainer.fold_anywhere(entry)
    maintainer.commit()
    assert read_space(maintainer, SPACE).view == before


def test_an_edit_kills_what_was_distilled_before_it_until_the_session_is_distilled_again() -> None:
    about = {"tenant": SPACE.tenant, "space": SPACE.space, "conversation_id": "c1", "message_id": "m1"}
    edit = MessageEdited(**about, content="I live in Bonn", received_at=11 * DAY)
    edited = folded([*CHAIN, edit])
    assert read_space(edited, SPACE).view.events == {}
    assert read_space(edited, SPACE).message(MessageKey("c1", "m1")).content == "I live in Bonn"
    again = folded([*CHAIN, edit, distilled(event("bonn", said=10), revision=4)])
    assert set(read_space(again, SPACE).view.events) == {"bonn"}


def test_the_four_places_of_a_message_add_up() -> None:
    read = distilled(event("a", said=1), revision=4)
    records: list[Record] = [posted(message=m) for m in ("m1", "m2", "m3", "m4")]
    records.append(type(read)(**{f: getattr(read, f) for f in read.__struct_fields__} | {"read": ("m1", "m2")}))
    records.append(
        MessageRetracted(tenant=SPACE.tenant, space=SPACE.space, conversation_id="c1", message_id="m3", received_at=1)
    )
    account = read_space(folded(records), SPACE).account
    assert (account.accepted, account.source_of_event, account.read_yielded_none) == (4, 1, 2)
    assert (account.waiting, account.parked) == (1, 0)


def test_a_cut_at_a_transaction_time_is_the_definition_over_what_was_known() -> None:
    late = distilled(event("rome", said=2), session="s2", revision=9)
    log = entries([*CHAIN, late])
    before = cut(log, SPACE, 10 * DAY + 5)
    known = [e for e in log if e.record is not late or late.learned_at <= 10 * DAY + 5]
    assert before.view == recompute(known)
    nothing = cut(log, SPACE, 0)
    assert nothing.view.events == {}
    assert nothing.message(MessageKey("c1", "m1")) is None
