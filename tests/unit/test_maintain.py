"""The maintainer: positions, redelivery, gaps, crashes between folding and committing, what is covered, rebuilding."""

from __future__ import annotations

from itertools import permutations

import msgspec
import pytest

from schemas.adjudications import EdgeRuledOut, RuledEnd
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
    known_at = 10 * DAY + 5
    late = msgspec.structs.replace(distilled(event("rome", said=2), session="s2", revision=9), learned_at=known_at + 1)
    log = entries([*CHAIN, late])
    before = cut(log, SPACE, known_at)
    assert before.view == recompute(e for e in log if e.record is not late)
    assert set(before.view.events) == {"paris", "berlin"}
    assert "rome" in cut(log, SPACE, known_at + 1).view.events
    nothing = cut(log, SPACE, 0)
    assert nothing.view.events == {}
    assert nothing.message(MessageKey("c1", "m1")) is None


def test_a_ruled_out_relation_reads_the_same_whoever_asserted_it_first() -> None:
    def asserted(producer: str, confidence: float) -> Record:
        said = edge("berlin", "updates", "paris", "change", confidence=confidence)
        return inferred(said, producer=producer, session=f"of {producer}", revision=2)

    src, dst = (RuledEnd(event_id=i, sources=(), type="state_change", attribute="home") for i in ("berlin", "paris"))
    ruling = EdgeRuledOut(
        tenant=SPACE.tenant, space=SPACE.space, edge_id=edge("berlin", "updates", "paris").id, relation="updates",
        src=src, dst=dst, analyst="ann", reason="two homes", at=1,
    )  # fmt: skip
    for order in permutations([asserted("b", 0.9), asserted("a", 0.4)]):
        (told,) = read_space(folded([*CHAIN[:3], *order, ruling]), SPACE).ruled_out()
        assert told.confidence == 0.4
