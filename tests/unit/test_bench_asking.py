"""The benchmark of asking: a session is two questions at most, however long the history."""

from __future__ import annotations

from ops.bench.asking import Asked, measure
from tests.kit.encoders import HashingEncoder


def test_calls_stay_two_a_session_and_tokens_are_told_for_each_event() -> None:
    told = measure(Asked(sessions=(1, 10, 40)), HashingEncoder(), lambda _: None)
    assert told["calls_per_session_1"] == 1, "nothing to compare with"
    assert 1 < told["calls_per_session_10"] <= told["calls_per_session_40"] <= 2
    assert told["calls_most_40"] == 2
    assert told["tokens_per_event_40"] == told["tokens_per_session_40"] > 0
