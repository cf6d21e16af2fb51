"""Reading the past: what the kept versions tell is the definition over the records known then."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RuledEnd, RulingWithdrawn
from schemas.control import ClockReached, MessageErased
from schemas.dead_letters import DeadLetter, LetterRedriven
from schemas.entry import Entry
from schemas.events import Source
from schemas.record import Record
from schemas.themes import SessionThemed
from tests.kit.records import SESSIONS, SPACE, distilled, edge, entries, event, inferred, posted, streams_of_records
from views.known import in_time_order, known_by, transaction_time
from views.maintain import Maintainer
from views.snapshot import Snapshot, cut, read_space, read_space_at
from views.spec import recompute
from views.tables import MemoryTables

BUDGET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TIMES = range(1, 7)
_TIME_FIELDS = ("received_at", "learned_at", "at", "parked_at")


def at_time(record: Record, time: int) -> Record:
    """The record, learned at another time."""
    field = next(f for f in _TIME_FIELDS if f in record.__struct_fields__)
    return msgspec.structs.replace(record, **{field: time})


@st.composite
def other_records(draw: st.DrawFn) -> Record:
    """Records that a snapshot shows, and the validity view does not."""
    common: dict[str, Any] = {"tenant": SPACE.tenant, "space": SPACE.space}
    name, session = draw(st.sampled_from(["Ann", "Bea"])), draw(st.sampled_from(SESSIONS))
    place: dict[str, Any] = {"topic": "messages", "partition": 0, "offset": draw(st.integers(0, 1))}
    which = draw(st.integers(0, 5))
    match which:
        case 0:
            return AliasMerged(**common, alias=name, canonical="Cat", analyst="x", evidence="", at=1)
        case 1:
            return AliasSplit(**common, alias=name, analyst="x", at=1)
        case 2:
            revision = draw(st.integers(0, 3))
            theme = f"t{revision}" if revision else None
            return SessionThemed(
                **common, session_id=session, theme_id=theme, revision=revision, covers=1, learned_at=1
            )
        case 3:
            return DeadLetter(
                **common, **place, stage="distil", error="no", payload=b"", conversation_id="c1", message_id="m1",
                parked_at=1,
            )  # fmt: skip
        case 4:
            return LetterRedriven(**common, **place, to_partition=0, to_offset=7, repaired=False, at=1)
        case _:
            return ClockReached(**common, at=1)


@st.composite
def logs(draw: st.DrawFn) -> list[Entry]:
    """Records that were learned at any of a few times, in any order."""
    records = draw(streams_of_records(max_size=8)) + draw(st.lists(other_records(), max_size=5))
    records = draw(st.permutations(records))
    return entries([at_time(record, draw(st.sampled_from(TIMES))) for record in records])


PARTS = {"s1": (("e1", "e2"), ("c1", "m1")), "s2": (("e3", "e4"), ("c1", "m2")), "s3": (("e5", "e6"), ("c2", "m1"))}
"""Sessions that have nothing to do with each other: their events, and the message these rest on."""


@st.composite
def apart_records(draw: st.DrawFn) -> Record:
    """A record of one of the sessions: its sets, an edge of its ruled on, its message posted, edited or erased."""
    session = draw(st.sampled_from(sorted(PARTS)))
    (first, second), (conversation, message) = PARTS[session]
    common: dict[str, Any] = {"tenant": SPACE.tenant, "space": SPACE.space}
    sources = (Source(conversation_id=conversation, message_id=message, start=0, end=4),)
    link = edge(first, "updates", second, "change")
    which = draw(st.integers(0, 9))
    if which < 4:
        said = [event(i, text=draw(st.sampled_from("ab")), sources=sources) for i in (first, second)]
        return distilled(*said[draw(st.integers(0, 1)) :], session=session, revision=draw(st.integers(1, 4)))
    if which < 6:
        return inferred(*draw(st.sampled_from([(), (link,)])), session=session, revision=draw(st.integers(1, 4)))
    if which < 8:
        ends = {
            name: RuledEnd(event_id=i, sources=sources, type="state_change", attribute="home")
            for name, i in (("src", draw(st.sampled_from([first, f"former {first}"]))), ("dst", second))
        }
        named: dict[str, Any] = {**common, "edge_id": link.id, "analyst": "x", "at": 1}
        about: dict[str, Any] = {**named, **ends, "relation": "updates", "reason": "read it"}
        kind = draw(st.integers(0, 2))
        return [EdgeAccepted(**about, kind="change"), EdgeRuledOut(**about), RulingWithdrawn(**named)][kind]
    if which == 8:
        return posted(conversation, message)
    return MessageErased(**common, conversation_id=conversation, message_id=message, upto=draw(st.integers(0, 2)), at=1)


@st.composite
def logs_of_sessions_apart(draw: st.DrawFn) -> list[Entry]:
    """Records that most often do not concern what came before them, learned at any of a few times."""
    ruled_before = EdgeRuledOut(
        tenant=SPACE.tenant, space=SPACE.space, edge_id="r0", analyst="x", at=1, relation="updates", reason="read it",
        src=RuledEnd(event_id="e8", sources=(), type="state_change", attribute=None),
        dst=RuledEnd(event_id="e9", sources=(), type="state_change", attribute=None),
    )  # fmt: skip
    records = draw(st.lists(apart_records(), min_size=2, max_size=12))
    timed = [at_time(record, draw(st.sampled_from(TIMES))) for record in records]
    return entries([ruled_before, *timed] if draw(st.booleans()) else timed)


def held(log: list[Entry], commit_every: int) -> Maintainer:
    """A view of the records in the order given."""
    maintainer = Maintainer(MemoryTables())
    for length, entry in enumerate(log, start=1):
        maintainer.fold_anywhere(entry)
        if length % commit_every == 0:
            maintainer.commit()
    maintainer.commit()
    return maintainer


def contents(snapshot: Snapshot) -> dict[str, Any]:
    """Everything a cut holds, without what it has made of it to be read again."""
    return {name: value for name, value in vars(snapshot).items() if name in ("space", "account", "tally", "_unread")}


@BUDGET
@given(logs(), st.integers(1, 4))
def test_the_past_is_the_definition_over_what_was_known_or_is_not_told(log: list[Entry], commit_every: int) -> None:
    """Whatever order the records came in. Of the newest time on it is always told."""
    maintainer = held(log, commit_every)
    newest = max((transaction_time(e.record) for e in log), default=0)
    for known_at in range(newest + 2):
        told = read_space_at(maintainer, SPACE, known_at)
        if told is None:
            assert known_at < newest
        else:
            assert told.view == recompute(e for e in log if known_by(e.record, known_at))
            assert contents(told) == contents(cut(log, SPACE, known_at))


@BUDGET
@given(logs_of_sessions_apart(), st.integers(1, 4))
def test_so_it_is_beside_rulings_and_erasures(log: list[Entry], commit_every: int) -> None:
    """Where late records most often are told at their own time."""
    maintainer = held(log, commit_every)
    for known_at in range(max(transaction_time(e.record) for e in log) + 1):
        told = read_space_at(maintainer, SPACE, known_at)
        if told is not None:
            assert told.view == recompute(e for e in log if known_by(e.record, known_at))


@BUDGET
@given(logs(), st.integers(1, 4))
def test_folded_in_time_order_all_of_the_past_is_told(log: list[Entry], commit_every: int) -> None:
    """As a rebuild does it, also over rows that were folded in another order before."""
    maintainer = held(log, commit_every)
    maintainer.drop(SPACE)
    for entry in in_time_order(log):
        maintainer.fold_anywhere(entry)
    maintainer.commit()
    assert contents(read_space(maintainer, SPACE)) == contents(read_space(held(log, 1), SPACE))
    for known_at in range(8):
        told = read_space_at(maintainer, SPACE, known_at)
        assert told is not None
        assert contents(told) == contents(cut(log, SPACE, known_at))
