"""What time alone changes is told: once, in order, also after a downtime, and without moving the view."""

from __future__ import annotations

from schemas.codec import decode
from schemas.control import ClockReached
from schemas.deltas import EventChanged
from tests.kit.embedded import SPACE, Home, us

MILL, TRIP = "From 10 June I work at the mill", "We plan to visit Ghent on 12 June"


def clock(home: Home) -> list[ClockReached]:
    """Every clock record so far."""
    read = home.log.read("clock", 0, 0, 99)
    return [record for raw in read if isinstance(record := decode("clock", raw.value), ClockReached)]


def told(home: Home, start: int) -> list[tuple[str, str, str]]:
    """Text, reason and cause of every change of an event since a position."""
    found: list[tuple[str, str, str]] = []
    for entry in home.system.deltas(SPACE, start, 99).entries:
        if isinstance(entry.delta, EventChanged):
            text = entry.event.text if entry.event else "?"
            found.append((text, entry.delta.reason, entry.delta.cause.topic))
    return found


def test_an_announced_change_is_told_when_its_day_comes() -> None:
    home = Home("2031-06-01T12:00:00Z")
    home.say("m1", "I work at the tannery.", "2031-05-01T10:00:00Z")
    home.say("m2", f"{MILL}.", "2031-05-20T10:00:00Z")
    start, before = home.system.deltas_end(SPACE), home.system.verify(SPACE).checksum
    assert home.system.run() == 0, "nothing is due"
    home.now = us("2031-06-10T12:00:00Z")
    home.system.run()
    assert sorted(told(home, start)) == [(MILL, "+valid", "clock"), ("I work at the tannery", "-valid", "clock")]
    assert home.system.run() == 0, "an instant is told once"
    assert len(clock(home)) == 1
    assert home.system.verify(SPACE).checksum == before, "rows hold intervals; time moves none"


def test_instants_of_a_downtime_are_caught_up_in_order_by_the_next_process() -> None:
    home = Home("2031-06-01T12:00:00Z")
    home.say("m1", f"{TRIP}.", "2031-05-20T10:00:00Z")
    home.say("m2", f"{MILL}.", "2031-05-21T10:00:00Z")
    start = home.system.deltas_end(SPACE)
    home.now = us("2031-07-01T12:00:00Z")
    home.reopened().run()
    instants = [record.at for record in clock(home)]
    assert instants == sorted(set(instants))
    assert [(text, reason) for text, reason, _ in told(home, start)] == [(MILL, "+valid"), (TRIP, "lapsed")]


def test_a_plan_that_was_settled_before_its_time_is_not_told_as_lapsed() -> None:
    home = Home("2031-06-01T12:00:00Z")
    home.say("m1", f"{TRIP}.", "2031-05-20T10:00:00Z")
    home.retract("m1")
    home.now = us("2031-07-01T12:00:00Z")
    assert home.system.run() == 0
    assert clock(home) == []


def test_a_rebuilt_space_tells_nothing_again_and_still_what_is_to_come() -> None:
    home = Home("2031-06-01T12:00:00Z")
    home.say("m1", f"{MILL}.", "2031-05-20T10:00:00Z")
    home.say("m2", f"{TRIP}.", "2031-05-21T10:00:00Z")
    home.now = us("2031-06-11T12:00:00Z")
    home.system.run()
    home.system.rebuild(SPACE)
    assert home.system.run() == 0
    start = home.system.deltas_end(SPACE)
    home.now = us("2031-07-01T12:00:00Z")
    home.system.run()
    assert [(text, reason) for text, reason, _ in told(home, start)] == [(TRIP, "lapsed")]


def test_what_contradicted_a_statement_and_ends_by_itself_settles_it() -> None:
    from schemas.ruling_wire import AcceptIn

    home = Home("2031-06-01T12:00:00Z")
    home.say("m1", "I live in Lecce until 20 June.", "2031-05-20T10:00:00Z")
    home.say("m2", "I keep bees.", "2031-05-21T10:00:00Z")
    texts = sorted(home.entries())
    ends = {text: home.id_of(text) for text in texts}
    bees = "I keep bees"
    lecce = next(text for text in texts if text != bees)
    start = home.system.deltas_end(SPACE)
    wanted = AcceptIn(analyst="mo", src=ends[bees], dst=ends[lecce], relation="contradicts")
    home.system.adjudicate(SPACE, wanted)
    assert {(text, reason) for text, reason, _ in told(home, start)} == {(bees, "contested"), (lecce, "contested")}
    start = home.system.deltas_end(SPACE)
    home.now = us("2031-06-25T12:00:00Z")
    home.system.run()
    assert {(text, reason) for text, reason, _ in told(home, start)} == {(bees, "settled"), (lecce, "-valid")}
