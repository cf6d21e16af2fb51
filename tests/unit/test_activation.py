"""Whose sets count: the activated producer, its fallbacks, and what a slow producer has not read yet."""

from __future__ import annotations

from schemas.control import ProducerActivated, active_producer
from schemas.ids import SpaceKey
from streams.activation import announced, announcement

SPACE = SpaceKey("t", "s")


def ruling(producer: str, fallback: str | None = None, *further: str) -> ProducerActivated:
    return ProducerActivated(
        tenant="t", space="s", stage="distil", producer=producer, fallback=fallback, at=1, further=further
    )


def test_where_nothing_was_activated_the_smallest_id_counts() -> None:
    assert active_producer({"b": 9, "a": 1}, None) == "a"
    assert active_producer({}, None) is None


def test_of_sets_of_one_revision_the_activated_producers_counts() -> None:
    assert active_producer({"model": 4, "rules": 4}, ruling("model", "rules")) == "model"


def test_where_the_activated_producer_made_none_the_first_fallback_that_did_counts() -> None:
    assert active_producer({"old": 4, "rules": 4}, ruling("model", "old", "rules")) == "old"
    assert active_producer({"rules": 4}, ruling("model", "old", "rules")) == "rules"
    assert active_producer({"stranger": 4}, ruling("model", "old", "rules")) is None


def test_what_a_slow_producer_said_of_a_session_before_it_went_on_does_not_hide_what_was_read_since() -> None:
    assert active_producer({"model": 5, "rules": 8}, ruling("model", "rules")) == "rules"
    assert active_producer({"model": 8, "rules": 8}, ruling("model", "rules")) == "model"


def test_a_newer_set_of_a_producer_that_is_no_fallback_counts_for_nothing() -> None:
    assert active_producer({"model": 5, "stranger": 8}, ruling("model")) == "model"


def test_every_former_producer_stays_a_fallback_the_latest_first_and_the_one_beside_comes_last() -> None:
    first = announcement(SPACE, "distil", "model-a", None, 10, beside="rules")
    assert first is not None
    assert (first.fallback, first.further) == ("rules", ())
    second = announcement(SPACE, "distil", "model-b", announced(first), 10, beside="rules")
    assert second is not None
    assert (second.fallback, second.further, second.at) == ("model-a", ("rules",), 11)
    third = announcement(SPACE, "distil", "rules", announced(second), 12)
    assert third is not None
    assert (third.fallback, third.further) == ("model-b", ("model-a",))
    assert announcement(SPACE, "distil", "rules", announced(third), 13) is None
