"""What the edge takes, what it refuses and why, and that nothing is taken twice."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.codec import decode
from schemas.ids import SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRetracted
from schemas.record import Record
from schemas.times import parse_time
from schemas.wire import MessageStatus
from streams.checks import RefusedError
from streams.ingest import Ingest
from streams.intake import Taken
from streams.log import MemoryLog, RocksLog
from streams.message_in import IngestLimits

SPACE = SpaceKey("t", "s")
NOW = parse_time("2030-01-01T00:00:00Z")[0]
NOON = "2026-03-02T12:00:00+01:00"


def message(**changes: Any) -> dict[str, Any]:
    base = {"message_id": "m", "conversation_id": "c", "speaker": "Ada", "content": "I moved.", "sent_at": NOON}
    return {name: value for name, value in {**base, **changes}.items() if value is not ...}


def raw(**changes: Any) -> bytes:
    return json.dumps(message(**changes)).encode()


class Edge:
    """An ingest over a fresh log."""

    def __init__(self, limits: IngestLimits | None = None) -> None:
        self.log = MemoryLog()
        self.ingest = Ingest(self.log, limits)

    def post(self, *raws: bytes, space: SpaceKey = SPACE, now: int = NOW, **options: Any) -> Taken:
        return self.ingest.post(space, raws, now=now, **options)

    def records(self) -> list[Record]:
        return [decode("messages", entry.value) for entry in self.log.read("messages", 0, 0, 1000)]


def outcome(status: MessageStatus) -> tuple[str, str | None, str | None]:
    error = status.error
    return status.status, None if error is None else error.code, None if error is None else error.field


def test_a_message_is_accepted_with_its_time_zone_and_position() -> None:
    edge = Edge()
    taken = edge.post(raw(), raw(message_id="n", tz="Europe/Paris", seq=7, ends_session=True), seq_start=3)
    assert [outcome(s) for s in taken.statuses] == [("accepted", None, None)] * 2
    assert taken.wait_for == 2
    first, second = edge.records()
    assert isinstance(first, MessagePosted)
    assert isinstance(second, MessagePosted)
    assert (first.sent_at, first.utc_offset_min, first.seq) == (parse_time("2026-03-02T11:00:00Z")[0], 60, 3)
    assert (first.tz, first.time_assumed, first.received_at) == (None, False, NOW)
    assert (second.seq, second.tz, second.ends_session) == (7, "Europe/Paris", True)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (raw(content="the code is\0 88"), "the code is\0 88"),
        (raw(content="so funny \ud83d really"), "so funny \ufffd really"),
        (raw(content="\ude00 first"), "\ufffd first"),
        (raw(content="whole \U0001f600 pair"), "whole \U0001f600 pair"),
        (raw(content="it moved").replace(b"moved", b"\xed\xa0\xbd"), "it \ufffd"),
    ],
)
def test_odd_characters_in_what_was_said_do_not_lose_it(sent: bytes, kept: str) -> None:
    """A NUL stays; half a surrogate pair, which has no UTF-8, is replaced. Sent again it is a duplicate."""
    edge = Edge()
    assert [outcome(s)[0] for s in edge.post(sent).statuses] == ["accepted"]
    (record,) = edge.records()
    assert isinstance(record, MessagePosted)
    assert record.content == kept
    assert [outcome(s)[0] for s in edge.post(sent).statuses] == ["duplicate"]


REFUSED: list[tuple[str, bytes, str, str | None]] = [
    ("not JSON", b"{", "malformed", None),
    ("empty bytes", b"", "malformed", None),
    ("not an object", b"[]", "malformed", None),
    ("trailing bytes", raw() + b"x", "malformed", None),
    ("bytes that are not UTF-8", raw().replace(b"moved", b"m\xff"), "malformed", None),
    ("deep nesting", b'{"content":' + b"[" * 50_000, "malformed", "content"),
    ("an unknown field", raw(mood="good"), "malformed", "mood"),
    ("a wrong type", raw(content=5), "malformed", "content"),
    ("a null", raw(speaker=None), "malformed", "speaker"),
    ("no content", raw(content=...), "missing", "content"),
    ("no sent_at", raw(sent_at=...), "missing", "sent_at"),
    ("a naive time", raw(sent_at="2026-03-02T12:00:00"), "naive_time", "sent_at"),
    ("not a time", raw(sent_at="yesterday"), "bad_time", "sent_at"),
    ("a date only", raw(sent_at="2026-03-02"), "bad_time", "sent_at"),
    ("an impossible date", raw(sent_at="2026-02-30T12:00:00Z"), "bad_time", "sent_at"),
    ("a time outside the calendar", raw(sent_at="0001-01-01T00:00:00+05:00"), "bad_time", "sent_at"),
    ("a very long time", raw(sent_at="2" * 5000), "bad_time", "sent_at"),
    ("empty content", raw(content=""), "empty", "content"),
    ("blank content", raw(content=" \n\u3000"), "empty", "content"),
    ("NUL in an id", raw(message_id="a\0b"), "bad_text", "message_id"),
    ("half a surrogate pair in content and in an id", raw(content="\ud83d", speaker="\ud83d"), "bad_text", "speaker"),
    ("half a surrogate pair in an id", raw(message_id="\ud83d"), "bad_text", "message_id"),
    ("half a surrogate pair in the zone", raw(tz="\ud83d"), "bad_text", "tz"),
    ("an empty id", raw(message_id=""), "empty", "message_id"),
    ("a blank id", raw(message_id=" "), "empty", "message_id"),
    ("a long id", raw(message_id="é" * 129), "too_large", "message_id"),
    ("a control character in an id", raw(conversation_id="a\nb"), "bad_text", "conversation_id"),
    ("a control character in a session id", raw(session_id="a\x7f"), "bad_text", "session_id"),
    ("an empty speaker", raw(speaker=""), "empty", "speaker"),
    ("a long speaker", raw(speaker="a" * 257), "too_large", "speaker"),
    ("an empty speaker id", raw(speaker_id=""), "empty", "speaker_id"),
    ("an unknown zone", raw(tz="Mars/Olympus"), "bad_zone", "tz"),
    ("a path as a zone", raw(tz="../../etc/passwd"), "bad_zone", "tz"),
    ("a folder as a zone", raw(tz="Europe"), "bad_zone", "tz"),
    ("an unknown role", raw(role="boss"), "bad_role", "role"),
    ("a negative seq", raw(seq=-1), "bad_seq", "seq"),
    ("a huge seq", raw(seq=2**53), "bad_seq", "seq"),
    ("a seq beyond any integer", raw(seq=10**40), "bad_seq", "seq"),
    ("a fraction as seq", raw(seq=1.5), "malformed", "seq"),
]


@pytest.mark.parametrize(("body", "code", "field"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_bad_input_is_refused_with_its_field_and_the_rest_is_taken(body: bytes, code: str, field: str | None) -> None:
    edge = Edge()
    taken = edge.post(raw(message_id="before"), body, raw(message_id="after"))
    assert [outcome(s) for s in taken.statuses] == [
        ("accepted", None, None),
        ("refused", code, field),
        ("accepted", None, None),
    ]
    assert [r.message_id for r in edge.records() if isinstance(r, MessagePosted)] == ["before", "after"]
    json.dumps([s.message_id for s in taken.statuses]).encode("utf-8")


def test_content_is_limited_in_bytes_and_the_limit_can_be_set() -> None:
    edge = Edge(IngestLimits(max_content_bytes=10))
    taken = edge.post(raw(content="é" * 5), raw(message_id="n", content="é" * 5 + "x"), raw(content="x" * 50_000))
    assert [outcome(s) for s in taken.statuses] == [
        ("accepted", None, None),
        ("refused", "too_large", "content"),
        ("refused", "too_large", None),
    ]
    assert outcome(Edge().post(raw(content="x" * 65_536)).statuses[0])[0] == "accepted"
    assert outcome(Edge().post(raw(content="x" * 65_537)).statuses[0])[1] == "too_large"


def test_a_refused_message_is_named_in_its_status() -> None:
    taken = Edge().post(raw(content=""), raw(message_id="x", content="\ud83d"), b"{")
    assert [s.message_id for s in taken.statuses] == ["m", "x", None]


def test_a_time_without_a_zone_is_taken_where_a_default_is_given() -> None:
    edge = Edge()
    edge.post(
        raw(message_id="a", sent_at="2026-07-01T12:00:00"),
        raw(message_id="b", sent_at="2026-07-01T12:00:00", tz="Asia/Tokyo"),
        raw(message_id="c"),
        default_tz="Europe/Paris",
    )
    found = [r for r in edge.records() if isinstance(r, MessagePosted)]
    assert [(r.utc_offset_min, r.tz, r.time_assumed) for r in found] == [
        (120, "Europe/Paris", True),
        (540, "Asia/Tokyo", True),
        (60, None, False),
    ]
    assert found[0].sent_at == parse_time("2026-07-01T10:00:00Z")[0]


def test_a_local_time_that_occurs_twice_is_the_first() -> None:
    edge = Edge()
    edge.post(raw(sent_at="2026-10-25T02:30:00"), default_tz="Europe/Paris")
    [record] = edge.records()
    assert isinstance(record, MessagePosted)
    assert record.sent_at == parse_time("2026-10-25T00:30:00Z")[0]


@pytest.mark.parametrize(
    ("space", "options", "field"),
    [
        (SpaceKey("t", "a/b"), {}, "space"),
        (SpaceKey("t", ""), {}, "space"),
        (SpaceKey("t", ".."), {}, "space"),
        (SpaceKey("t", "a\nb"), {}, "space"),
        (SpaceKey("t", "a\n"), {}, "space"),
        (SpaceKey("x" * 129, "a"), {}, "tenant"),
        (SPACE, {"default_tz": "Nowhere"}, "default_tz"),
        (SPACE, {"received_at": "later"}, "received_at"),
    ],
)
def test_a_call_with_a_bad_name_or_option_is_refused_whole(
    space: SpaceKey, options: dict[str, Any], field: str
) -> None:
    edge = Edge()
    with pytest.raises(RefusedError) as refused:
        edge.post(raw(), space=space, **options)
    assert refused.value.problem.field == field
    assert edge.records() == []


def test_names_of_spaces_may_have_letters_of_any_script() -> None:
    assert Edge().post(raw(), space=SpaceKey("münchen", "ана@x.org:1+2-_")).wait_for == 1


def test_the_same_message_again_is_a_duplicate_and_keeps_the_first_seq() -> None:
    edge = Edge()
    edge.post(raw(), seq_start=5)
    taken = edge.post(raw(), raw(sent_at="2026-03-02T11:00:00Z"), raw(seq=99), seq_start=9)
    assert [outcome(s)[0] for s in taken.statuses] == ["duplicate"] * 3
    assert taken.wait_for == 1
    [record] = edge.records()
    assert isinstance(record, MessagePosted)
    assert record.seq == 5


@pytest.mark.parametrize("changes", [{"content": "x"}, {"speaker": "Bo"}, {"sent_at": "2026-03-02T12:00:01+01:00"}])
def test_the_same_id_with_anything_else_is_a_conflict(changes: dict[str, str]) -> None:
    edge = Edge()
    edge.post(raw())
    [status] = edge.post(raw(**changes)).statuses
    assert outcome(status) == ("refused", "conflict", next(iter(changes)))
    assert len(edge.records()) == 1


def test_two_of_one_batch_are_judged_in_order() -> None:
    edge = Edge()
    taken = edge.post(raw(), raw(), raw(content="other"))
    assert [outcome(s)[:2] for s in taken.statuses] == [
        ("accepted", None),
        ("duplicate", None),
        ("refused", "conflict"),
    ]


def test_the_same_id_elsewhere_is_another_message() -> None:
    edge = Edge()
    edge.post(raw(), raw(conversation_id="d", content="x"))
    for space in (SpaceKey("t", "s2"), SpaceKey("t2", "s")):
        assert outcome(edge.post(raw(content="y"), space=space).statuses[0])[0] == "accepted"
    assert len(edge.records()) == 4


def test_transaction_time_never_runs_backwards_in_a_space() -> None:
    edge = Edge()
    sent = ["2026-01-05T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-09T00:00:00Z", "2040-01-01T00:00:00Z"]
    for n, text in enumerate(sent):
        edge.post(raw(message_id=f"m{n}", sent_at=text), received_at="sent_at")
    edge.post(raw(message_id="clock went back"), now=5)
    edge.post(raw(message_id="other space"), space=SpaceKey("t", "s2"), now=5)
    received = [r.received_at for r in edge.records() if isinstance(r, MessagePosted)]
    day5, day9 = parse_time(sent[0])[0], parse_time(sent[2])[0]
    assert received == [day5, day5, day9, NOW, NOW, 5], "and a backfill from the future was received now"


def test_an_edit_is_taken_once_and_says_what_is_wrong() -> None:
    edge = Edge()
    edge.post(raw())
    outcomes = [
        outcome(edge.ingest.edit(SPACE, "c", name, content, now=NOW + 1).statuses[0])
        for name, content in [("m", "I moved."), ("m", "I stayed."), ("m", "I stayed."), ("x", "a"), ("m", " ")]
    ]
    assert outcomes == [
        ("duplicate", None, None),
        ("accepted", None, None),
        ("duplicate", None, None),
        ("refused", "not_found", "message_id"),
        ("refused", "empty", "content"),
    ]
    edit = edge.records()[-1]
    assert isinstance(edit, MessageEdited)
    assert (edit.content, edit.received_at, len(edge.records())) == ("I stayed.", NOW + 1, 2)
    found = edge.ingest.find(SPACE, "c", "m")
    assert found is not None
    assert found.content == "I stayed."


def test_the_original_of_an_edited_message_is_still_a_duplicate() -> None:
    edge = Edge()
    edge.post(raw())
    edge.ingest.edit(SPACE, "c", "m", "I stayed.", now=NOW)
    taken = edge.post(raw(), raw(content="I stayed."), raw(content="third"))
    assert [outcome(s)[:2] for s in taken.statuses] == [
        ("duplicate", None),
        ("duplicate", None),
        ("refused", "conflict"),
    ]


def test_a_retraction_is_taken_once_and_ends_edits() -> None:
    edge = Edge()
    edge.post(raw())
    ingest = edge.ingest
    assert outcome(ingest.retract(SPACE, "c", "x", now=NOW).statuses[0]) == ("refused", "not_found", "message_id")
    assert outcome(ingest.retract(SPACE, "c", "m", now=NOW).statuses[0])[0] == "accepted"
    again = ingest.retract(SPACE, "c", "m", now=NOW)
    assert (outcome(again.statuses[0])[0], again.wait_for) == ("duplicate", 2)
    assert outcome(ingest.edit(SPACE, "c", "m", "x", now=NOW).statuses[0]) == ("refused", "retracted", "message_id")
    assert outcome(edge.post(raw()).statuses[0]) == ("refused", "retracted", "message_id"), "it is not there again"
    assert isinstance(edge.records()[-1], MessageRetracted)
    assert ingest.find(SPACE, "c", "m") is None
    assert ingest.find(SPACE, "c", "unknown") is None


@settings(max_examples=200, deadline=None)
@given(
    body=st.one_of(
        st.binary(max_size=60),
        st.dictionaries(
            st.sampled_from([*message(), "role", "session_id", "speaker_id", "tz", "seq", "ends_session", "x"]),
            st.one_of(
                st.none(),
                st.booleans(),
                st.integers(),
                st.floats(),
                st.text(st.characters(exclude_categories=[]), max_size=12),
                st.lists(st.integers(), max_size=2),
            ),
        ).map(lambda changes: json.dumps({**message(), **changes}).encode()),
    )
)
def test_whatever_comes_in_is_answered_and_what_is_accepted_can_be_read(body: bytes) -> None:
    edge = Edge()
    calls: list[dict[str, Any]] = [{}, {"default_tz": "Europe/Paris", "received_at": "sent_at"}]
    for options in calls:
        [status] = edge.post(body, **options).statuses
        assert (status.error is None) == (status.status != "refused")
        (status.message_id or "").encode("utf-8")
        if status.error is not None:
            (status.error.message + (status.error.field or "")).encode("utf-8")
    assert len(edge.records()) == edge.log.end("messages", 0)


def test_threads_that_post_the_same_messages_accept_each_once() -> None:
    edge = Edge()
    bodies = [raw(message_id=f"m{n}") for n in range(60)]
    threads = [threading.Thread(target=lambda: [edge.post(body) for body in bodies]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [r.message_id for r in edge.records() if isinstance(r, MessagePosted)]
    assert sorted(found) == sorted(f"m{n}" for n in range(60))


POST_UNTIL_KILLED = """
import json, sys
from pathlib import Path
from schemas.ids import SpaceKey
from streams.ingest import Ingest
from streams.log import RocksLog
ingest = Ingest(RocksLog(Path(sys.argv[1])))
for n in range(10**9):
    body = {"message_id": f"m{n}", "conversation_id": "c", "speaker": "Ada", "content": "x"}
    raw = json.dumps({**body, "sent_at": "2026-03-02T12:00Z"}).encode()
    [status] = ingest.post(SpaceKey("t", "s"), [raw], now=n).statuses
    print(n, status.status, flush=True)
"""


def test_kill_9_loses_no_accepted_message_and_a_resend_doubles_none(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", POST_UNTIL_KILLED, str(tmp_path)], stdout=subprocess.PIPE, cwd=root
    ) as child:
        assert child.stdout is not None
        seen = [child.stdout.readline().split() for _ in range(100)]
        child.kill()
        child.wait()
    assert [status for _, status in seen] == [b"accepted"] * 100
    log = RocksLog(tmp_path)
    before = log.end("messages", 0)
    bodies = [raw(message_id=f"m{n}", content="x", sent_at="2026-03-02T12:00Z") for n in range(before + 1)]
    taken = Ingest(log).post(SPACE, bodies, now=NOW)
    assert [s.status for s in taken.statuses] == ["duplicate"] * before + ["accepted"]
    assert before >= 100
    log.close()
