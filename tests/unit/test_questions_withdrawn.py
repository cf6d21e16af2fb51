"""What a question shows can change before it is asked: then it is withdrawn, and what is left of it is made anew."""

from __future__ import annotations

from typing import Any

from schemas.asking import AskWithdrawn, ModelAsked
from schemas.edges import EdgesInferred
from schemas.entry import Entry
from schemas.record import Record
from schemas.topics import TopicName
from streams.distil.model.parts import PART_CHARS
from streams.llm.desk import Desk, OpenAsk, find_ask, find_withdrawn, forget_ask, open_asks
from streams.state import MemoryState
from tests.kit.asking import Distilling, events_text, found, replied, said, session
from tests.kit.judging import Judging, shown, verdicts
from tests.kit.linking import activated, distilled, statement

BOAT = statement("I own a green rowing boat", 1)
OAR = statement("The oars of the rowing boat are new", 1)
SOLD = statement("The rowing boat went to my cousin", 5, subject="Ann", participants=("Ann",))
LEAKS = statement("The rowing boat went down in the harbour", 9, subject="Ann", participants=("Ann",))
BEES, GOATS = said("I keep bees."), said("I keep goats.")
LONG = "I saw a heron by the weir. " * (PART_CHARS // 40)


def withdrawn(one: Any) -> list[str]:
    return [record.ask_id for record in one.of(AskWithdrawn)]


# --- sessions -------------------------------------------------------------------------------------------------------


def test_an_edited_session_is_asked_about_as_it_is_now_and_no_longer_as_it_was() -> None:
    distilling = Distilling()
    (old,) = distilling.ask(session(BEES))
    (new,) = distilling.ask(session(said("I keep wasps."), revision=11))
    assert withdrawn(distilling) == [old.ask_id]
    assert new.ask_id != old.ask_id
    assert "wasps" in new.prompt.messages[1].content


def test_a_session_that_goes_on_or_is_emptied_waits_for_no_reply() -> None:
    for now in (session(BEES, GOATS, revision=10, open=True), session(revision=11)):
        distilling = Distilling()
        (old,) = distilling.ask(session(BEES))
        assert distilling.ask(now) == []
        assert withdrawn(distilling) == [old.ask_id]


def test_parts_that_are_as_they_were_stay_asked() -> None:
    distilling = Distilling()
    first, second = distilling.ask(session(said(LONG), said(LONG)))
    distilling.ask(session(said(LONG), said(LONG), said("It rained."), revision=11))
    assert withdrawn(distilling) == [second.ask_id]
    assert first.ask_id != second.ask_id


def test_what_is_still_open_of_a_session_that_is_given_up_is_withdrawn() -> None:
    distilling = Distilling()
    first, second = distilling.ask(session(said(LONG), said(LONG)))
    (again,) = distilling.answer(first, "no")
    distilling.answer(again, "no")
    assert withdrawn(distilling) == [second.ask_id]


def test_nothing_is_withdrawn_that_has_its_reply() -> None:
    distilling = Distilling()
    (old,) = distilling.ask(session(BEES))
    distilling.answer(old, events_text(found(1, "I keep bees")))
    distilling.ask(session(GOATS, revision=11))
    assert withdrawn(distilling) == []


def test_the_reply_to_a_withdrawn_question_is_used_when_the_session_is_as_it_was_again() -> None:
    distilling = Distilling()
    (old,) = distilling.ask(session(BEES))
    distilling.ask(session(GOATS, revision=11))
    distilling.answer(old, events_text(found(1, "I keep bees")))
    assert distilling.ask(session(BEES, revision=13)) == []
    assert [event.text for event in distilling.sets[-1].events] == ["I keep bees"]


# --- pairs ----------------------------------------------------------------------------------------------------------


def closed(*events: Any, session: str, revision: int = 1):
    return distilled(*events, session=session, revision=2 * revision + 1, producer="p1")


def test_a_question_about_a_statement_that_is_gone_is_made_anew_of_the_others() -> None:
    judging = Judging()
    (own,) = judging.take(closed(BOAT, OAR, session="s1"))
    (old,) = judging.take(closed(SOLD, session="s2", revision=2))
    assert len(shown(old)) == 2
    (new,) = judging.take(closed(BOAT, session="s1", revision=3))
    assert sorted(withdrawn(judging)) == sorted([own.ask_id, old.ask_id])
    assert shown(new) == [(BOAT.text, SOLD.text)]
    judging.answer(new, verdicts("change"))
    assert judging.relations() == {(SOLD.id, "updates", BOAT.id, "change")}


def test_a_question_of_which_nothing_is_left_is_withdrawn_and_none_comes_instead() -> None:
    judging = Judging()
    judging.take(closed(BOAT, session="s1"))
    (old,) = judging.take(closed(SOLD, session="s2", revision=2))
    assert judging.take(closed(session="s2", revision=3)) == []
    assert withdrawn(judging) == [old.ask_id]


def test_what_is_left_and_what_is_new_are_one_question() -> None:
    judging = Judging()
    judging.take(closed(BOAT, OAR, session="s1"))
    judging.take(closed(SOLD, session="s2", revision=2))
    (new,) = judging.take(closed(BOAT, statement("The rowing boat is leaking", 1), session="s1", revision=3))
    assert (BOAT.text, SOLD.text) in shown(new)
    assert len(shown(new)) == 3


def test_questions_about_other_statements_stay() -> None:
    judging = Judging()
    judging.take(closed(BOAT, session="s1"))
    (old,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.take(closed(statement("I like plums", 7), session="s3", revision=3))
    judging.take(closed(session="s3", revision=4))
    assert withdrawn(judging) == []
    judging.answer(old, verdicts("change"))
    assert judging.relations() == {(SOLD.id, "updates", BOAT.id, "change")}


def test_a_producer_that_counts_no_more_takes_its_questions_along() -> None:
    judging = Judging()
    judging.take(closed(BOAT, session="s1"))
    (old,) = judging.take(closed(SOLD, session="s2", revision=2))
    judging.take(activated("p2", "p1"), "producers")
    judging.take(distilled(BOAT, session="s1", revision=5, producer="p2"))
    judging.take(distilled(session="s2", revision=5, producer="p2"))
    assert old.ask_id in withdrawn(judging)


def test_a_late_reply_counts_for_the_pairs_that_stayed_and_nobody_is_asked_about_them_again() -> None:
    judging = Judging()
    judging.take(closed(BOAT, OAR, session="s1"))
    (old,) = judging.take(closed(SOLD, session="s2", revision=2))
    (new,) = judging.take(closed(BOAT, session="s1", revision=3))
    judging.answer(old, verdicts(*("change" for _ in shown(old))))
    assert judging.relations() == {(SOLD.id, "updates", BOAT.id, "change")}
    assert withdrawn(judging)[-1] == new.ask_id


def test_edges_are_those_of_the_definition_after_questions_were_withdrawn() -> None:
    judging = Judging()
    judging.take(closed(BOAT, OAR, session="s1"))
    judging.take(closed(SOLD, session="s2", revision=2))
    judging.take(closed(LEAKS, session="s3", revision=3))
    judging.take(closed(BOAT, session="s1", revision=4))
    for asked in [one for one in judging.asked if one.ask_id not in withdrawn(judging)]:
        judging.answer(asked, verdicts(*("change" for _ in shown(asked))))
    assert judging.edges() == judging.defined()
    assert judging.of(EdgesInferred)


# --- the desk -------------------------------------------------------------------------------------------------------


class Desked:
    """The desk on a state in memory."""

    def __init__(self) -> None:
        self.state = MemoryState()
        self._offset = 0

    def take(self, record: Record, topic: TopicName) -> None:
        entry = Entry(topic=topic, partition=0, offset=self._offset, record=record)
        self._offset += 1
        Desk().apply(entry, self.state, now=0)

    def get(self, table: str, key: bytes) -> bytes | None:
        return self.state.get(key)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Any:
        return self.state.scan(start, stop, reverse=reverse)

    def open(self) -> list[str]:
        return [item.ask.ask_id for item in open_asks(self, "", b"")]


def gone(ask: ModelAsked) -> AskWithdrawn:
    return AskWithdrawn(
        tenant=ask.tenant, space=ask.space, stage=ask.stage, ask_id=ask.ask_id, session_id=ask.session_id, learned_at=1
    )


def asked() -> ModelAsked:
    return Distilling().ask(session(BEES))[0]


def test_a_withdrawn_question_is_off_the_desk_until_it_comes_up_again() -> None:
    desk, one = Desked(), asked()
    desk.take(one, "asks")
    desk.take(gone(one), "asks")
    assert (desk.open(), find_ask(desk, "", b"", one.ask_id)) == ([], "withdrawn")
    desk.take(gone(one), "asks")
    desk.take(one, "asks")
    assert desk.open() == [one.ask_id]
    assert find_withdrawn(desk, "", b"", one.ask_id) is None


def test_a_late_reply_is_booked_and_settles_a_withdrawn_question() -> None:
    desk, one = Desked(), asked()
    desk.take(one, "asks")
    desk.take(gone(one), "asks")
    kept = find_withdrawn(desk, "", b"", one.ask_id)
    assert isinstance(kept, OpenAsk)
    assert kept.ask == one
    desk.take(replied(one, "{}"), "replies")
    assert find_ask(desk, "", b"", one.ask_id) == "answered"
    assert find_withdrawn(desk, "", b"", one.ask_id) is None
    desk.take(gone(one), "asks")
    assert find_ask(desk, "", b"", one.ask_id) == "answered", "what has its reply is not withdrawn"


def test_a_withdrawn_question_whose_endpoint_never_answered_leaves_nothing() -> None:
    desk, one = Desked(), asked()
    desk.take(one, "asks")
    desk.take(gone(one), "asks")
    desk.take(replied(one, "", "failed"), "replies")
    assert find_ask(desk, "", b"", one.ask_id) is None
    assert find_withdrawn(desk, "", b"", one.ask_id) is None


def test_what_is_erased_is_forgotten_of_a_withdrawn_question_too() -> None:
    desk, one = Desked(), asked()
    desk.take(one, "asks")
    desk.take(gone(one), "asks")
    assert forget_ask(desk.state, one.ask_id)
    assert b"bees" not in b"".join(raw for _, raw in desk.state.scan(b"", b"\xff"))


def test_a_withdrawal_of_what_nobody_asked_is_none() -> None:
    desk = Desked()
    desk.take(gone(asked()), "asks")
    assert list(desk.state.scan(b"", b"\xff")) == []
