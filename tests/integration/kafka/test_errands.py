"""Slow calls beside a stage on a broker: more at once are faster, nobody is thrown out, nothing answered is lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from schemas.asking import ModelAsked, Prompt
from schemas.codec import encode
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Client
from tests.kit.kafkaread import read_all
from tests.kit.slowworker import SESSION_S, SlowWorker

LONG_S = 180.0
CALL_S = 0.25
KEY = b"orchard/row"


@pytest.fixture
def started() -> Iterator[ExitStack]:
    """What was started here is killed at the end."""
    with ExitStack() as stack:
        yield stack


def ask(bootstrap: str, prefix: str, sessions: int, each: int) -> list[str]:
    """Ask so many questions of each session, all in one partition; their names."""
    client, names = Client(bootstrap, prefix), list[str]()
    prompt = Prompt(model="m", messages=(), schema_name="s", schema="{}", reply_max_tokens=1)
    for turn in range(each):
        for session in range(sessions):
            names.append(f"q{session}.{turn}")
            asked = ModelAsked(
                tenant="orchard", space="row", stage="distil", ask_id=names[-1], producer="m+1",
                session_id=f"s{session}", conversation_id=None, prompt=prompt, about=(), learned_at=1,
            )  # fmt: skip
            client.put("asks", KEY, encode(asked))
    client.flush()
    return names


def until(done: Callable[[], bool], what: str) -> None:
    """Look again and again."""
    deadline = time.monotonic() + LONG_S
    while not done():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def _when(calls: list[tuple[float, str]]) -> dict[str, float]:
    return {name: when for when, name in calls}


def test_more_calls_at_once_take_less_time_each_sessions_in_order(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    spans: dict[int, float] = {}
    for limit in (1, 8):
        at = f"{prefix}{limit}."
        full_kafka.make_topics(at)
        names = ask(full_kafka.bootstrap, at, sessions=8, each=2)
        worker = SlowWorker(tmp_path / str(limit), full_kafka.bootstrap, at, limit=limit, seconds=CALL_S)
        started.callback(worker.kill)
        until(lambda: len(worker.calls("answered")) == len(names), "it did not answer everything")  # noqa: B023 - at once
        asked, answered = worker.calls("asked"), _when(worker.calls("answered"))
        spans[limit] = max(answered.values()) - asked[0][0]
        began = _when(asked)
        assert all(began[f"q{n}.1"] > answered[f"q{n}.0"] for n in range(8)), "a session's second before its first"
        assert worker.stop() < SESSION_S
    assert spans[1] >= 16 * CALL_S
    assert spans[8] < spans[1] / 2


def test_calls_longer_than_a_session_lose_no_partition_and_a_kill_loses_no_answer(
    full_kafka: Broker, prefix: str, tmp_path: Path, started: ExitStack
) -> None:
    full_kafka.make_topics(prefix)
    names = ask(full_kafka.bootstrap, prefix, sessions=6, each=1)
    slow = SESSION_S + 2
    worker = SlowWorker(tmp_path / "one", full_kafka.bootstrap, prefix, limit=2, seconds=slow)
    started.callback(worker.kill)
    until(lambda: len(worker.calls("answered")) >= 2 and len(worker.calls("asked")) >= 4, "it did not go on")
    assert worker.assignments == 1, "it was thrown out of its group"
    until(lambda: len(read_all(full_kafka.bootstrap, prefix, "replies")) == 2, "the replies were not written")
    worker.kill()
    answered = {name for _, name in worker.calls("answered")}
    again = SlowWorker(tmp_path / "one", full_kafka.bootstrap, prefix, limit=6, seconds=0.2)
    started.callback(again.kill)
    until(lambda: len({name for _, name in again.calls("answered")}) == len(names), "it did not answer everything")
    asked = Counter(name for _, name in again.calls("asked"))
    assert set(asked) == set(names)
    assert all(asked[name] == 1 for name in answered), "what was answered was asked again"
    until(lambda: len(read_all(full_kafka.bootstrap, prefix, "replies")) == len(names), "a reply is missing, or twice")
    assert again.stop() < SESSION_S
