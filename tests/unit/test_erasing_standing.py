"""Erasures told from a log whose records stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from ops.erasing.standing import begun_by, extent_in, find_reach, find_standing, gone_by, without_erased
from ops.node.cleaning import Passes
from schemas.codec import decode
from schemas.control import ErasureRecord
from schemas.ids import MessageKey, SpaceKey
from schemas.parking import decoded
from schemas.topics import TOPICS
from streams.erasure import Extent, begin
from streams.log import LogEntry
from tests.kit.embedded import SPACE, Home
from views.checksum import checksum
from views.maintain import VIEW_TOPICS, Maintainer
from views.snapshot import read_space
from views.tables import MemoryTables

WORD = "Quillmark"
MOVED = Extent(conversation_id="harbour", message_id="m1")


def chat() -> Home:
    home = Home()
    for n, text in enumerate(("I live in Lecce.", f"I moved to {WORD} last month.", "I work at the mill.")):
        home.say(f"m{n}", text, f"2031-0{n + 1}-01T10:00:00Z")
    return home


def told(home: Home) -> list[LogEntry]:
    return [entry for topic in TOPICS for entry in home.log.read_space(topic, SPACE)]


def erased(home: Home, extent: Extent) -> None:
    """Recorded and derived; the log keeps its bytes, as a broker does."""
    assert begin(home.log, SPACE, extent, now=home.now, remember=lambda *_: None) is not None
    home.system.flush()


def folded(entries: Sequence[LogEntry]) -> str:
    view = Maintainer(MemoryTables())
    for entry in entries:
        if entry.topic in VIEW_TOPICS:
            view.fold_anywhere(decoded(entry))
    return checksum(read_space(view, SPACE).view)


def test_without_what_is_erased_the_records_make_the_same_view_and_hold_no_word_of_it() -> None:
    home = chat()
    erased(home, MOVED)
    erased(home, Extent(conversation_id="harbour", message_id="m2"))
    raw = told(home)
    clean = without_erased(raw)
    assert any(WORD.encode() in entry.value for entry in raw)
    assert not any(WORD.encode() in entry.value or b"mill" in entry.value for entry in clean)
    assert folded(clean) == folded(raw)
    assert any(b"Lecce" in entry.value for entry in clean)


def test_a_name_that_an_erased_message_taught_goes_with_its_taking_back_and_no_other_name_does() -> None:
    home = chat()
    home.say("m3", f"The {WORD.lower()} tower committee (QTC) met.", "2031-04-01T10:00:00Z")
    home.say("m4", "The harbour watch committee (HWC) met.", "2031-05-01T10:00:00Z")
    erased(home, Extent(conversation_id="harbour", message_id="m3"))
    raw = told(home)
    words = [entry.value.lower() for entry in without_erased(raw) if entry.topic == "adjudications"]
    assert sum(b"qtc" in entry.value.lower() for entry in raw if entry.topic == "adjudications") == 2
    assert not any(b"qtc" in word or WORD.lower().encode() in word for word in words)
    assert any(b"hwc" in word for word in words)
    assert folded(without_erased(raw)) == folded(raw)


def test_an_erasure_reaches_what_stands_and_counts_what_it_erased() -> None:
    home = chat()
    assert find_reach(told(home), Extent()).due == (
        MessageKey("harbour", "m2"), MessageKey("harbour", "m1"), MessageKey("harbour", "m0"),
    )  # fmt: skip
    erased(home, MOVED)
    assert find_reach(told(home), MOVED).found == frozenset()
    assert len(find_reach(told(home), Extent()).found) == 2
    erased(home, Extent())
    raw = told(home)
    assert [begun_by(one, raw).messages for one in find_standing(raw)] == [1, 2]


def test_one_that_was_cut_off_after_its_retractions_is_found_again_and_retracts_nothing_twice() -> None:
    home = chat()
    erased(home, MOVED)
    cut_off = [entry for entry in told(home) if entry.topic != "erasures"]
    reach = find_reach(cut_off, MOVED)
    assert (reach.found, reach.due) == (frozenset({MessageKey("harbour", "m1")}), ())


def test_what_is_posted_anew_under_an_erased_id_is_reached_by_the_next_one_only() -> None:
    home = chat()
    erased(home, MOVED)
    home.say("m1", f"I like {WORD}.", "2031-05-01T10:00:00Z")
    raw = told(home)
    [one] = find_standing(raw)
    assert find_reach(raw, MOVED).due == (MessageKey("harbour", "m1"),)
    assert begun_by(one, raw).messages == 1
    gone = gone_by(one, begun_by(one, raw), raw)
    assert gone.message(MessageKey("harbour", "m1"), 1)
    assert not gone.message(MessageKey("harbour", "m1"), home.log.end("messages", 0) - 1)
    assert any(f"I like {WORD}".encode() in entry.value for entry in without_erased(raw))


def test_a_record_says_which_extent_it_erases() -> None:
    for extent in (MOVED, Extent(conversation_id="harbour"), Extent()):
        home = chat()
        erased(home, extent)
        [record] = [decode("erasures", entry.value) for entry in home.log.read_space("erasures", SPACE)]
        assert isinstance(record, ErasureRecord)
        assert extent_in(record) == extent


def test_a_pass_counts_only_for_whoever_asked_before_it_began() -> None:
    passes, one, two = Passes(), SpaceKey("t", "one"), SpaceKey("t", "two")
    assert not passes.over(one, 5)
    assert not passes.is_due(4), "its points are not deleted yet"
    assert passes.is_due(5)
    passes.begin()
    assert not passes.over(two, 6)
    passes.end()
    assert passes.over(one, 7)
    assert not passes.over(two, 7), "the pass had begun when it asked"
    assert passes.is_due(6)
    passes.begin()
    passes.end()
    assert passes.over(two, 8)
    assert not passes.is_due(9)
