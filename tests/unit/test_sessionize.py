"""When sessions are published, and what a revision says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from schemas.codec import BadRecordError
from schemas.ids import SpaceKey, session_id
from schemas.messages import MessageRecord
from schemas.sessions import SessionRevised
from schemas.times import US_PER_HOUR, US_PER_SECOND
from streams.ports import Output
from streams.sessions.definition import SessionLimits, given_session_id
from streams.sessions.publish import covers
from streams.sessions.stage import Sessionize
from streams.state import MemoryState
from tests.kit.messages import SPACE, edit, entry, posted, retract

HOUR, SECOND, MINUTE = US_PER_HOUR, US_PER_SECOND, 60 * US_PER_SECOND


class Feed:
    """Feeds records to the stage, one offset each."""

    def __init__(self, limits: SessionLimits | None = None) -> None:
        self.stage = Sessionize(limits)
        self.state = MemoryState()
        self.offset = 0

    def __call__(self, *records: MessageRecord, now: int = 0) -> list[SessionRevised]:
        published: list[SessionRevised] = []
        for record in records:
            published += revisions(self.stage.apply(entry(self.offset, record), self.state, now))
            self.offset += 1
        return published

    def tick(self, now: int) -> list[SessionRevised]:
        return revisions(self.stage.tick(self.state, now))

    def flush(self, space: SpaceKey | None = None, now: int = 0) -> list[SessionRevised]:
        return revisions(self.stage.flush(self.state, now, space))


def revisions(outputs: Sequence[Output]) -> list[SessionRevised]:
    return [output.record for output in outputs if isinstance(output.record, SessionRevised)]


def ids(revision: SessionRevised) -> list[str]:
    return [message.message_id for message in revision.messages]


def run_id(first: str) -> str:
    return session_id(SPACE, "c", first)


def test_what_is_said_after_a_pause_is_published_at_once_and_together() -> None:
    feed = Feed()
    assert feed(posted("a", 0, received_at=5), posted("b", MINUTE, received_at=9), now=7) == []
    assert feed.tick(6) == []
    [revision] = feed.tick(7)
    assert (revision.session_id, ids(revision), revision.open) == (run_id("a"), ["a", "b"], True)
    assert (revision.revision, revision.covers, revision.learned_at) == (2, 2, 9)
    assert feed.tick(4 * SECOND) == []


def test_what_follows_soon_is_published_two_seconds_after_the_last_time() -> None:
    feed = Feed()
    feed(posted("a", 0), now=0)
    feed.tick(0)
    feed(posted("b", 1), now=SECOND)
    feed(posted("c", 2), now=2 * SECOND - 1)
    assert feed.tick(2 * SECOND - 1) == []
    assert [ids(r) for r in feed.tick(2 * SECOND)] == [["a", "b", "c"]]
    feed(posted("d", 3), now=5 * SECOND)
    assert [len(r.messages) for r in feed.tick(5 * SECOND)] == [4], "a pause lies behind it"


def test_a_busy_chat_is_published_every_two_seconds_at_most() -> None:
    feed = Feed()
    begin, told = 100 * SECOND, list[tuple[int, int]]()
    for n in range(16):
        now = begin + n * SECOND // 2
        feed(posted(f"m{n:02}", n), now=now)
        told += [(n, len(revision.messages)) for revision in feed.tick(now)]
    assert told == [(0, 1), (4, 5), (8, 9), (12, 13)]
    assert feed.tick(begin + 8 * SECOND)[0].covers == 16


def test_revisions_of_a_session_that_was_published_for_its_size_are_as_far_apart() -> None:
    feed = Feed(SessionLimits(publish_after=2))
    assert [len(r.messages) for r in feed(posted("a", 0), posted("b", 1), now=SECOND)] == [2]
    feed(posted("c", 2), now=SECOND)
    assert feed.tick(3 * SECOND - 1) == []
    assert [len(r.messages) for r in feed.tick(3 * SECOND)] == [3]


def test_twenty_unpublished_messages_publish_a_session_open() -> None:
    feed = Feed()
    published = feed(*(posted(f"m{n:02}", n * SECOND) for n in range(41)))
    assert [(len(r.messages), r.open, r.revision) for r in published] == [(20, True, 38), (40, True, 78)]


def test_a_gap_in_sent_at_starts_a_session_and_closes_the_former() -> None:
    feed = Feed()
    assert feed(posted("a", 0), posted("b", HOUR)) == []
    [revision] = feed(posted("c", 2 * HOUR + 1))
    assert (ids(revision), revision.open, revision.revision) == (["a", "b"], False, 3)
    assert revision.covers == 2, "the new message is in no published session yet"


def test_an_open_session_is_published_closed_without_new_messages_when_the_next_begins() -> None:
    feed = Feed()
    feed(posted("a", 0))
    [opened] = feed.tick(2 * SECOND)
    [closed] = feed(posted("b", 3 * HOUR))
    assert (opened.open, opened.revision) == (True, 0)
    assert (closed.open, closed.revision, ids(closed)) == (False, 1, ["a"])


def test_silence_as_long_as_the_gap_closes_an_idle_session() -> None:
    feed = Feed()
    feed(posted("a", 0), now=0)
    feed.tick(2 * SECOND)
    assert feed.tick(HOUR - 1) == []
    [closed] = feed.tick(HOUR)
    assert (closed.open, closed.revision) == (False, 1)
    assert feed.tick(10 * HOUR) == []


def test_a_message_may_end_its_session() -> None:
    feed = Feed()
    [closed] = feed(posted("a", 0), posted("b", 1, ends=True))
    assert (closed.open, ids(closed)) == (False, ["a", "b"])
    feed(posted("c", 2))
    assert [ids(r) for r in feed.flush()] == [["c"]]


def test_a_long_run_is_split_and_a_full_part_closes() -> None:
    feed = Feed()
    published = feed(*(posted(f"m{n:03}", n) for n in range(150)))
    full = [r for r in published if not r.open]
    assert [(len(r.messages), r.session_id) for r in full] == [(100, run_id("m000"))]
    assert [(len(r.messages), r.session_id) for r in feed.flush()] == [(50, run_id("m100"))]


def test_a_given_session_keeps_its_messages_whatever_the_gaps() -> None:
    feed = Feed()
    feed(posted("a", 0, given="s"), posted("b", 50 * HOUR, given="s"))
    [revision] = feed.flush()
    assert (revision.session_id, ids(revision)) == ("c/s", ["a", "b"])


def test_a_given_session_closes_when_another_begins_later() -> None:
    feed = Feed()
    [closed] = feed(posted("a", 0, given="s1"), posted("b", 5, given="s2"))
    assert (closed.session_id, closed.open) == ("c/s1", False)


def test_further_parts_of_a_long_given_session_are_numbered() -> None:
    feed = Feed(SessionLimits(max_messages=2))
    feed(*(posted(f"m{n}", n, given="s") for n in range(5)))
    feed.flush()
    published = feed(posted("late", 0, given="s", seq=-1), now=1)
    assert [(r.session_id, ids(r)) for r in published] == [
        ("c/s#3", ["m3", "m4"]),
        ("c/s#2", ["m1", "m2"]),
        ("c/s", ["late", "m0"]),
    ]


def test_parts_of_one_message_are_renumbered_by_a_late_one() -> None:
    feed = Feed(SessionLimits(max_messages=1))
    published = feed(posted("a", 1, given="s"), posted("b", 2, given="s"), posted("late", 0, given="s"))
    assert {r.session_id: ids(r) for r in published} == {"c/s": ["late"], "c/s#2": ["a"], "c/s#3": ["b"]}


def test_given_session_ids_of_two_conversations_never_meet() -> None:
    names = [
        given_session_id("a/b", "c", 0),
        given_session_id("a", "b/c", 0),
        given_session_id("a", "b", 1),
        given_session_id("a", "b#2", 0),
        given_session_id("a%2Fb", "c", 0),
        given_session_id("batch:a", "b", 0),
        "batch:a/b",
    ]
    assert len(set(names)) == len(names)
    assert given_session_id("talk-1", "monday", 0) == "talk-1/monday"


def test_a_late_message_merges_two_published_sessions() -> None:
    feed = Feed()
    feed(posted("a", 0), posted("b", 90 * MINUTE))
    feed.flush()
    assert feed(posted("between", 45 * MINUTE, received_at=7)) == []
    merged, gone = feed.tick(2 * SECOND)
    assert (merged.session_id, ids(merged)) == (run_id("a"), ["a", "between", "b"])
    assert (gone.session_id, gone.messages, gone.open) == (run_id("b"), (), False)
    assert (merged.revision // 2, gone.revision // 2) == (2, 2)
    assert (merged.covers, gone.covers) == (2, 3), "only the last of the step claims the message"
    assert gone.learned_at == 7


def test_a_merger_taken_back_before_it_was_published_leaves_both_sessions() -> None:
    feed = Feed()
    feed(posted("a", 0), posted("b", 90 * MINUTE))
    feed.flush()
    published = feed(posted("between", 45 * MINUTE), retract("between"))
    assert {r.session_id: ids(r) for r in published} == {run_id("a"): ["a"], run_id("b"): ["b"]}


def test_a_conversation_sent_newest_first_is_published_every_twenty_messages() -> None:
    feed = Feed()
    published = feed(*(posted(f"m{n:02}", n) for n in reversed(range(60))))
    assert [len(r.messages) for r in published] == [20, 40, 0, 60, 0]
    assert [r.session_id for r in published if not r.messages] == [run_id("m40"), run_id("m20")]


def test_retracting_the_middle_splits_a_session() -> None:
    feed = Feed()
    feed(posted("a", 0), posted("between", 45 * MINUTE), posted("b", 90 * MINUTE))
    feed.flush()
    published = feed(retract("between"))
    assert {r.session_id: ids(r) for r in published} == {run_id("a"): ["a"], run_id("b"): ["b"]}


def test_retracting_all_messages_publishes_the_empty_session_once() -> None:
    feed = Feed()
    feed(posted("a", 0))
    feed.flush()
    [gone] = feed(retract("a"))
    assert (gone.session_id, gone.messages, gone.revision, gone.covers) == (run_id("a"), (), 3, 2)
    assert feed(retract("a")) == []
    assert feed.flush() == []


def test_a_retraction_before_any_publication_still_moves_what_is_covered() -> None:
    feed = Feed()
    [gone] = feed(posted("a", 0), retract("a"))
    assert (gone.messages, gone.covers) == ((), 2)


def test_an_edit_revises_the_session_of_its_message() -> None:
    feed = Feed()
    feed(posted("a", 0), posted("b", 5 * HOUR), now=10)
    feed.flush(now=10)
    assert feed(edit("a", "other", received_at=3), now=10) == []
    assert feed.tick(9 + 2 * SECOND) == []
    [revision] = feed.tick(10 + 2 * SECOND)
    assert [m.content for m in revision.messages] == ["other"]
    assert (revision.session_id, revision.open, revision.revision) == (run_id("a"), False, 2 * 2 + 1)
    assert revision.messages[0].offset == 0


def test_late_messages_for_a_closed_session_are_published_together() -> None:
    feed = Feed()
    feed(posted("a", 0), posted("z", 50 * HOUR))
    feed.flush()
    assert feed(*(posted(f"late{n}", n + 1) for n in range(5)), now=0) == []
    [revision] = feed.tick(2 * SECOND)
    assert (len(revision.messages), revision.open) == (6, False)


def test_covers_waits_for_the_other_spaces_of_the_partition() -> None:
    feed = Feed()
    other = SpaceKey("t", "other")
    feed(posted("a", 0, space=other), posted("b", 0))
    [mine] = feed.flush(SPACE)
    assert (mine.space, mine.covers) == ("s", 0)
    [theirs] = feed.flush(other)
    assert (theirs.space, theirs.covers) == ("other", 2)


def test_partitions_are_covered_apart() -> None:
    feed = Feed()
    feed(posted("a", 0))
    feed.stage.apply(entry(40, posted("b", 0, space=SpaceKey("t", "other")), partition=1), feed.state, 0)
    assert [(r.space, r.covers) for r in feed.flush()] == [("other", 41), ("s", 1)]
    assert covers(feed.state, 0, 7) == 7


def test_a_second_posting_of_an_id_changes_nothing() -> None:
    feed = Feed()
    feed(posted("a", 0), posted("a", 5, content="other"), posted("a", 0, conversation="d"))
    assert sorted(r.messages[0].content for r in feed.flush()) == ["content of a", "content of a"]


def test_an_edit_of_a_message_that_was_never_posted_is_a_bad_record() -> None:
    feed = Feed()
    with pytest.raises(BadRecordError, match="never posted"):
        feed(edit("nobody", "x"))
    assert list(feed.state.scan(b"", b"\xff")) == []


class CountingState(MemoryState):
    """Counts the rows a stage reads."""

    rows_read = 0

    def get(self, key: bytes) -> bytes | None:
        self.rows_read += 1
        return super().get(key)

    def scan(self, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        for row in super().scan(start, stop, reverse=reverse):
            self.rows_read += 1
            yield row


def test_a_message_in_order_costs_the_same_in_a_long_conversation() -> None:
    feed = Feed()
    feed.state = CountingState()
    counts: list[int] = []
    for n in range(600):
        before = feed.state.rows_read
        feed(posted(f"m{n}", n * 25 * MINUTE if n % 9 else n * 25 * MINUTE + HOUR))
        counts.append(feed.state.rows_read - before)
    assert max(counts[500:]) <= max(counts[:100])
